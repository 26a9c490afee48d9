import { mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createKeychain } from '#main/accounts/keychain.ts'
import { temporaryFolder } from '../database/helpers.ts'

/** Keytar as far as it is used, in memory. */
function fakeKeytar() {
  const secrets = new Map<string, string>()
  const keyOf = (service: string, account: string) => `${service}/${account}`
  return {
    secrets,
    getPassword: async (service: string, account: string) => secrets.get(keyOf(service, account)) ?? null,
    setPassword: async (service: string, account: string, secret: string) => {
      secrets.set(keyOf(service, account), secret)
    },
    deletePassword: async (service: string, account: string) => secrets.delete(keyOf(service, account)),
  }
}

const noKeychain = { failure: { kind: 'no-keychain' } }

describe('the keychain', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('stores, finds and removes under its own name', async () => {
    const keytar = fakeKeytar()
    const keychain = createKeychain(() => keytar)
    await keychain.set('a', 'secret')
    expect([...keytar.secrets]).toEqual([['Traffic Desk/a', 'secret']])
    expect(await keychain.get('a')).toBe('secret')
    await keychain.remove('a')
    expect(await keychain.get('a')).toBeNull()
  })

  it('is loaded once, at the first use', async () => {
    const load = vi.fn(() => fakeKeytar())
    const keychain = createKeychain(load)
    expect(load).not.toHaveBeenCalled()
    await Promise.all([keychain.get('a'), keychain.get('b')])
    expect(load).toHaveBeenCalledTimes(1)
  })

  it('is loaded anew where that failed once', async () => {
    const keytar = join(temporaryFolder(), 'node_modules', 'keytar')
    mkdirSync(keytar, { recursive: true })
    writeFileSync(
      join(keytar, 'index.js'),
      `require('./libsecret.js')
       const ask = async (service, account) => account + ' found'
       module.exports = { getPassword: ask, setPassword: ask, deletePassword: ask }`,
    )
    const keychain = createKeychain(createRequire(join(keytar, 'index.js')))
    await expect(keychain.get('a')).rejects.toMatchObject(noKeychain)
    writeFileSync(join(keytar, 'libsecret.js'), '')
    expect(await keychain.get('a')).toBe('a found')
  })

  it.each([
    ['is something else', { getPassword: 1 }],
    [
      'finds no Secret Service',
      { ...fakeKeytar(), getPassword: () => Promise.reject(new Error('no D-Bus')) },
    ],
  ])('says so where it %s', async (_what, keytar) => {
    await expect(createKeychain(() => keytar).get('a')).rejects.toMatchObject(noKeychain)
  })

  it('that stays locked is given up after a minute, and what it stores too late is taken out again', async () => {
    const keytar = fakeKeytar()
    let unlock = () => {}
    const unlocked = new Promise<void>((resolve) => (unlock = resolve))
    const setPassword: typeof keytar.setPassword = async (...given) => {
      await unlocked
      await keytar.setPassword(...given)
    }
    const keychain = createKeychain(() => ({ ...keytar, setPassword }))
    const refused = expect(keychain.set('a', 'secret')).rejects.toMatchObject({
      failure: { kind: 'no-keychain', message: expect.stringContaining('within a minute') },
    })
    await vi.advanceTimersByTimeAsync(60_000)
    await refused
    unlock()
    await vi.advanceTimersByTimeAsync(0)
    expect(keytar.secrets.size).toBe(0)
  })
})
