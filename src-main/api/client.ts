import type { BodyEncoding } from '#shared/accounts/account.ts'
import { endpointEntry } from '#shared/api/endpoints.ts'
import type { AnswerFor, ArgumentsFor, EndpointPath } from '#shared/api/endpoints.ts'
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
  /** Origin and base path as `parseServiceAddress` gives it, without `/v1`. */
  readonly address: string
  /** Asked once for each call, so that a renewed token is used at once. */
  readonly token: () => Promise<AccessToken>
  readonly bodyEncoding: BodyEncoding
  /** Electron's `session.resolveProxy`; left out, every request goes direct. Never asked for loopback. */
  readonly resolveProxy?: (url: string) => Promise<string>
  /** Names and passwords for proxies; left out, no proxy is signed in to. */
  readonly proxyAccess?: ProxyAccess
  readonly timeouts?: Partial<Timeouts>
  /** Lets a few requests run at once, shared by all clients of one service; left out, the client has one of its own. */
  readonly limiter?: RequestLimiter
  /** Most bytes that an answer may have, unpacked. */
  readonly largestAnswer?: number
  /** Reads answers that would hold the main loop; left out, all are read here. */
  readonly large?: Pick<LargeAnswers, 'read'>
  /** Called for each answer whose charset had to be assumed. */
  readonly assumed?: () => void
  /** Called for each answer in which something was forgiven: what, and which endpoint's it was. */
  readonly forgave?: (kinds: ReadonlySet<Forgiven>, path: EndpointPath) => void
  /** Called for each answer before which this machine's clock ran: by how much, in milliseconds, and when it came. */
  readonly ahead?: (by: number, receivedAt: Instant) => void
  /** Called when the service asks for rest, with the moment of the next request, and with null once it answers again. */
  readonly resting?: (until: Instant | null) => void
  /** False where a form waits: then a service that asks for rest has refused. Left out, calls wait until it answers. */
  readonly waitsForRest?: boolean
  readonly certificates?: Certificates
  readonly clock?: Clock
  /** 0 to 1, for the jitter of back-off. */
  readonly random?: () => number
}

export type CallOptions = {
  readonly signal?: AbortSignal | undefined
  readonly priority?: Priority
}

/** An answered call. */
export type Received<P extends EndpointPath> = {
  readonly answer: AnswerFor<P>
  /** The answer as it came, without the token: what is kept, and can be decoded again. */
  readonly text: string
  /** When it was complete, by this machine's clock. */
  readonly receivedAt: Instant
}

/** Requests that run at the same time, of one account and of all that ask one service. */
export const CONCURRENCY = 4
/**
 * A page of 1,000 rows has well below 1 MiB, a few where its labels are long addresses. What is far beyond any page is an
 * accident or an attack.
 */
const LARGEST_ANSWER = 8 * 1024 * 1024

/** From so many characters on an answer is read in a thread. A page of 1,000 rows is far below. */
const LARGE = 1_000_000

export type ServiceClient = ReturnType<typeof createServiceClient>

/** The client of one account. */
export function createServiceClient(options: ClientOptions) {
  const clock = options.clock ?? systemClock
  const running = new Set<AbortController>()
  let closed = false
  const random = options.random ?? Math.random
  const limiter = options.limiter ?? new RequestLimiter(CONCURRENCY)
  /** It also says whose requests these are, to the limiter. */
  const rest = new Rest({ clock, random, wake: limiter.wake, resting: (until) => options.resting?.(until) })
  let transport: Promise<Transport> | undefined

  /**
   * Asks one endpoint (specification: endpoints).
   * @throws ServiceFailure for everything that goes wrong between here and the service; what `token` itself rejects
   * with is passed on
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
    const receivedAt = clock.now() as Instant
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
    /** Breaks off what still runs (it fails as `cancelled`) and closes all connections. */
    close: async (): Promise<void> => {
      closed = true
      rest.close()
      for (const ending of running) ending.abort()
      await (await transport)?.close()
    },
  }
}

/** TLS, undici and all that carries requests are loaded with the first of them: a start has better things to do. */
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

/** Reads an answer; in a thread where it is large, and there is one. @throws ServiceFailure as `readAnswer` does */
async function readWhere<P extends EndpointPath>(
  large: ClientOptions['large'],
  answer: HttpAnswer,
  circumstances: Parameters<typeof readAnswer<P>>[1],
  note: Note,
): Promise<ReadAnswer<P>> {
  const inThread = large && isSuccess(answer.status) && answer.text.length > LARGE
  return await (inThread ? large.read(answer, circumstances, note) : readAnswer(answer, circumstances, note))
}
