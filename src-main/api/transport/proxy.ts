import { isIP } from 'node:net'
import tls from 'node:tls'
import type { SecureContext } from 'node:tls'
import { Client, Pool, ProxyAgent, buildConnector } from 'undici'
import type { Dispatcher } from 'undici'
import { rpcClient, threadLine } from '#main/workers/rpc-client.ts'
import { placeOfProxy } from '#shared/accounts/account.ts'
import type { ProxyOrigin } from '#shared/accounts/account.ts'
import { DeskFailure, failureOf } from '#shared/api/failure.ts'
import { ServiceFailure, networkFailure } from '../network-failure.ts'
import { ExchangeEnded, plainTimeouts } from './exchange.ts'
import { askProxy, noProxyAccess } from './proxy-access.ts'
import type { ProxyAccess } from './proxy-access.ts'

/** A way to the service. */
export type Route = { readonly kind: 'direct' } | { readonly kind: 'proxy'; readonly uri: string }

export const direct: Route = { kind: 'direct' }

const schemes: Readonly<Record<string, string>> = { PROXY: 'http', HTTP: 'http', HTTPS: 'https' }

type Entry = Route | { readonly kind: 'unusable'; readonly words: string }

function entryOf(text: string): Entry {
  const [type = '', place = ''] = text.split(/\s+/)
  if (type.toUpperCase() === 'DIRECT') return direct
  const scheme = schemes[type.toUpperCase()]
  const uri = `${scheme}://${place}`
  return scheme && place !== '' && URL.canParse(uri)
    ? { kind: 'proxy', uri }
    : { kind: 'unusable', words: text }
}

/**
 * The ways that a proxy resolver names, such as `PROXY proxy.example:3128; DIRECT`, in its order.
 * @throws ServiceFailure where it names none that can be used: SOCKS proxies cannot
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

const REST = 5 * 60_000

/** Remembers proxies that could not be reached, so that the next request begins with one that can. */
export class RestingProxies {
  readonly #until = new Map<string, number>()

  /** Puts the ways whose proxy was not reached lately last. */
  order(routes: readonly Route[], now: number): readonly Route[] {
    const rests = (route: Route) => route.kind === 'proxy' && (this.#until.get(route.uri) ?? 0) > now
    return [...routes.filter((route) => !rests(route)), ...routes.filter(rests)]
  }

  rest(route: Route, now: number): void {
    if (route.kind === 'proxy') this.#until.set(route.uri, now + REST)
  }
}

/** Certificates of all the authorities that are trusted, in PEM; undefined leaves it to the runtime. */
export type Certificates = () => Promise<readonly string[] | undefined>

/**
 * Reads the runtime's own authorities and the operating system's. It runs beside the main thread, because reading
 * some hundred certificates takes longer than anything may hold up a window. It is so small that it answers calls (rpc.ts) itself.
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
    open: () => threadLine(reader, { eval: true }),
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
 * The authorities that this computer trusts, where the runtime can tell (Node 22.15 and newer); read once. Companies
 * whose proxy opens TLS have theirs only in the operating system's store.
 */
export const systemCertificates: Certificates = () => (reading ??= read())

function contextWith(ca: readonly string[] | undefined): SecureContext {
  return tls.createSecureContext({ minVersion: 'TLSv1.2', ...(ca && { ca: [...ca] }) })
}

/** What TLS connections are made with; made once for all of a client's. */
export async function secureContext(certificates: Certificates): Promise<SecureContext> {
  const trusted = await certificates()
  try {
    return contextWith(trusted)
  } catch {
    // One unreadable certificate in the system's store must not keep everybody from every service.
    return contextWith(undefined)
  }
}

type ProxyProbe = {
  readonly proxy: ProxyOrigin
  /** What the proxy is asked to connect to, such as `reports.example:443`; nothing is sent there. */
  readonly place: string
  readonly authorization: string
  readonly certificates?: Certificates
}

/**
 * Asks a proxy once whether it lets somebody through, and lets go of the connection.
 * @returns the status of its answer
 * @throws ServiceFailure where none comes
 */
export async function probeProxy({ proxy, place, authorization, certificates }: ProxyProbe): Promise<number> {
  const secured = proxy.startsWith('https:') && {
    secureContext: await secureContext(certificates ?? systemCertificates),
  }
  const timeout = plainTimeouts.connect
  // Said here: what is not said is decided by NODE_TLS_REJECT_UNAUTHORIZED.
  const connect = buildConnector({ timeout, rejectUnauthorized: true, ...secured })
  const host = new URL(proxy).hostname.replace(/^\[|\]$/g, '')
  // Else it would be the name of the place. An address is no name that a server could be asked for.
  const servername = isIP(host) === 0 ? host : ''
  const client = new Client(proxy, { connect: (to, done) => connect({ ...to, servername }, done) })
  const ending = new AbortController()
  const timer = setTimeout(() => ending.abort(new ExchangeEnded('first-byte', timeout / 1000)), timeout)
  try {
    const headers = { host: place, 'proxy-authorization': authorization }
    const { statusCode, socket } = await client.connect({ path: place, headers, signal: ending.signal })
    socket.on('error', () => undefined).destroy()
    return statusCode
  } catch (error) {
    throw networkFailure(error, `the proxy ${placeOfProxy(proxy)}`)
  } finally {
    clearTimeout(timer)
    await client.destroy()
  }
}

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
