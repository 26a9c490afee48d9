import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { rememberEntries } from '../../../src-main/accounts/keychain-entries.ts'
import { firstId, secondId, temporaryFolder } from '../store/helpers.ts'
import { FakeKeychain } from './helpers.ts'

const other = '0b8e7e53-9d0e-4f1c-9a43-3e7f5a1f2b6c'

const sound = { opened: Promise.resolve({ state: 'ready', news: null } as const) }

function remembered() {
  const folder = temporaryFolder()
  const keychain = new FakeKeychain()
  return { folder, keychain, entries: rememberEntries(keychain, folder, sound) }
}

describe('entries of the keychain', () => {
  it('whose account has gone are removed at the next start, and those of other profiles stay', async () => {
    const { folder, keychain, entries } = remembered()
    await entries.set(firstId, 'one')
    await entries.set(secondId, 'two')
    keychain.secrets.set(other, 'of another profile')
    const later = rememberEntries(keychain, folder, sound)
    await later.sweep([{ id: firstId }])
    expect([...keychain.secrets.keys()].sort()).toEqual([firstId, other].sort())
    expect(readFileSync(join(folder, 'keychain-entries.json'), 'utf8')).toBe(JSON.stringify([firstId]))
  })

  it('stay where the accounts were read from a backup', async () => {
    const { folder, keychain, entries } = remembered()
    await entries.set(firstId, 'one')
    const news = { kind: 'restored', setAside: null, backup: 1 } as const
    const restored = { opened: Promise.resolve({ state: 'ready', news } as const) }
    await rememberEntries(keychain, folder, restored).sweep([])
    expect(keychain.secrets.size).toBe(1)
  })

  it('are tried again where the keychain refused', async () => {
    const { keychain, entries } = remembered()
    await entries.set(firstId, 'one')
    keychain.refuses = true
    await entries.sweep([])
    keychain.refuses = false
    await entries.sweep([])
    expect(keychain.secrets.size).toBe(0)
  })

  it('are stored where nothing can be written down, or something else stands there', async () => {
    const { folder, keychain, entries } = remembered()
    writeFileSync(join(folder, 'keychain-entries.json'), '{"no":"list"}')
    await entries.sweep([])
    mkdirSync(join(folder, 'keychain-entries.json.new'))
    await entries.set(firstId, 'one')
    expect(await entries.get(firstId)).toBe('one')
    expect(keychain.secrets.size).toBe(1)
  })

  it.each(['not found', 'refused'])('are looked for again where one is %s for a moment', async (how) => {
    const { folder, keychain } = remembered()
    const waited: number[] = []
    const clock = {
      now: () => 0,
      wait: (milliseconds: number) => {
        if (waited.push(milliseconds) === 2) {
          keychain.refuses = false
          keychain.secrets.set(firstId, 'one')
        }
        return Promise.resolve()
      },
    }
    const entries = rememberEntries(keychain, folder, sound, clock)
    await entries.set(firstId, 'one')
    keychain.secrets.delete(firstId)
    keychain.refuses = how === 'refused'
    expect(await entries.get(firstId)).toBe('one')
    expect(waited).toHaveLength(2)
  })

  it('are asked for once where there is none, or a person took their time', async () => {
    const { folder, keychain } = remembered()
    let now = 0
    const clock = { now: () => (now += 1000), wait: () => Promise.reject(new Error('Waited')) }
    const entries = rememberEntries(keychain, folder, sound, clock)
    expect(await entries.get(firstId)).toBeNull()
    await entries.set(firstId, 'one')
    keychain.secrets.delete(firstId)
    expect(await entries.get(firstId)).toBeNull()
    keychain.refuses = true
    await expect(entries.get(firstId)).rejects.toThrow('No keychain.')
  })
})
