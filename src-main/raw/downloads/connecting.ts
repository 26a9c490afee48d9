import http from 'node:http'
import net, { isIP } from 'node:net'
import type { LookupFunction, OnReadOpts, Socket } from 'node:net'
import tls from 'node:tls'
import type { SecureContext } from 'node:tls'
import type { Duplex } from 'node:stream'
import type { Route } from '../../service/transport/system.ts'

export type Connecting = {
  readonly url: URL
  readonly route: Route
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
 * @throws what the network fails with; a proxy's refusal in the words that `networkFailure` knows
 */
export async function connect(order: Connecting): Promise<Socket> {
  const { url, route, lookup, onread } = order
  if (route.kind === 'proxy')
    return await encrypted(url, order, { socket: await tunnel(order, new URL(route.uri)) })
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
async function tunnel(order: Connecting, proxy: URL): Promise<Duplex> {
  const { url, signal } = order
  const socket = await connected(proxy, order, {})
  const place = `${url.hostname}:${portOf(url)}`
  const request = http.request({
    createConnection: () => socket,
    method: 'CONNECT',
    path: place,
    headers: { host: place },
    signal,
  })
  return await new Promise((resolve, reject) => {
    const answered = ({ statusCode }: http.IncomingMessage) => {
      if (statusCode === 200) return resolve(socket)
      socket.destroy()
      reject(new ProxyRefusal(statusCode ?? 0))
    }
    request.once('connect', answered)
    request.once('response', answered)
    request.on('error', reject)
    request.end()
  })
}

class ProxyRefusal extends Error {
  readonly code = 'UND_ERR_ABORTED'

  constructor(status: number) {
    super(`Proxy response (${status})`)
  }
}
