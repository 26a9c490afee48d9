import type { Notice } from '../../src-shared/desk/state.ts'
import type { CreateClient } from '../accounts/client.ts'
import { Proxies } from '../accounts/proxies.ts'
import type { ProxiesParts } from '../accounts/proxies.ts'
import type { Notify } from '../bridge/events.ts'
import { createServiceClient } from '../service/client.ts'
import type { ClientOptions } from '../service/client.ts'

/** Letters of a charset that had to be assumed: said once for each address, for a person has to compare them. */
function assumedNotice(address: string): Notice {
  return {
    id: `charset ${address}`,
    tone: 'warning',
    title: 'Names may have wrong letters',
    text:
      `${new URL(address).host} sends text that is not UTF-8 and does not say what it is. It is read as Western European ` +
      '(Windows-1252). Tell the people who run the service if letters are wrong.',
  }
}

type NetworkParts = Pick<ProxiesParts, 'keychain'> & {
  readonly large: NonNullable<ClientOptions['large']>
  readonly resolveProxy: (url: string) => Promise<string>
  readonly notify: Notify
  readonly raise: (notice: Notice) => void
  /** What the tray shows has changed. */
  readonly changed: () => void
  /** Sees at once whether the service can be reached. */
  readonly goOn: () => void
}

/** How the desk reaches services: which proxies lead there, what those are told, and clients that go through them. */
export function deskNetwork({ keychain, large, resolveProxy, notify, raise, changed, goOn }: NetworkParts) {
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
  const assumed = new Set<string>()
  const createClient: CreateClient = (options) =>
    createServiceClient({
      ...options,
      ...ways,
      large,
      assumed: () => {
        if (!assumed.has(options.address)) raise(assumedNotice(options.address))
        assumed.add(options.address)
      },
    })
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
