import { isLoopback } from '../token.ts'
import type { SecureContext } from 'node:tls'
import { Agent } from 'undici'
import type { Dispatcher } from 'undici'
import type { BodyEncoding } from '#shared/accounts/account.ts'
import { endpointEntry } from '#shared/api/endpoints.ts'
import type { EndpointPath } from '#shared/api/endpoints.ts'
import { writeBody } from '../body.ts'
import { NeverSent } from '../network-failure.ts'
import type { ServiceFailure } from '../network-failure.ts'
import type { AccessToken } from '../token.ts'
import type { Certificates, Route } from './proxy.ts'
import type { ProxyAccess } from './proxy-access.ts'
import { systemCertificates, secureContext, RestingProxies, direct, routesOf } from './proxy.ts'
import { failedToConnect, Deadlines, ExchangeEnded, exchange } from './exchange.ts'
import type { Timeouts, HttpAnswer } from './exchange.ts'

type TransportOptions = {
  readonly resolveProxy: (url: string) => Promise<string>
  /** If omitted, the client does not sign in to proxies. */
  readonly proxyAccess?: ProxyAccess
  readonly timeouts: Timeouts
  readonly largest: number
  /** Defaults to the system's certificates. */
  readonly certificates?: Certificates
  readonly now: () => number
}

type Request = {
  readonly path: EndpointPath
  readonly url: URL
  readonly given: Readonly<Record<string, unknown>>
  readonly encoding: BodyEncoding
  readonly token: AccessToken
  readonly signal: AbortSignal
}

function proxyIsAway(uri: string): ServiceFailure {
  return new NeverSent({
    kind: 'offline',
    message:
      `This computer's proxy, ${new URL(uri).host}, refused the connection. ` +
      "Check the network, and the proxy in the system's settings.",
  })
}

function proxyIsUnknown(seconds: number): ServiceFailure {
  return new NeverSent({
    kind: 'timed-out',
    message:
      `Finding this computer's proxy took longer than ${seconds} s. ` +
      "Check the network, and the proxy in the system's settings.",
  })
}

/** Sends requests along the routes of the system's proxy settings, without retries. */
export class Transport {
  readonly #options: TransportOptions
  readonly #dispatchers: Dispatchers
  readonly #resting = new RestingProxies()

  constructor(options: TransportOptions) {
    this.#options = options
    const { timeouts, certificates = systemCertificates, proxyAccess } = options
    this.#dispatchers = new Dispatchers(timeouts.connect, certificates, proxyAccess)
  }

  /**
   * Sends a request and returns the response, whatever its status.
   * @throws ServiceFailure if no route is usable; otherwise errors of `exchange`
   */
  async send(request: Request): Promise<HttpAnswer> {
    const routes = this.#resting.order(await this.#routes(request), this.#options.now())
    for (const [index, route] of routes.entries()) {
      try {
        return await this.#sendAlong(route, request)
      } catch (error) {
        if (!failedToConnect(error)) throw error
        this.#resting.rest(route, this.#options.now())
        const another = index + 1 < routes.length && endpointEntry(request.path).repeatable
        if (!another) throw route.kind === 'proxy' ? proxyIsAway(route.uri) : error
      }
    }
    throw new RangeError('A request needs a route')
  }

  /**
   * Resolves the routes of a request. The resolver may run a script from the network, so the connect timeout and cancellation
   * apply.
   */
  async #routes({ url, signal }: Request): Promise<readonly Route[]> {
    if (isLoopback(url.hostname)) return [direct]
    const { resolveProxy, timeouts } = this.#options
    const deadlines = new Deadlines(signal)
    try {
      deadlines.start('first-byte', timeouts.connect)
      return routesOf(await deadlines.race(resolveProxy(url.href).catch(() => 'DIRECT')))
    } catch (error) {
      throw error instanceof ExchangeEnded && error.by === 'first-byte' ? proxyIsUnknown(error.amount) : error
    } finally {
      deadlines.end()
    }
  }

  async #sendAlong(route: Route, request: Request): Promise<HttpAnswer> {
    const { path, url, given, encoding, token, signal } = request
    const use = endpointEntry(path).repeatable ? 'keep-alive' : 'fresh'
    return exchange({
      dispatcher: await this.#dispatchers.along(route, use, url.protocol === 'https:'),
      url,
      body: writeBody(encoding, path, given, token, url),
      signal,
      timeouts: this.#options.timeouts,
      largest: this.#options.largest,
    })
  }

  close(): Promise<void> {
    return this.#dispatchers.close()
  }
}

/** Whether connections are kept alive. */
type ConnectionUse = 'keep-alive' | 'fresh'

/**
 * Connections of one account, one dispatcher per route. The module is loaded with the first request, because loading undici
 * slows down the start.
 */
class Dispatchers {
  readonly #dispatchers = new Map<string, Promise<Dispatcher>>()
  readonly #connectTimeout: number
  readonly #certificates: Certificates
  readonly #proxyAccess: ProxyAccess | undefined
  #context: Promise<SecureContext> | undefined

  constructor(connectTimeout: number, certificates: Certificates, proxyAccess: ProxyAccess | undefined) {
    this.#connectTimeout = connectTimeout
    this.#certificates = certificates
    this.#proxyAccess = proxyAccess
  }

  /**
   * Returns the dispatcher for a route. `fresh` connections are never reused. Otherwise a request that must not repeat may be
   * lost on a connection that the server just closed.
   */
  along(route: Route, use: ConnectionUse, encrypted: boolean): Promise<Dispatcher> {
    const key = `${use} ${encrypted} ${route.kind === 'proxy' ? route.uri : 'direct'}`
    const made = this.#dispatchers.get(key) ?? this.#make(route, use, encrypted)
    this.#dispatchers.set(key, made)
    return made
  }

  async #make(route: Route, use: ConnectionUse, encrypted: boolean): Promise<Dispatcher> {
    const pipelining = use === 'keep-alive' ? 1 : 0
    const timeout = this.#connectTimeout
    if (encrypted || route.kind === 'proxy') this.#context ??= secureContext(this.#certificates)
    const context = await this.#context
    // Explicit, because the default depends on NODE_TLS_REJECT_UNAUTHORIZED.
    const connect = { timeout, rejectUnauthorized: true as const, ...(context && { secureContext: context }) }
    if (route.kind === 'direct') return new Agent({ pipelining, connect })
    // Loaded with the first proxy.
    const { proxyDispatcher } = await import('./proxy.ts')
    return proxyDispatcher({ uri: route.uri, pipelining, connect, access: this.#proxyAccess })
  }

  /** Destroys all connections. */
  async close(): Promise<void> {
    const made = await Promise.all(this.#dispatchers.values())
    this.#dispatchers.clear()
    await Promise.all(made.map((dispatcher) => dispatcher.destroy()))
  }
}
