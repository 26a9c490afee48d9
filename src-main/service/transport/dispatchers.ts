import type { SecureContext } from 'node:tls'
import connect from 'undici/lib/api/api-connect.js'
import request from 'undici/lib/api/api-request.js'
import Agent from 'undici/lib/dispatcher/agent.js'
import Dispatcher from 'undici/lib/dispatcher/dispatcher.js'
import ProxyAgent from 'undici/lib/dispatcher/proxy-agent.js'
import { secureContext } from './certificates.ts'
import type { Certificates } from './certificates.ts'
import type { Route } from './proxies.ts'

/**
 * What of undici is used here, and nothing else: all of it is a megabyte of source, which stays in memory for as long as
 * the app runs. Its own entry does the same with these two, and with what we never call.
 */
Object.assign(Dispatcher.prototype, { request, connect })

/** How connections are used: kept for the next request, or made anew for each. */
export type Keeping = 'kept' | 'fresh'

/**
 * The connections of one account, a set for each way to its service. This module is loaded with the first request, so that
 * undici does not hold up the start.
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
    const pipelining = keeping === 'kept' ? 1 : 0
    const timeout = this.#connectTimeout
    if (encrypted || route.kind === 'proxy') this.#context ??= secureContext(this.#certificates)
    const context = await this.#context
    const connect = { timeout, ...(context && { secureContext: context }) }
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
