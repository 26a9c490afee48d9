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
import type { ResponseBody, Headers, Source } from './socket-body.ts'
import { checkDownloadAddress, guardedLookup } from './address-scope.ts'
import type { LookUp, AddressScope } from './address-scope.ts'
import net, { isIP } from 'node:net'
import tls from 'node:tls'
import type { SecureContext } from 'node:tls'

/** Timeouts of a download in milliseconds. */
export type FetchTimeouts = {
  /** For the connection. */
  readonly connect: number
  /** For the start of the response. */
  readonly firstByte: number
  /** For the body, while the app is ready to read: no bytes, or less than 1 kB/s (BodyDeadline, in socket-body.ts). */
  readonly idle: number
}

const plainFetchTimeouts: FetchTimeouts = { connect: 15_000, firstByte: 60_000, idle: 60_000 }

export type FetcherOptions = {
  /** Electron's `session.resolveProxy`; not called for loopback addresses. */
  readonly resolveProxy: (url: string) => Promise<string>
  /** Proxy credentials; by default none. */
  readonly proxyAccess?: ProxyAccess
  readonly timeouts?: FetchTimeouts
  readonly certificates?: Certificates
  /** Defaults to the system's DNS lookup. */
  readonly lookUp?: LookUp
  /** Maximum number of redirects; defaults to 5. */
  readonly maxRedirects?: number
}

/** A response with an unread body. The receiver must read or destroy the body. */
export type UnreadResponse = {
  readonly status: number
  readonly headers: Headers
  readonly body: ResponseBody
  /** Host of the final response. */
  readonly host: string
}

export type Fetcher = {
  /**
   * Sends a GET request without token, cookies or referrer. Follows redirects after checking each address.
   * @param allowed nearest scope that an address may have
   * @throws DeskFailure if an address is refused; otherwise network errors with a code
   */
  readonly get: (
    url: string,
    headers: Readonly<Record<string, string>>,
    allowed: AddressScope,
    signal: AbortSignal,
  ) => Promise<UnreadResponse>
}

const usualRedirects = 5
const REDIRECTS = [301, 302, 303, 307, 308]

const plainHeaders = {
  accept: 'application/zip, application/octet-stream, */*;q=0.5',
  'accept-encoding': 'identity',
  connection: 'close',
  'user-agent': 'traffic-desk',
}

/** Whether any part of the connection uses TLS. */
const isEncrypted = (url: URL, route: Route) => url.protocol === 'https:' || route.kind === 'proxy'

/**
 * Creates a fetcher that opens a new connection per archive. Direct connections with simple responses are read from the
 * socket (SocketBody); undici, used otherwise, takes 1.6 times the CPU time.
 */
export function createFetcher(options: FetcherOptions): Fetcher {
  const { timeouts = plainFetchTimeouts, maxRedirects = usualRedirects } = options
  let context: ReturnType<typeof secureContext> | undefined

  async function send(request: GetRequest): Promise<Answer> {
    const routes = await withTimeout(timeToConnect(timeouts.connect, request.signal), () =>
      routesTo(request.url, options.resolveProxy),
    )
    for (const [index, route] of routes.entries()) {
      try {
        return await sendAlong(route, request)
      } catch (error) {
        if (!failedToConnect(error) || index + 1 === routes.length) throw error
      }
    }
    throw new RangeError('A request needs a route')
  }

  async function sendAlong(route: Route, request: GetRequest): Promise<Answer> {
    const { url, allowed } = request
    if (isEncrypted(url, route)) context ??= secureContext(options.certificates ?? systemCertificates)
    const made = (await context) ?? createSecureContext()
    const deadlines = new Deadlines(request.signal)
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
    const headers = { host: url.host, ...plainHeaders, ...request.headers }
    const sent = { url, headers, signal }
    try {
      if (route.kind === 'direct') {
        const fromSocket = new SocketBody(timeouts.idle)
        const socket = await opened(fromSocket.onread)
        const head = await deadlines
          .race(fromSocket.ask(socket, requestText(url, headers)))
          .catch((error: unknown) => {
            socket.destroy()
            throw error
          })
        // The body of an error or redirect is not read, so its length is irrelevant.
        if (head.length !== null || head.status >= 300) return { ...head, body: fromSocket }
        return await streamed(fromSocket.stream(), sent, timeouts.idle, fromSocket)
      }
      return await streamed(await opened(), sent, timeouts.idle)
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
        checkDownloadAddress(url, allowed)
        const answer = await send({ url, headers, allowed, signal })
        if (!REDIRECTS.includes(answer.status)) return { ...answer, host: url.host }
        answer.body.destroy()
        url = redirectedTo(header(answer.headers, 'location'), url)
      }
      throw refused('The download address redirects without end.')
    },
  }
}

type Answer = Omit<UnreadResponse, 'host'>

type GetRequest = {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly allowed: AddressScope
  readonly signal: AbortSignal
}

const pathOf = (url: URL) => `${url.pathname}${url.search}`

function requestText(url: URL, headers: Readonly<Record<string, string>>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  const text = [`GET ${pathOf(url)} HTTP/1.1`, ...lines]
  if (text.some((line) => /[^\t\x20-\x7e\x80-\xff]/.test(line)))
    throw new RangeError('A header breaks its line')
  return `${text.join('\r\n')}\r\n\r\n`
}

/** HTTP client on an established connection. Timeouts are handled by `Deadlines`. */
const clientOver = (connection: Socket, origin: string): Client =>
  new Client(origin, {
    // The client must return before it receives the connection.
    connect: (_, done) =>
      queueMicrotask(() => (connection.destroyed ? done(lost(), null) : done(null, connection))),
    ...{ headersTimeout: 0, bodyTimeout: 0 },
  })

/**
 * Buffer limit in undici in bytes, above anything that arrives after the source is paused. Disables undici's
 * backpressure.
 */
const NOT_HELD = 1024 ** 3

/**
 * Reads a response with undici.
 * @param idle timeout of the body in milliseconds
 * @param source paused instead of undici's stream: undici crashes the process if the peer disconnects meanwhile (its
 * issue 5360)
 */
async function streamed(
  connection: Socket,
  { url, headers, signal }: Omit<GetRequest, 'allowed'>,
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

/**
 * Finds the proxy routes. The resolver may run a script from the network, so it receives only the origin: the address
 * is signed.
 */
async function routesTo(url: URL, resolveProxy: FetcherOptions['resolveProxy']): Promise<readonly Route[]> {
  if (isLoopback(url.hostname)) return [direct]
  return routesOf(await resolveProxy(`${url.origin}/`).catch(() => 'DIRECT'))
}

type Connecting = {
  readonly url: URL
  readonly route: Route
  readonly proxyAccess: ProxyAccess
  /** TLS context; required if the address or the proxy uses https. */
  readonly context: SecureContext
  /** DNS lookup of direct connections. */
  readonly lookup: LookupFunction
  /** Buffer of a direct connection that is not read as a stream. */
  readonly onread?: OnReadOpts
  readonly signal: AbortSignal
}

/**
 * Connects to the host of an address, with TLS if required.
 *
 * @throws network errors; ProxyRefusal, which `networkFailure` recognises; NeverSent if the proxy requires credentials
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
    // An IP address is not a valid server name in TLS.
    ...(isIP(host) === 0 && { servername: host }),
    secureContext: context,
    // Explicit, because the default depends on NODE_TLS_REJECT_UNAUTHORIZED.
    rejectUnauthorized: true,
    ALPNProtocols: ['http/1.1'],
  })
  return established(socket, 'secureConnect', signal)
}

/** Resolves when a socket is connected. Destroys the socket if the signal is aborted. */
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

/** Opens a tunnel through an HTTP proxy, which learns only the host's name and port. */
async function tunnel(order: Connecting, uri: string): Promise<Socket> {
  const authority = `${order.url.hostname}:${portOf(order.url)}`
  const reply = await askProxy(order.proxyAccess, { uri, authority }, (more) =>
    connectThrough(authority, order, new URL(uri), more),
  )
  if (reply.status === 200) return reply.socket
  reply.drop()
  throw new ProxyRefusal(reply.status)
}

/** Sends one CONNECT request on a new connection. */
async function connectThrough(
  authority: string,
  order: Connecting,
  proxy: URL,
  more: Readonly<Record<string, string>>,
) {
  const { signal } = order
  const socket = await connected(proxy, order, {})
  const { statusCode, headers } = await clientOver(socket, proxy.origin).connect({
    path: authority,
    headers: { host: authority, ...more },
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
