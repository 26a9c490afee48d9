import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { KeychainEntries } from '#main/accounts/keychain-entries.ts'
import type { StateStore } from '#main/database/state/state-store.ts'
import { DeskFailure } from '#shared/api/failure.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { account, firstId, localStore, secondId, temporaryFolder } from '../database/helpers.ts'
import { FakeKeychain } from './helpers.ts'

const other = '0b8e7e53-9d0e-4f1c-9a43-3e7f5a1f2b6c'

/** A profile folder with a store of these accounts, and a keychain. */
async function remembered(...ids: readonly AccountId[]) {
  const folder = temporaryFolder()
  const keychain = new FakeKeychain()
  const store = localStore(folder)
  for (const id of ids) await store.run('accounts/put', account({ id }))
  /** What a session of this profile has of the keychain. */
  const session = (over: Partial<StateStore> = {}) =>
    new KeychainEntries(keychain, folder, { ...store, ...over })
  return { folder, keychain, store, session, entries: session() }
}

describe('entries of the keychain', () => {
  it('whose account has gone are removed at the next start, and those of other profiles stay', async () => {
    const { folder, keychain, entries, session } = await remembered(firstId)
    await entries.set(firstId, 'one')
    await entries.set(secondId, 'two')
    keychain.secrets.set(other, 'of another profile')
    await session().start()
    expect([...keychain.secrets.keys()].sort()).toEqual([firstId, other].sort())
    expect(readFileSync(join(folder, 'keychain-entries.json'), 'utf8')).toBe(JSON.stringify([firstId]))
  })

  it('stay where they were stored in this session: their account is still to be written down', async () => {
    const { keychain, entries } = await remembered()
    const storing = entries.set(firstId, 'one')
    await entries.start()
    await storing
    await entries.start()
    expect(keychain.secrets.get(firstId)).toBe('one')
  })

  it('stay where the accounts were read from a backup, or cannot be read', async () => {
    const { keychain, entries, session } = await remembered()
    await entries.set(firstId, 'one')
    const news = { kind: 'restored', movedTo: null, backup: 1 } as const
    await session({ opened: Promise.resolve({ kind: 'ready', news }) }).start()
    const refused = new DeskFailure({ kind: 'disk', message: 'The disk refuses.' })
    await session({ run: () => Promise.reject(refused) }).start()
    expect(keychain.secrets.size).toBe(1)
  })

  it('are tried again where the keychain refused', async () => {
    const { keychain, entries, session } = await remembered()
    await entries.set(firstId, 'one')
    keychain.refuses = true
    await session().start()
    keychain.refuses = false
    await session().start()
    expect(keychain.secrets.size).toBe(0)
  })

  it('are found again where the keychain refused to let go of one that nobody had written down', async () => {
    const { folder, keychain, entries, session } = await remembered()
    keychain.secrets.set(firstId, 'of a list that was lost')
    keychain.refuses = true
    await expect(entries.remove(firstId)).rejects.toThrow()
    await expect(entries.remove('http://proxy.example:8080')).rejects.toThrow()
    // No name alone makes a proxy one that somebody has signed in to.
    expect(entries.proxies()).toEqual([])
    keychain.refuses = false
    await session().start()
    expect(keychain.secrets.size).toBe(0)
    expect(readFileSync(join(folder, 'keychain-entries.json'), 'utf8')).toBe('[]')
  })

  it('are stored where nothing can be written down, or something else stands there', async () => {
    const { folder, keychain, entries } = await remembered()
    writeFileSync(join(folder, 'keychain-entries.json'), '{"no":"list"}')
    await entries.start()
    mkdirSync(join(folder, 'keychain-entries.json.new'))
    await entries.set(firstId, 'one')
    expect(await entries.get(firstId)).toBe('one')
    expect(keychain.secrets.size).toBe(1)
  })
})
