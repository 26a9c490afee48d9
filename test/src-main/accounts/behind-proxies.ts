import { eventsTo } from '#test/helpers/app-events.ts'
import { Proxies } from '#main/accounts/proxies.ts'
import { KeychainEntries } from '#main/accounts/keychain-entries.ts'
import { probeProxy } from '#main/api/transport/proxy.ts'
import { proxyOrigin } from '#shared/accounts/account.ts'
import type { ProxyOrigin } from '#shared/accounts/account.ts'
import { overviewAnswer } from '#test/helpers/answers.ts'
import { authorityOfTests } from '#test/helpers/certificates.ts'
import { proxyServer } from '#test/helpers/proxy-server.ts'
import type { ProxyOptions, ProxyServer } from '#test/helpers/proxy-server.ts'
import { json, scriptedServer } from '#test/helpers/scripted-server.ts'
import { clientFor, standingClock, week } from '#test/helpers/service-client.ts'
import { localStore, temporaryFolder } from '../database/helpers.ts'
import { FakeKeychain } from './helpers.ts'

export const name = 'maria'
export const password = 'Größe:7/5e15a+9d0e'
export const basic = `${name}:${password}`

export const originOf = ({ port }: ProxyServer, scheme = 'http'): ProxyOrigin =>
  proxyOrigin(`${scheme}://127.0.0.1:${port}`) as ProxyOrigin

/** A proxy as the system names it. */
export const settingOf = ({ port }: ProxyServer) => `PROXY 127.0.0.1:${port}`

/** Proxies and sessions behind them, for one file of tests: what they open is closed after each test. */
export function behindProxies() {
  const { authority, opened } = authorityOfTests()

  /** A proxy in front of a service that answers with an overview, or of what listens at a port of this computer. */
  async function proxyFor(options: ProxyOptions = {}, target?: number): Promise<ProxyServer> {
    let port = target
    if (port === undefined) {
      const server = await scriptedServer(json(overviewAnswer), await authority.issue('DNS:reports.example'))
      opened.push(server)
      port = server.port
    }
    const proxy = await proxyServer(port, options)
    opened.push(proxy)
    return proxy
  }

  /** One session of a profile: its names and passwords, and a client of a service behind these proxies. */
  function session(
    setting: string,
    stored: { folder?: string; keychain?: FakeKeychain; now?: () => number } = {},
  ) {
    const { folder = temporaryFolder(), keychain = new FakeKeychain(), now } = stored
    const entries = new KeychainEntries(keychain, folder, localStore(temporaryFolder()))
    const certificates = () => Promise.resolve([authority.certificate])
    const told: unknown[] = []
    let goneOn = 0
    const events = eventsTo((event) => {
      if (event.kind === 'proxies/changed') told.push(event.proxies)
      if (event.kind === 'proxies/open') goneOn += 1
    })
    const probe = (order: Parameters<typeof probeProxy>[0]) => probeProxy({ ...order, certificates })
    const proxies = new Proxies(entries, events, probe, now && { ...standingClock(), now })
    const client = clientFor('https://reports.example', {
      ...{ certificates, proxyAccess: proxies, resolveProxy: () => Promise.resolve(setting) },
    })
    opened.push(client)
    const signIn = (proxy: ProxyServer, given: Partial<Parameters<Proxies['signIn']>[0]> = {}) =>
      proxies.signIn({ proxy: originOf(proxy), name, password, storage: 'keychain', ...given })
    const ask = () => client.call('script/overview', week)
    return {
      folder,
      keychain,
      entries,
      proxies,
      client,
      told,
      signIn,
      ask,
      goneOn: () => goneOn,
      certificates,
    }
  }

  return { authority, opened, proxyFor, session }
}
