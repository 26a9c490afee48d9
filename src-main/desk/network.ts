import type { CreateClient } from '../accounts/client.ts'
import { Proxies } from '../accounts/proxies.ts'
import type { ProxiesParts } from '../accounts/proxies.ts'
import type { Notify } from '../bridge/events.ts'
import { createServiceClient } from '../service/client.ts'
import type { ClientOptions } from '../service/client.ts'

type NetworkParts = Pick<ProxiesParts, 'keychain'> & {
  readonly large: NonNullable<ClientOptions['large']>
  readonly resolveProxy: (url: string) => Promise<string>
  readonly notify: Notify
  /** What the tray shows has changed. */
  readonly changed: () => void
  /** Sees at once whether the service can be reached. */
  readonly goOn: () => void
}

/** How the desk reaches services: which proxies lead there, what those are told, and clients that go through them. */
export function deskNetwork({ keychain, large, resolveProxy, notify, changed, goOn }: NetworkParts) {
  const proxies = new Proxies({
    keychain,
    goOn,
    knock: async (order) => await (await import('../service/transport/knock.ts')).knock(order),
    changed: () => {
      notify('proxies/changed', { proxies: proxies.asking() })
      changed()
    },
  })
  const ways = { resolveProxy, proxyAccess: proxies }
  const createClient: CreateClient = (options) => createServiceClient({ ...options, ...ways, large })
  return {
    proxies,
    ways,
    createClient,
    /** It may have woken up in another network. */
    wokeUp: () => {
      proxies.tryAgain()
      goOn()
    },
  }
}
