import type { SecureContext } from 'node:tls'
import { Pool, ProxyAgent } from 'undici'
import type { Dispatcher } from 'undici'
import { askProxy, noProxyAccess } from './proxy-access.ts'
import type { ProxyAccess } from './proxy-access.ts'

type ProxyOrder = {
  readonly uri: string
  readonly pipelining: number
  /** How connections are made, to the proxy and through it. */
  readonly connect: {
    readonly timeout: number
    readonly rejectUnauthorized: true
    readonly secureContext?: SecureContext
  }
  /** Left out, the proxy is not signed in to. */
  readonly access: ProxyAccess | undefined
}

/** Connections through a proxy. */
export function proxyDispatcher({
  uri,
  pipelining,
  connect,
  access = noProxyAccess,
}: ProxyOrder): Dispatcher {
  return new ProxyAgent({
    ...{ uri, pipelining, requestTls: connect, proxyTls: connect },
    clientFactory: (origin, options) => proxyClient(origin, options, uri, access),
  })
}

/** A CONNECT as ProxyAgent sends it. */
type Connect = Dispatcher.ConnectOptions & { readonly headers: Readonly<Record<string, string>> }

/** Connections of which `connect` is another. */
class PlainPool extends Pool {
  plainly(order: Connect): Promise<Dispatcher.ConnectData> {
    return super.connect(order)
  }
}

/**
 * The connections to a proxy itself. Name and password are asked for with each CONNECT, so that none of them is kept here and
 * another one holds from the next connection on; the `token` of ProxyAgent would be fixed with the agent.
 */
function proxyClient(origin: URL, options: object, uri: string, access: ProxyAccess): Dispatcher {
  const pool = new PlainPool(origin, options)
  const send = async (order: Connect, more: Readonly<Record<string, string>>) => {
    const { headers } = order
    const data = await pool.plainly({ ...order, headers: { ...headers, ...more } })
    const challenges = String(data.headers['proxy-authenticate'] ?? '')
    const drop = () => void data.socket.on('error', () => undefined).destroy()
    return { data, status: data.statusCode, challenges, drop }
  }
  const connectAs = async (order: Connect) => {
    const place = order.path
    return (await askProxy(access, { uri, place }, (more) => send(order, more))).data
  }
  return Object.assign(pool, { connect: connectAs })
}
