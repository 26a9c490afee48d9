import { isLoopback } from '#main/api/token.ts'
import { Client } from 'undici'
import type { OnReadOpts, LookupFunction, Socket } from 'node:net'
import { createSecureContext } from 'node:tls'
import { DeskFailure } from '#shared/api/failure.ts'
import { direct, routesOf, secureContext, systemCertificates } from '#main/api/transport/proxy.ts'
import { noProxyAccess, askProxy } from '#main/api/transport/proxy-access.ts'
import type { Certificates, Route } from '#main/api/transport/proxy.ts'
import type { ProxyAccess } from '#main/api/transport/proxy-access.ts'
import { failedToConnect, Deadlines, timeToConnect } from '#main/api/transport/exchange.ts'
import { withTimeout } from '#main/lib/async.ts'
import { header, SocketBody, lost, streamedBody } from './socket-body.ts'
import type { Body, Headers, Source } from './socket-body.ts'
import { checkAddress, guardedLookup } from './address-scope.ts'
import type { LookUp, AddressScope } from './address-scope.ts'
import net, { isIP } from 'node:net'
import tls from 'node:tls'
import type { SecureContext } from 'node:tls'

/** How long a download may keep still, in milliseconds. */
export type FetchTimeouts = {
  /** Until a connection stands. */
  readonly connect: number
  /** Until the answer begins. */
  readonly firstByte: number
  /** While we are ready to take it: for so long nothing may come, or less than 1 kB/s (BodyDeadline, in socket-body.ts). */
  readonly idle: number
}

const plainFetchTimeouts: FetchTimeouts = { connect: 15_000, firstByte: 60_000, idle: 60_000 }

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
 * Fetches archives, each over a connection of its own: straight from the socket where it is direct and the answer simple, which
 * undici takes 1.6 times the processor for (SocketBody); by undici otherwise.
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
        const fromSocket = new SocketBody(timeouts.idle)
        const socket = await opened(fromSocket.onread)
        const head = await deadlines
          .race(fromSocket.ask(socket, requestText(url, all)))
          .catch((error: unknown) => {
            socket.destroy()
            throw error
          })
        // A body that nobody wants needs no length.
        if (head.length !== null || head.status >= 300) return { ...head, body: fromSocket }
        return await streamed(fromSocket.stream(), url, all, signal, timeouts.idle, fromSocket)
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
      throw refused('The download address redirects without end.')
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

/** HTTP over a connection that stands. Deadlines are ours. */
const clientOver = (connection: Socket, origin: string): Client =>
  new Client(origin, {
    // It begins once it has been told, not while it asks.
    connect: (_, done) =>
      queueMicrotask(() => (connection.destroyed ? done(lost(), null) : done(null, connection))),
    ...{ headersTimeout: 0, bodyTimeout: 0 },
  })

/** So much of an answer is not held back in undici, in bytes: more than ever comes after its source was paused. */
const NOT_HELD = 1024 ** 3

/**
 * The answer as undici reads it.
 * @param idle for how long its body may keep still, in milliseconds
 * @param source held back in place of undici, which ends the process if the other side hangs up meanwhile (its issue 5360)
 */
async function streamed(
  connection: Socket,
  url: URL,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
  idle: number,
  source?: Source,
): Promise<Answer> {
  const client = clientOver(connection, url.origin)
  try {
    const sent = { method: 'GET', path: pathOf(url), headers, signal } as const
    const response = await client.request(source ? { ...sent, highWaterMark: NOT_HELD } : sent)
    source?.pause()
    return {
      status: response.statusCode,
      headers: response.headers,
      body: streamedBody(response.body, idle, source),
    }
  } catch (error) {
    connection.destroy()
    throw error
  }
}

const refused = (message: string) => new DeskFailure({ kind: 'malformed', message })

function redirectedTo(location: string | undefined, from: URL): URL {
  if (location === undefined || !URL.canParse(location, from.href)) {
    throw refused(`${from.host} redirects the download to an invalid address.`)
  }
  return new URL(location, from)
}

/** The resolver may run a script from the network. The address carries a signature: it is told the host alone. */
async function routesTo(url: URL, resolveProxy: FetchOptions['resolveProxy']): Promise<readonly Route[]> {
  if (isLoopback(url.hostname)) return [direct]
  return routesOf(await resolveProxy(`${url.origin}/`).catch(() => 'DIRECT'))
}

type Connecting = {
  readonly url: URL
  readonly route: Route
  /** Names and passwords for proxies. */
  readonly proxyAccess: ProxyAccess
  /** What TLS is made with; needed where the address or the proxy begins with https. */
  readonly context: SecureContext
  /** Finds the addresses of a host that is connected to directly. */
  readonly lookup: LookupFunction
  /** How a direct connection reads, where it is not as a stream. */
  readonly onread?: OnReadOpts
  readonly signal: AbortSignal
}

/**
 * A connection to the host of an address, encrypted where it says so.
 *
 * @throws what the network fails with; a proxy's refusal in the words that `networkFailure` knows; NeverSent where the proxy wants
 * to know who asks
 */
async function connect(order: Connecting): Promise<Socket> {
  const { url, route, lookup, onread } = order
  if (route.kind === 'proxy') return await encrypted(url, order, { socket: await tunnel(order, route.uri) })
  return await connected(url, order, { lookup, ...(onread && { onread }) })
}

type Circumstances = Pick<Connecting, 'context' | 'signal'>

const hostOf = ({ hostname }: URL) => hostname.replace(/^\[|\]$/g, '')
const portOf = ({ port, protocol }: URL) => Number(port || (protocol === 'https:' ? 443 : 80))

function connected(
  url: URL,
  order: Circumstances,
  options: Pick<tls.ConnectionOptions, 'lookup'> & { readonly onread?: OnReadOpts },
): Promise<Socket> {
  const way = { port: portOf(url), ...options }
  if (url.protocol === 'https:') return encrypted(url, order, way)
  return established(net.connect({ host: hostOf(url), ...way }), 'connect', order.signal)
}

function encrypted(
  url: URL,
  { context, signal }: Circumstances,
  way: tls.ConnectionOptions,
): Promise<Socket> {
  const host = hostOf(url)
  const socket = tls.connect({
    ...way,
    host,
    // An address is no name that a server could be asked for.
    ...(isIP(host) === 0 && { servername: host }),
    secureContext: context,
    // Said here: what is not said is decided by NODE_TLS_REJECT_UNAUTHORIZED.
    rejectUnauthorized: true,
    ALPNProtocols: ['http/1.1'],
  })
  return established(socket, 'secureConnect', signal)
}

/** Resolves when a socket is ready; one that nobody waits for any more is destroyed. */
function established<S extends Socket>(
  socket: S,
  event: 'connect' | 'secureConnect',
  signal: AbortSignal,
): Promise<S> {
  return new Promise((resolve, reject) => {
    const stop = () => socket.destroy(signal.reason as Error)
    const over = () => {
      signal.removeEventListener('abort', stop)
      socket.off('error', fail)
    }
    const fail = (error: Error) => {
      over()
      socket.on('error', () => undefined)
      socket.destroy()
      reject(error)
    }
    socket.once('error', fail)
    socket.once(event, () => {
      over()
      resolve(socket)
    })
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
  })
}

/** A way through an HTTP proxy, which sees the host's name and nothing else. */
async function tunnel(order: Connecting, uri: string): Promise<Socket> {
  const place = `${order.url.hostname}:${portOf(order.url)}`
  const reply = await askProxy(order.proxyAccess, { uri, place }, (more) =>
    connectThrough(place, order, new URL(uri), more),
  )
  if (reply.status === 200) return reply.socket
  reply.drop()
  throw new ProxyRefusal(reply.status)
}

/** One CONNECT, over a connection of its own. */
async function connectThrough(
  place: string,
  order: Connecting,
  proxy: URL,
  more: Readonly<Record<string, string>>,
) {
  const { signal } = order
  const socket = await connected(proxy, order, {})
  const { statusCode, headers } = await clientOver(socket, proxy.origin).connect({
    path: place,
    headers: { host: place, ...more },
    signal,
  })
  const challenges = headers['proxy-authenticate']?.toString() ?? ''
  return { socket, status: statusCode, challenges, drop: () => void socket.destroy() }
}

class ProxyRefusal extends Error {
  readonly code = 'UND_ERR_ABORTED'

  constructor(status: number) {
    super(`Proxy response (${status})`)
  }
}
