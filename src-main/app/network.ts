import type { EndpointPath } from '#shared/api/endpoints.ts'
import type { Notice } from '#shared/app/state.ts'
import type { CreateClient } from '#main/accounts/clients.ts'
import { Proxies } from '#main/accounts/proxies.ts'
import type { KeychainEntries } from '#main/accounts/keychain-entries.ts'
import type { Emitter } from '#main/lib/app-events.ts'
import type { Module } from '#main/lib/module.ts'
import { systemClock } from '#main/lib/async.ts'
import { CONCURRENCY, createServiceClient } from '#main/api/client.ts'
import { RequestLimiter } from '#main/api/requests.ts'
import type { Forgiven } from '#main/api/decode/json.ts'
import type { LargeAnswers } from '#main/api/large/large-answers.ts'
import type { FetchOptions } from '#main/raw/downloads/fetching.ts'

/** Letters of a charset that had to be assumed: said once for each address, for a person has to compare them. */
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

/** What was forgiven in answers of a service, in words. */
const forgivenWords: Readonly<Record<Forgiven, string>> = {
  'text-around': 'text before or behind the answer',
  'no-number': 'NaN or an infinite number',
  'empty-form': 'null, a list or an object in place of another that is empty',
  'numbered-names': 'a list written as an object, or the other way round',
  'zero-date': 'a zero date for a moment that has not happened',
  'odd-member': 'a member that cannot be read, taken as unknown',
  'odd-entry': 'a row or an entry that cannot be read',
}

/** Requests of many accounts to one service, in a second. */
const PER_SECOND = 10

/** How the app reaches services: which proxies lead there, what those are told, and clients that go through them. */
export class Network implements Module {
  readonly name = 'network'
  readonly proxies: Proxies
  /** How any address is reached. */
  readonly ways: Pick<FetchOptions, 'resolveProxy' | 'proxyAccess'>
  readonly #large: LargeAnswers
  readonly #events: Emitter
  readonly #limiters = new Map<string, RequestLimiter>()
  /** Services whose charset was assumed. */
  readonly #assumed = new Set<string>()
  /** By address: what was forgiven since the start, and the endpoint that it was first seen at. */
  readonly #forgiven = new Map<string, Map<Forgiven, EndpointPath>>()

  constructor(
    keychain: Pick<KeychainEntries, 'get' | 'set' | 'remove' | 'proxies'>,
    large: LargeAnswers,
    resolveProxy: (url: string) => Promise<string>,
    events: Emitter,
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

  /** What was forgiven in answers of the service at an address, once for each kind. */
  forgivenBy(address: string): readonly string[] {
    const kinds = [...(this.#forgiven.get(address) ?? [])]
    return kinds.map(([kind, path]) => `${forgivenWords[kind]} (first in ${path})`)
  }

  stop(): Promise<void> {
    return this.#large.close()
  }

  /** All accounts of one service share a limiter: what a hundred of them ask for is spread, and one alone asks as fast as ever. */
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
