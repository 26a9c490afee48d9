import { describe, expect, it } from 'vitest'
import { failureOf } from '#shared/api/failure.ts'
import { failureOfCall } from '#test/helpers/service-client.ts'
import { basic, behindProxies, originOf, settingOf } from './behind-proxies.ts'

const { proxyFor, session } = behindProxies()

describe('a proxy that was signed in to', () => {
  it('is known after a restart, with no question', async () => {
    const proxy = await proxyFor({ basic })
    const first = session(settingOf(proxy))
    await failureOfCall(first.ask())
    await first.signIn(proxy)
    const { folder, keychain } = first
    const second = session(settingOf(proxy), { folder, keychain })
    expect(second.proxies.list()).toEqual([
      { origin: originOf(proxy), kind: 'signed-in', stored: 'keychain' },
    ])
    expect((await second.ask()).answer.total.good).toBe(20)
    expect(second.told).toEqual([])
    // What orphans are is about accounts: this is none.
    await second.entries.start()
    expect([...keychain.secrets.keys()]).toEqual([originOf(proxy)])
  })

  it('is known for this session alone where that is wished, or where no keychain answers', async () => {
    for (const refuses of [false, true]) {
      const proxy = await proxyFor({ basic })
      const first = session(settingOf(proxy))
      await failureOfCall(first.ask())
      first.keychain.refuses = refuses
      const storage = refuses ? 'keychain' : 'session'
      expect(await first.signIn(proxy, { storage })).toEqual({ stored: 'session' })
      expect((await first.ask()).answer.total.good).toBe(20)
      expect([...first.keychain.secrets]).toEqual([])
      expect(first.entries.proxies()).toEqual([])
      const { folder, keychain } = first
      expect((await failureOfCall(session(settingOf(proxy), { folder, keychain }).ask())).kind).toBe(
        'proxy-sign-in',
      )
    }
  })

  it('is asked about again where the keychain has nothing any more, as on another computer', async () => {
    const proxy = await proxyFor({ basic })
    const first = session(settingOf(proxy))
    await failureOfCall(first.ask())
    await first.signIn(proxy)
    const elsewhere = session(settingOf(proxy), { folder: first.folder })
    await failureOfCall(elsewhere.ask())
    expect(proxy.told.at(-1)).toBeNull()
    expect(elsewhere.proxies.list()).toEqual([{ origin: originOf(proxy), kind: 'asks', refusedSaved: false }])
    expect(elsewhere.entries.proxies()).toEqual([])
  })

  it('fails requests at once where the keychain is slow to let go of what it refused', async () => {
    const proxy = await proxyFor({ basic })
    const first = session(settingOf(proxy))
    await failureOfCall(first.ask())
    await first.signIn(proxy)
    let discard = () => {}
    const gone = new Promise<void>((resolve) => (discard = resolve))
    const keychain = first.keychain
    const remove = keychain.remove.bind(keychain)
    keychain.remove = (account) => gone.then(() => remove(account))
    proxy.demand('maria:changed')
    const second = session(settingOf(proxy), { folder: first.folder, keychain })
    expect((await failureOfCall(second.ask())).kind).toBe('proxy-sign-in')
    // What is typed meanwhile is not what is taken out.
    const signing = second.signIn(proxy, { password: 'changed' })
    discard()
    expect(await signing).toEqual({ stored: 'keychain' })
    expect(keychain.secrets.get(originOf(proxy))).toContain('changed')
  })

  it('is forgotten by hand', async () => {
    const proxy = await proxyFor({ basic })
    const first = session(settingOf(proxy))
    await failureOfCall(first.ask())
    await first.signIn(proxy)
    first.keychain.refuses = true
    const failure = failureOf(await first.proxies.forget(originOf(proxy)).catch((error: unknown) => error))
    expect(failure.kind).toBe('no-keychain')
    expect(first.proxies.list()).toHaveLength(1)
    first.keychain.refuses = false
    await first.proxies.forget(originOf(proxy))
    expect(first.proxies.list()).toEqual([])
    expect([...first.keychain.secrets]).toEqual([])
    expect((await failureOfCall(first.ask())).kind).toBe('proxy-sign-in')
    expect(proxy.told.at(-1)).toBeNull()
  })
})
