import tls from 'node:tls'
import type { SecureContext } from 'node:tls'
import { DeskFailure, failureOf } from '#shared/api/failure.ts'
import { rpcClient, threadLine } from '#main/workers/rpc-client.ts'
import { ServiceFailure } from '../network-failure.ts'

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
      `This computer is set to reach the service through a proxy that Traffic Desk cannot use (${unusable.words}). ` +
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
