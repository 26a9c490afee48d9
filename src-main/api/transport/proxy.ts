import { isIP } from 'node:net'
import tls from 'node:tls'
import type { SecureContext } from 'node:tls'
import { Client, Pool, ProxyAgent, buildConnector } from 'undici'
import type { Dispatcher } from 'undici'
import { pauseAfter } from '#main/lib/retry.ts'
import { rpcClient, threadChannel } from '#main/workers/rpc-client.ts'
import { proxyAuthority } from '#shared/accounts/account.ts'
import type { ProxyOrigin } from '#shared/accounts/account.ts'
import { DeskFailure, failureOf } from '#shared/api/failure.ts'
import { ServiceFailure, networkFailure } from '../network-failure.ts'
import { ExchangeEnded, plainTimeouts } from './exchange.ts'
import { askProxy, noProxyAccess } from './proxy-access.ts'
import type { ProxyAccess } from './proxy-access.ts'

export type Route = { readonly kind: 'direct' } | { readonly kind: 'proxy'; readonly uri: string }

export const direct: Route = { kind: 'direct' }

const schemes: Readonly<Record<string, string>> = { PROXY: 'http', HTTP: 'http', HTTPS: 'https' }

type Entry = Route | { readonly kind: 'unusable'; readonly words: string }

function entryOf(text: string): Entry {
  const [type = '', authority = ''] = text.split(/\s+/)
  if (type.toUpperCase() === 'DIRECT') return direct
  const scheme = schemes[type.toUpperCase()]
  const uri = `${scheme}://${authority}`
  return scheme && authority !== '' && URL.canParse(uri)
    ? { kind: 'proxy', uri }
    : { kind: 'unusable', words: text }
}

/**
 * Parses the result of a proxy resolver, such as `PROXY proxy.example:3128; DIRECT`, in the same order.
 * @throws ServiceFailure if every entry is unsupported, such as a SOCKS proxy
 */
export function routesOf(resolved: string): readonly Route[] {
  const texts = resolved
    .split(';')
    .map((text) => text.trim())
    .filter((text) => text !== '')
  const entries = texts.map(entryOf)
  const routes = entries.filter((entry) => entry.kind !== 'unusable')
  const [unusable] = entries.filter((entry) => entry.kind === 'unusable')
  if (routes.length > 0 || !unusable) return routes.length > 0 ? routes : [direct]
  throw new ServiceFailure({
    kind: 'server-trouble',
    message:
      `This computer uses a proxy that Traffic Desk doesn't support (${unusable.words}). ` +
      "Set an HTTP or HTTPS proxy in the system's network settings.",
  })
}

/** Remembers unreachable proxies, so that the next request starts with another route. */
export class RestingProxies {
  readonly #until = new Map<string, number>()

  /** Moves routes with a recently unreachable proxy to the end. */
  order(routes: readonly Route[], now: number): readonly Route[] {
    const rests = (route: Route) => route.kind === 'proxy' && (this.#until.get(route.uri) ?? 0) > now
    return [...routes.filter((route) => !rests(route)), ...routes.filter(rests)]
  }

  rest(route: Route, now: number): void {
    if (route.kind === 'proxy') this.#until.set(route.uri, now + pauseAfter('proxy', 1))
  }
}

/** Returns all trusted CA certificates in PEM; undefined: Node.js uses its defaults. */
export type Certificates = () => Promise<readonly string[] | undefined>

/**
 * Source of a thread that reads the CA certificates of Node.js and of the operating system. Reading hundreds of certificates
 * would block the window. The script is small enough to implement the protocol of rpc.ts itself.
 */
const reader = `
  const { parentPort } = require('node:worker_threads')
  const { getCACertificates } = require('node:tls')
  const read = () => {
    const own = new Set(getCACertificates('default'))
    const all = new Set([...own, ...getCACertificates('system')])
    return all.size > own.size ? [...all] : undefined
  }
  parentPort.on('message', ({ kind, id }) => {
    if (kind === 'call') parentPort.postMessage({ kind: 'done', id, result: read() })
    else parentPort.close()
  })
`

type ReaderCalls = { readonly read: (argument: null) => readonly string[] | undefined }

async function read(): Promise<readonly string[] | undefined> {
  const known: typeof tls.getCACertificates | undefined = tls.getCACertificates
  if (known === undefined) return undefined
  const gone = (cause: unknown) => new DeskFailure(failureOf(cause), { cause })
  const client = rpcClient<ReaderCalls>({
    open: () => threadChannel(reader, { eval: true }),
    gone,
    closed: () => gone(null),
  })
  try {
    return await client.call('read', null)
  } catch {
    return undefined
  } finally {
    void client.close()
  }
}

let reading: Promise<readonly string[] | undefined> | undefined

/**
 * CA certificates that this computer trusts (Node.js 22.15 and newer); read once. The CA of a company's intercepting proxy is
 * only in the operating system's store.
 */
export const systemCertificates: Certificates = () => (reading ??= read())

function contextWith(ca: readonly string[] | undefined): SecureContext {
  return tls.createSecureContext({ minVersion: 'TLSv1.2', ...(ca && { ca: [...ca] }) })
}

/** Creates the TLS context, shared by all connections of a client. */
export async function secureContext(certificates: Certificates): Promise<SecureContext> {
  const trusted = await certificates()
  try {
    return contextWith(trusted)
  } catch {
    // An unreadable certificate in the system's store must not block all services.
    return contextWith(undefined)
  }
}

type ProxyProbe = {
  readonly proxy: ProxyOrigin
  /** Target of the CONNECT, such as `reports.example:443`. Nothing is sent to the target. */
  readonly authority: string
  readonly authorization: string
  readonly certificates?: Certificates
}

/**
 * Sends one CONNECT to a proxy to check credentials, then closes the connection.
 * @returns the status of the response
 * @throws ServiceFailure if there is no response
 */
export async function probeProxy({
  proxy,
  authority,
  authorization,
  certificates,
}: ProxyProbe): Promise<number> {
  const secured = proxy.startsWith('https:') && {
    secureContext: await secureContext(certificates ?? systemCertificates),
  }
  const timeout = plainTimeouts.connect
  // Explicit, because the default depends on NODE_TLS_REJECT_UNAUTHORIZED.
  const connect = buildConnector({ timeout, rejectUnauthorized: true, ...secured })
  const host = new URL(proxy).hostname.replace(/^\[|\]$/g, '')
  // The default would be the name of the target. An IP address is not a valid server name.
  const servername = isIP(host) === 0 ? host : ''
  const client = new Client(proxy, { connect: (to, done) => connect({ ...to, servername }, done) })
  const ending = new AbortController()
  const timer = setTimeout(() => ending.abort(new ExchangeEnded('first-byte', timeout / 1000)), timeout)
  try {
    const headers = { host: authority, 'proxy-authorization': authorization }
    const { statusCode, socket } = await client.connect({ path: authority, headers, signal: ending.signal })
    socket.on('error', () => undefined).destroy()
    return statusCode
  } catch (error) {
    throw networkFailure(error, `the proxy ${proxyAuthority(proxy)}`)
  } finally {
    clearTimeout(timer)
    await client.destroy()
  }
}

type ProxyOrder = {
  readonly uri: string
  readonly pipelining: number
  /** Options of connections to the proxy and through the proxy. */
  readonly connect: {
    readonly timeout: number
    readonly rejectUnauthorized: true
    readonly secureContext?: SecureContext
  }
  /** If undefined, the client does not sign in to the proxy. */
  readonly access: ProxyAccess | undefined
  /** Creates the client of an origin behind the proxy; defaults to undici's. */
  readonly clientOver?: (origin: string | URL, connector: buildConnector.connector) => Dispatcher
}

/** Creates a dispatcher for connections through a proxy. */
export function proxyDispatcher({
  uri,
  pipelining,
  connect,
  access = noProxyAccess,
  clientOver,
}: ProxyOrder): Dispatcher {
  return new ProxyAgent({
    ...{ uri, pipelining, requestTls: connect, proxyTls: connect },
    clientFactory: (origin, options) => proxyClient(origin, options, uri, access),
    ...(clientOver && { factory: (origin, options) => clientOver(origin, (options as ByProxy).connect) }),
  })
}

/** Options that ProxyAgent gives to the clients behind the proxy; undici types them as an object. */
type ByProxy = { readonly connect: buildConnector.connector }

type Connect = Dispatcher.ConnectOptions & { readonly headers: Readonly<Record<string, string>> }

/** A pool whose original `connect` remains callable after `connect` is replaced. */
class PlainPool extends Pool {
  plainly(order: Connect): Promise<Dispatcher.ConnectData> {
    return super.connect(order)
  }
}

/**
 * Creates the pool of connections to a proxy. Credentials are fetched for each CONNECT, so that new credentials apply from the
 * next connection on. The `token` option of ProxyAgent would be fixed.
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
    const authority = order.path
    return (await askProxy(access, { uri, authority }, (more) => send(order, more))).data
  }
  return Object.assign(pool, { connect: connectAs })
}
