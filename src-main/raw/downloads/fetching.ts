import { isLoopback } from '#main/api/token.ts'
import http from 'node:http'
import type { OnReadOpts } from 'node:net'
import type { Duplex } from 'node:stream'
import { createSecureContext } from 'node:tls'
import { DeskFailure } from '#shared/app/desk-failure.ts'
import { direct, routesOf, secureContext, systemCertificates } from '#main/api/transport/system.ts'
import { noProxyAccess } from '#main/api/transport/proxy-access.ts'
import type { ProxyAccess } from '#main/api/transport/proxy-access.ts'
import type { Certificates, Route } from '#main/api/transport/system.ts'
import { failedToConnect } from '#main/api/transport/codes.ts'
import { withTimeout } from '#main/lib/async.ts'
import { Deadlines, timeToConnect } from '#main/api/transport/deadlines.ts'
import { streamedBody } from './receive-body.ts'
import type { Body } from './receive-body.ts'
import { connect } from './connecting.ts'
import { LeanBody } from './lean-body.ts'
import { checkAddress, guardedLookup } from './address-scope.ts'
import type { LookUp, AddressScope } from './address-scope.ts'
import { header } from './resume.ts'
import type { Headers } from './resume.ts'

/** How long a download may keep still, in milliseconds. */
export type FetchTimeouts = {
  /** Until a connection stands. */
  readonly connect: number
  /** Until the answer begins. */
  readonly firstByte: number
  /** While we are ready to take it: for so long nothing may come, or less than 1 kB/s (Pace, in receive-body.ts). */
  readonly idle: number
}

export const plainFetchTimeouts: FetchTimeouts = { connect: 15_000, firstByte: 60_000, idle: 60_000 }

export type FetchOptions = {
  /** Electron's `session.resolveProxy`; never asked for loopback. */
  readonly resolveProxy: (url: string) => Promise<string>
  /** Names and passwords for proxies; left out, no proxy is signed in to. */
  readonly proxyAccess?: ProxyAccess
  readonly timeouts?: FetchTimeouts
  readonly certificates?: Certificates
  /** The system's way to look names up, unless given. */
  readonly lookUp?: LookUp
  /** How often an answer may lead elsewhere; five times where left out. */
  readonly maxRedirects?: number
}

/** An answer whose body has not been read yet; whoever gets it reads or destroys it. */
export type Reply = {
  readonly status: number
  readonly headers: Headers
  readonly body: Body
  /** Who answered in the end. */
  readonly host: string
}

export type Fetcher = {
  /**
   * One plain GET, without token, cookie or referrer; redirects are followed by hand, each address checked first.
   * @param allowed how near to this computer it may lead
   * @throws DeskFailure where an address is refused; otherwise what the network failed with, carrying a code
   */
  readonly get: (
    url: string,
    headers: Readonly<Record<string, string>>,
    allowed: AddressScope,
    signal: AbortSignal,
  ) => Promise<Reply>
}

const usualRedirects = 5
const REDIRECTS = [301, 302, 303, 307, 308]

const plainHeaders = {
  accept: 'application/zip, application/octet-stream, */*;q=0.5',
  'accept-encoding': 'identity',
  connection: 'close',
  'user-agent': 'traffic-desk',
}

/** Whether there is anything to encrypt. */
const isEncrypted = (url: URL, route: Route) => url.protocol === 'https:' || route.kind === 'proxy'

/**
 * Fetches archives, each over a connection of its own: straight from the socket where it is direct and the answer simple,
 * by Node's own HTTP otherwise. Not by undici: a body is held back here while the disk is slow, and undici 7 ends the
 * process where the other side hangs up meanwhile (its issue 5360).
 */
export function createFetcher(options: FetchOptions): Fetcher {
  const { timeouts = plainFetchTimeouts, maxRedirects = usualRedirects } = options
  let context: ReturnType<typeof secureContext> | undefined

  async function send(
    url: URL,
    headers: Readonly<Record<string, string>>,
    allowed: AddressScope,
    signal: AbortSignal,
  ): Promise<Answer> {
    const routes = await withTimeout(timeToConnect(timeouts.connect, signal), () =>
      routesTo(url, options.resolveProxy),
    )
    for (const [index, route] of routes.entries()) {
      try {
        return await sendAlong(route, url, headers, allowed, signal)
      } catch (error) {
        if (!failedToConnect(error) || index + 1 === routes.length) throw error
      }
    }
    throw new RangeError('A request needs a route')
  }

  async function sendAlong(
    route: Route,
    url: URL,
    headers: Readonly<Record<string, string>>,
    allowed: AddressScope,
    outer: AbortSignal,
  ): Promise<Answer> {
    if (isEncrypted(url, route)) context ??= secureContext(options.certificates ?? systemCertificates)
    const made = (await context) ?? createSecureContext()
    const deadlines = new Deadlines(outer)
    const { signal } = deadlines
    const { proxyAccess = noProxyAccess, lookUp } = options
    const order = { url, route, proxyAccess, context: made, lookup: guardedLookup(allowed, lookUp), signal }
    const opened = async (onread?: OnReadOpts) => {
      deadlines.start('first-byte', timeouts.connect)
      const socket = await deadlines.race(connect({ ...order, ...(onread && { onread }) }))
      deadlines.stop('first-byte')
      deadlines.start('first-byte', timeouts.firstByte)
      return socket
    }
    const all = { host: url.host, ...plainHeaders, ...headers }
    try {
      if (route.kind === 'direct') {
        const lean = new LeanBody(timeouts.idle)
        const socket = await opened(lean.onread)
        const head = await deadlines.race(lean.ask(socket, requestText(url, all))).catch((error: unknown) => {
          socket.destroy()
          throw error
        })
        // A body that nobody wants needs no length.
        if (head.length !== null || head.status >= 300) return { ...head, body: lean }
        return await streamed(lean.stream(), url, all, signal, timeouts.idle)
      }
      return await streamed(await opened(), url, all, signal, timeouts.idle)
    } catch (error) {
      throw signal.aborted ? (signal.reason as Error) : error
    } finally {
      deadlines.end()
    }
  }

  return {
    get: async (address, headers, allowed, signal) => {
      let url = new URL(address)
      for (let hops = 0; hops <= maxRedirects; hops += 1) {
        checkAddress(url, allowed)
        const answer = await send(url, headers, allowed, signal)
        if (!REDIRECTS.includes(answer.status)) return { ...answer, host: url.host }
        answer.body.destroy()
        url = redirectedTo(header(answer.headers, 'location'), url)
      }
      throw refused('The service names an address that is passed on from one host to the next without end.')
    },
  }
}

type Answer = Omit<Reply, 'host'>

const pathOf = (url: URL) => `${url.pathname}${url.search}`

function requestText(url: URL, headers: Readonly<Record<string, string>>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  const text = [`GET ${pathOf(url)} HTTP/1.1`, ...lines]
  if (text.some((line) => /[^\t\x20-\x7e\x80-\xff]/.test(line)))
    throw new RangeError('A header breaks its line')
  return `${text.join('\r\n')}\r\n\r\n`
}

/** The answer as Node's own HTTP reads it. @param idle for how long its body may keep still, in milliseconds */
async function streamed(
  connection: Duplex,
  url: URL,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
  idle: number,
): Promise<Answer> {
  const asked = { createConnection: () => connection, path: pathOf(url), headers, signal }
  const response = await answered(http.request(asked))
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    body: streamedBody(response, idle),
  }
}

function answered(request: http.ClientRequest): Promise<http.IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.once('response', resolve)
    request.on('error', reject)
    request.end()
  })
}

const refused = (message: string) => new DeskFailure({ kind: 'malformed', message })

function redirectedTo(location: string | undefined, from: URL): URL {
  if (location === undefined || !URL.canParse(location, from.href)) {
    throw refused(`${from.host} passes the download on to an address that is none.`)
  }
  return new URL(location, from)
}

/** The resolver may run a script from the network. The address carries a signature: it is told the host alone. */
async function routesTo(url: URL, resolveProxy: FetchOptions['resolveProxy']): Promise<readonly Route[]> {
  if (isLoopback(url.hostname)) return [direct]
  return routesOf(await resolveProxy(`${url.origin}/`).catch(() => 'DIRECT'))
}
