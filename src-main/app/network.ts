import type { Notice } from '#shared/app/state.ts'
import type { CreateClient } from '#main/accounts/client.ts'
import { Proxies } from '#main/accounts/proxies.ts'
import type { KeychainEntries } from '#main/accounts/keychain-entries.ts'
import type { Emitter } from '#main/lib/app-events.ts'
import { systemClock } from '#main/lib/async.ts'
import { CONCURRENCY, createServiceClient } from '#main/api/client.ts'
import { Pace } from '#main/api/pace.ts'
import { RequestQueue } from '#main/api/requests.ts'
import type { ClientOptions } from '#main/api/client.ts'

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

type NetworkParts = {
  readonly keychain: Pick<KeychainEntries, 'get' | 'set' | 'remove' | 'proxies'>
  readonly large: NonNullable<ClientOptions['large']>
  readonly resolveProxy: (url: string) => Promise<string>
  readonly events: Emitter
}

/** Requests of many accounts to one service, in a second. */
const PER_SECOND = 10

/** How the desk reaches services: which proxies lead there, what those are told, and clients that go through them. */
export function deskNetwork({ keychain, large, resolveProxy, events }: NetworkParts) {
  const proxies = new Proxies(keychain, events, async (order) =>
    (await import('#main/api/transport/proxy.ts')).probeProxy(order),
  )
  const ways = { resolveProxy, proxyAccess: proxies }
  const queues = new Map<string, RequestQueue>()
  /** All accounts of one service share a queue: what a hundred of them ask for is spread, and one alone asks as fast as ever. */
  const queueFor = (origin: string): RequestQueue => {
    const queue = queues.get(origin) ?? new RequestQueue(CONCURRENCY, new Pace(PER_SECOND, systemClock))
    queues.set(origin, queue)
    return queue
  }
  const assumed = new Set<string>()
  const createClient: CreateClient = (options) =>
    createServiceClient({
      ...options,
      queue: queueFor(new URL(options.address).origin),
      ...ways,
      large,
      assumed: () => {
        if (!assumed.has(options.address))
          events.emit({ kind: 'notice/shown', notice: assumedNotice(options.address) })
        assumed.add(options.address)
      },
    })
  return { proxies, ways, createClient }
}
