import type { BodyEncoding } from '#shared/accounts/account.ts'
import { endpointEntry } from '#shared/api/endpoints.ts'
import type { AnswerFor, ArgumentsFor, EndpointPath } from '#shared/api/endpoints.ts'
import { instantOf } from '#shared/values/ids.ts'
import type { Instant } from '#shared/values/ids.ts'
import { systemClock } from '#main/lib/async.ts'
import type { Clock } from '#main/lib/async.ts'
import type { LargeAnswers } from './large/large-answers.ts'
import type { Forgiven, Note } from './decode/json.ts'
import { checkEcho } from './decode/table.ts'
import { cancelled } from './network-failure.ts'
import { readAnswer, aheadOf } from './body.ts'
import type { ReadAnswer } from './body.ts'
import type { AccessToken } from './token.ts'
import { isSuccess, plainTimeouts } from './transport/exchange.ts'
import type { Certificates } from './transport/proxy.ts'
import type { ProxyAccess } from './transport/proxy-access.ts'
import type { Timeouts, HttpAnswer } from './transport/exchange.ts'
import { RequestLimiter, Rest, sendWithTries } from './requests.ts'
import type { Priority } from './requests.ts'
import type { Transport } from './transport/transport.ts'

export type ClientOptions = {
  /** Origin and base path as returned by `parseServiceAddress`, without `/v1`. */
  readonly address: string
  /** Called once per call, so that a renewed token takes effect immediately. */
  readonly token: () => Promise<AccessToken>
  readonly bodyEncoding: BodyEncoding
  /** Electron's `session.resolveProxy`. Defaults to direct connections; never called for loopback addresses. */
  readonly resolveProxy?: (url: string) => Promise<string>
  /** Credentials for proxies. If omitted, the client does not sign in to proxies. */
  readonly proxyAccess?: ProxyAccess
  readonly timeouts?: Partial<Timeouts>
  /** Shared by all clients of one service. Defaults to a limiter for this client only. */
  readonly limiter?: RequestLimiter
  /** Maximum size of a response, in bytes after decompression. */
  readonly largestAnswer?: number
  /** Decodes large responses in a worker thread. If omitted, all responses are decoded on this thread. */
  readonly large?: Pick<LargeAnswers, 'read'>
  /** Called for each response whose charset had to be guessed. */
  readonly assumed?: () => void
  /** Called for each response with tolerated errors, with the kinds of errors and the endpoint. */
  readonly forgave?: (kinds: ReadonlySet<Forgiven>, path: EndpointPath) => void
  /** Called when a response shows that the local clock is ahead of the service's, with the difference in ms. */
  readonly ahead?: (by: number, receivedAt: Instant) => void
  /** Called when a back-off of the account starts, with the time of the next request, and with null when the service responds. */
  readonly resting?: (until: Instant | null) => void
  /**
   * Whether calls wait for the end of a back-off. False: a refusal is the result, for example while a form waits. Default:
   * true.
   */
  readonly waitsForRest?: boolean
  readonly certificates?: Certificates
  readonly clock?: Clock
  /** Returns 0 to 1, for the jitter of retries. */
  readonly random?: () => number
}

export type CallOptions = {
  readonly signal?: AbortSignal | undefined
  readonly priority?: Priority
}

/** Result of a successful call. */
export type Received<P extends EndpointPath> = {
  readonly answer: AnswerFor<P>
  /** Text of the response, without the token. This text is stored and can be decoded again. */
  readonly text: string
  /** Time at which the response was complete, by the local clock. */
  readonly receivedAt: Instant
}

/** Maximum number of concurrent requests, of one account and of one service. */
export const CONCURRENCY = 4
/**
 * Maximum size of a response, in bytes. A page of 1,000 rows is well below 1 MiB, or a few MiB if its labels are long
 * addresses.
 */
const LARGEST_ANSWER = 8 * 1024 * 1024

/** Responses with more characters than this are decoded in a worker. A page of 1,000 rows is far below. */
const LARGE = 1_000_000

export type ServiceClient = ReturnType<typeof createServiceClient>

/** Creates the client of one account. */
export function createServiceClient(options: ClientOptions) {
  const clock = options.clock ?? systemClock
  const running = new Set<AbortController>()
  let closed = false
  const random = options.random ?? Math.random
  const limiter = options.limiter ?? new RequestLimiter(CONCURRENCY)
  /** Also identifies the account to the limiter. */
  const rest = new Rest({ clock, random, wake: limiter.wake, resting: (until) => options.resting?.(until) })
  let transport: Promise<Transport> | undefined

  /**
   * Calls one endpoint (specification: endpoints).
   * @throws ServiceFailure for every failure of the network or the service; errors of `token` are passed on
   */
  async function call<P extends EndpointPath>(
    path: P,
    given: ArgumentsFor<P>,
    { signal, priority = 'person' }: CallOptions = {},
  ): Promise<Received<P>> {
    if (closed || signal?.aborted) throw cancelled()
    const ending = new AbortController()
    const end = () => ending.abort()
    running.add(ending)
    signal?.addEventListener('abort', end, { once: true })
    try {
      return await resultOf(path, given, priority, ending.signal)
    } finally {
      running.delete(ending)
      signal?.removeEventListener('abort', end)
    }
  }

  async function resultOf<P extends EndpointPath>(
    path: P,
    given: ArgumentsFor<P>,
    priority: Priority,
    signal: AbortSignal,
  ): Promise<Received<P>> {
    const token = await options.token()
    const circumstances = { path, url: new URL(`${options.address}/v1/${path}`), token }
    const opened = await (transport ??= openTransport(options, clock.now))
    const request = { ...circumstances, given, encoding: options.bodyEncoding, signal }
    const { repeatable } = endpointEntry(path)
    const send = () => rest.send(() => opened.send(request))
    const answer = await sendWithTries({
      send: (refusals) =>
        limiter.run(priority, signal, send, rest, { rest, isRepeatable: repeatable, refusals }),
      rest,
      waitsForRest: options.waitsForRest ?? true,
      host: circumstances.url.host,
      repeatable,
      clock,
      random,
      signal,
    })
    if (answer.assumed) options.assumed?.()
    const receivedAt = instantOf(clock.now())
    const ahead = aheadOf(answer.date, receivedAt)
    if (ahead > 0) options.ahead?.(ahead, receivedAt)
    const forgiven = new Set<Forgiven>()
    const note: Note = (kind) => forgiven.add(kind)
    const read = await readWhere(options.large, answer, { ...circumstances, now: receivedAt }, note)
    if (forgiven.size > 0) options.forgave?.(forgiven, path)
    checkEcho(given, read.answer)
    return { ...read, receivedAt }
  }

  return {
    call,
    /** Aborts running calls, which fail as `cancelled`, and closes all connections. */
    close: async (): Promise<void> => {
      closed = true
      rest.close()
      for (const ending of running) ending.abort()
      await (await transport)?.close()
    },
  }
}

/** Loads the transport with the first request, because loading TLS and undici slows down the start. */
async function openTransport(options: ClientOptions, now: () => number): Promise<Transport> {
  const { Transport } = await import('./transport/transport.ts')
  return new Transport({
    resolveProxy: options.resolveProxy ?? (() => Promise.resolve('DIRECT')),
    ...(options.proxyAccess && { proxyAccess: options.proxyAccess }),
    timeouts: { ...plainTimeouts, ...options.timeouts },
    largest: options.largestAnswer ?? LARGEST_ANSWER,
    ...(options.certificates && { certificates: options.certificates }),
    now,
  })
}

/** Decodes a response, in a worker if the response is large. @throws ServiceFailure as `readAnswer` does */
async function readWhere<P extends EndpointPath>(
  large: ClientOptions['large'],
  answer: HttpAnswer,
  circumstances: Parameters<typeof readAnswer<P>>[1],
  note: Note,
): Promise<ReadAnswer<P>> {
  const inThread = large && isSuccess(answer.status) && answer.text.length > LARGE
  return await (inThread ? large.read(answer, circumstances, note) : readAnswer(answer, circumstances, note))
}
