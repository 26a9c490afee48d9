import type { BodyEncoding } from '../../../src-shared/accounts/account.ts'
import type { EndpointPath } from '../../../src-shared/service/endpoints.ts'
import { endpointEntry } from '../../../src-shared/service/endpoints.ts'
import { isLoopback } from '../address.ts'
import { writeBody } from '../body.ts'
import { NeverSent } from '../service-failure.ts'
import type { ServiceFailure } from '../service-failure.ts'
import type { AccessToken } from '../token.ts'
import { systemCertificates } from './certificates.ts'
import type { Certificates } from './certificates.ts'
import { failedToConnect } from './codes.ts'
import { Deadlines } from './deadlines.ts'
import type { Timeouts } from './deadlines.ts'
import { Dispatchers } from './dispatchers.ts'
import { ExchangeEnded } from './exchange-ended.ts'
import { exchange } from './exchange.ts'
import type { HttpAnswer } from './exchange.ts'
import { RestingProxies, direct, routesOf } from './proxies.ts'
import type { Route } from './proxies.ts'

export type TransportOptions = {
  readonly resolveProxy: (url: string) => Promise<string>
  readonly timeouts: Timeouts
  readonly largest: number
  /** The system's, unless others are given. */
  readonly certificates?: Certificates
  readonly now: () => number
}

export type Request = {
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
      `The proxy ${new URL(uri).host} that this computer is set to use takes no connections. ` +
      "Check the network, and the proxy in the system's settings.",
  })
}

function proxyIsUnknown(seconds: number): ServiceFailure {
  return new NeverSent({
    kind: 'timed-out',
    message:
      `This computer did not find out in ${seconds} s which proxy leads to the service. ` +
      "Check the network, and the proxy in the system's settings.",
  })
}

/** Sends requests along the way that the system's settings name, once each. */
export class Transport {
  readonly #options: TransportOptions
  readonly #dispatchers: Dispatchers
  readonly #resting = new RestingProxies()

  constructor(options: TransportOptions) {
    this.#options = options
    this.#dispatchers = new Dispatchers(options.timeouts.connect, options.certificates ?? systemCertificates)
  }

  /**
   * One request and its answer, whatever its status.
   * @throws ServiceFailure where no way can be used; otherwise as `exchange`
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

  /** The resolver may run a script from the network: it gets as long as a connection, and can be cancelled. */
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
    const keeping = endpointEntry(path).repeatable ? 'kept' : 'fresh'
    return exchange({
      dispatcher: await this.#dispatchers.along(route, keeping, url.protocol === 'https:'),
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
