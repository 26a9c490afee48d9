import type { SecureContext } from 'node:tls'
import type { Dispatcher } from 'undici'
import { secureContext } from './certificates.ts'
import type { Certificates } from './certificates.ts'
import type { Route } from './proxies.ts'

/** How connections are used: kept for the next request, or made anew for each. */
export type Keeping = 'kept' | 'fresh'

/**
 * The connections of one account, a set for each way to its service. undici is loaded with the first request, not at
 * start-up.
 */
export class Dispatchers {
  readonly #made = new Map<string, Promise<Dispatcher>>()
  readonly #connectTimeout: number
  readonly #certificates: Certificates
  #context: Promise<SecureContext> | undefined

  constructor(connectTimeout: number, certificates: Certificates) {
    this.#connectTimeout = connectTimeout
    this.#certificates = certificates
  }

  /**
   * Connections along a route. `fresh` ones are never reused, so that a request that must not be sent twice is not lost
   * on a connection which the other side has just closed.
   */
  along(route: Route, keeping: Keeping, encrypted: boolean): Promise<Dispatcher> {
    const key = `${keeping} ${encrypted} ${route.kind === 'proxy' ? route.uri : 'direct'}`
    const made = this.#made.get(key) ?? this.#make(route, keeping, encrypted)
    this.#made.set(key, made)
    return made
  }

  async #make(route: Route, keeping: Keeping, encrypted: boolean): Promise<Dispatcher> {
    const { Agent, ProxyAgent } = await import('./connections.ts')
    const pipelining = keeping === 'kept' ? 1 : 0
    const timeout = this.#connectTimeout
    if (encrypted || route.kind === 'proxy') this.#context ??= secureContext(this.#certificates)
    const context = await this.#context
    // Said here: what is not said is decided by NODE_TLS_REJECT_UNAUTHORIZED.
    const connect = { timeout, rejectUnauthorized: true, ...(context && { secureContext: context }) }
    return route.kind === 'direct'
      ? new Agent({ pipelining, connect })
      : new ProxyAgent({ uri: route.uri, pipelining, requestTls: connect, proxyTls: connect })
  }

  /** Breaks every connection. */
  async close(): Promise<void> {
    const made = await Promise.all(this.#made.values())
    this.#made.clear()
    await Promise.all(made.map((dispatcher) => dispatcher.destroy()))
  }
}
