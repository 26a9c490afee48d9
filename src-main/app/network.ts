import type { EndpointPath } from '#shared/api/endpoints.ts'
import type { Notice } from '#shared/app/state.ts'
import type { CreateClient } from '#main/accounts/clients.ts'
import { Proxies } from '#main/accounts/proxies.ts'
import type { KeychainEntries } from '#main/accounts/keychain-entries.ts'
import type { AppEvents } from '#main/lib/app-events.ts'
import type { Module } from '#main/lib/module.ts'
import { systemClock } from '#main/lib/async.ts'
import { CONCURRENCY, createServiceClient } from '#main/api/client.ts'
import { RequestLimiter } from '#main/api/requests.ts'
import type { Forgiven } from '#main/api/decode/json.ts'
import type { LargeAnswers } from '#main/api/large/large-answers.ts'
import type { FetcherOptions } from '#main/fetching/fetcher.ts'

/** Notice about a guessed charset. Shown once per address, because only the user can check the letters. */
function assumedNotice(address: string): Notice {
  return {
    id: `charset ${address}`,
    tone: 'warning',
    title: 'Names may have wrong letters',
    text:
      `${new URL(address).host} sends text that is not UTF-8 and does not say what it is. It is read as Western European ` +
      '(Windows-1252). If letters look wrong, tell the people who run the service.',
  }
}

/** Tolerated errors in words, for the problem report. */
const forgivenWords: Readonly<Record<Forgiven, string>> = {
  'text-around': 'text before or behind the answer',
  'no-number': 'NaN or an infinite number',
  'empty-form': 'null, a list or an object in place of another that is empty',
  'numbered-names': 'a list written as an object, or the other way round',
  'zero-date': 'a zero date for a moment that has not happened',
  'odd-member': 'a member that cannot be read, taken as unknown',
  'odd-entry': 'a row or an entry that cannot be read',
}

/** Maximum requests per second of many accounts to one service. */
const PER_SECOND = 10

/** Network access of the app: proxies, their credentials, and the clients of services. */
export class Network implements Module {
  readonly name = 'network'
  readonly proxies: Proxies
  /** Proxy options of all requests, to services and other addresses. */
  readonly ways: Pick<FetcherOptions, 'resolveProxy' | 'proxyAccess'>
  readonly #large: LargeAnswers
  readonly #events: AppEvents
  readonly #limiters = new Map<string, RequestLimiter>()
  /** Addresses of services whose charset was guessed. */
  readonly #assumed = new Set<string>()
  /** By address: errors tolerated since the start, and the first endpoint of each. */
  readonly #forgiven = new Map<string, Map<Forgiven, EndpointPath>>()

  constructor(
    keychain: KeychainEntries,
    large: LargeAnswers,
    resolveProxy: (url: string) => Promise<string>,
    events: AppEvents,
  ) {
    this.#large = large
    this.#events = events
    this.proxies = new Proxies(keychain, events, async (order) =>
      (await import('#main/api/transport/proxy.ts')).probeProxy(order),
    )
    this.ways = { resolveProxy, proxyAccess: this.proxies }
  }

  get handlers() {
    return this.proxies.handlers
  }

  readonly createClient: CreateClient = (options) =>
    createServiceClient({
      ...options,
      ...this.ways,
      limiter: this.#limiterOf(new URL(options.address).origin),
      large: this.#large,
      assumed: () => this.#assume(options.address),
      forgave: (kinds, path) => this.#forgive(options.address, kinds, path),
    })

  /** Lists the errors tolerated in responses of a service, once per kind. */
  forgivenBy(address: string): readonly string[] {
    const kinds = [...(this.#forgiven.get(address) ?? [])]
    return kinds.map(([kind, path]) => `${forgivenWords[kind]} (first in ${path})`)
  }

  stop(): Promise<void> {
    return this.#large.close()
  }

  /** Accounts of one service share a rate limiter. A single account is never slowed by it. */
  #limiterOf(origin: string): RequestLimiter {
    const rate = { perSecond: PER_SECOND, clock: systemClock }
    const limiter = this.#limiters.get(origin) ?? new RequestLimiter(CONCURRENCY, rate)
    this.#limiters.set(origin, limiter)
    return limiter
  }

  #forgive(address: string, kinds: ReadonlySet<Forgiven>, path: EndpointPath): void {
    const known = this.#forgiven.get(address) ?? new Map<Forgiven, EndpointPath>()
    for (const kind of kinds) if (!known.has(kind)) known.set(kind, path)
    this.#forgiven.set(address, known)
  }

  #assume(address: string): void {
    if (!this.#assumed.has(address))
      this.#events.emit({ kind: 'notice/shown', notice: assumedNotice(address) })
    this.#assumed.add(address)
  }
}
