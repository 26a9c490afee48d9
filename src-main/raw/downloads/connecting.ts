import http from 'node:http'
import net, { isIP } from 'node:net'
import type { LookupFunction, OnReadOpts, Socket } from 'node:net'
import tls from 'node:tls'
import type { SecureContext } from 'node:tls'
import type { Duplex } from 'node:stream'
import { askProxy } from '#main/api/transport/proxy-access.ts'
import type { ProxyAccess } from '#main/api/transport/proxy-access.ts'
import type { Route } from '#main/api/transport/system.ts'

export type Connecting = {
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
export async function connect(order: Connecting): Promise<Socket> {
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
async function tunnel(order: Connecting, uri: string): Promise<Duplex> {
  const place = `${order.url.hostname}:${portOf(order.url)}`
  const asked = await askProxy(order.proxyAccess, { uri, place }, (more) =>
    askedFor(place, order, new URL(uri), more),
  )
  if (asked.status === 200) return asked.socket
  asked.drop()
  throw new ProxyRefusal(asked.status)
}

/** One CONNECT, over a connection of its own. */
async function askedFor(
  place: string,
  order: Connecting,
  proxy: URL,
  more: Readonly<Record<string, string>>,
) {
  const { signal } = order
  const socket = await connected(proxy, order, {})
  const request = http.request({
    createConnection: () => socket,
    method: 'CONNECT',
    path: place,
    headers: { host: place, ...more },
    signal,
  })
  const { statusCode, headers } = await new Promise<http.IncomingMessage>((resolve, reject) => {
    request.once('connect', resolve)
    request.once('response', resolve)
    request.on('error', reject)
    request.end()
  })
  const challenges = headers['proxy-authenticate']?.toString() ?? ''
  return { socket, status: statusCode ?? 0, challenges, drop: () => void socket.destroy() }
}

class ProxyRefusal extends Error {
  readonly code = 'UND_ERR_ABORTED'

  constructor(status: number) {
    super(`Proxy response (${status})`)
  }
}
