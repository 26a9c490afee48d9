import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'
import { systemClock } from '../lib/waiting.ts'
import type { Clock } from '../lib/waiting.ts'
import type { Store } from '../state/state-store.ts'
import type { Keychain } from './keychain.ts'

/** Names of accounts, and nothing else. */
const entries = v.array(v.pipe(v.string(), v.uuid()))

/**
 * A keychain that is only just beginning may refuse, or not find what it holds: it is asked again after so long. What took
 * longer than a second was answered by the person, who is not asked again. In milliseconds.
 */
const pauses = [300, 1200]
const byItself = 1000

export type KeychainEntries = Keychain & {
  /** Takes the entries of this profile out of the keychain whose accounts are gone. Never rejects. */
  readonly sweep: (accounts: readonly { readonly id: string }[]) => Promise<void>
}

/**
 * A keychain of which it is written down, in the profile folder, which entries are this profile's: a crash or a keychain that
 * refused may have left one behind, and other profiles of this person have entries under the same name.
 */
export function rememberEntries(
  keychain: Keychain,
  folder: string,
  store: Pick<Store, 'opened'>,
  clock: Clock = systemClock,
): KeychainEntries {
  const file = join(folder, 'keychain-entries.json')

  function read(): readonly string[] {
    try {
      return v.parse(entries, JSON.parse(readFileSync(file, 'utf8')))
    } catch {
      return []
    }
  }

  /** Where the disk refuses, an entry that stays behind is not found. */
  function write(names: readonly string[]): void {
    try {
      writeFileSync(`${file}.new`, JSON.stringify(names), { mode: 0o600 })
      renameSync(`${file}.new`, file)
    } catch {
      // The store says what is wrong with the folder.
    }
  }

  /** An entry that is written down as this profile's is looked for again where it is not found at once. */
  async function get(account: string): Promise<string | null> {
    for (const pause of pauses) {
      const began = clock.now()
      const again = () => clock.now() - began < byItself && read().includes(account)
      try {
        const secret = await keychain.get(account)
        if (secret !== null || !again()) return secret
      } catch (error) {
        if (!again()) throw error
      }
      await clock.wait(pause, new AbortController().signal)
    }
    return await keychain.get(account)
  }

  async function remove(account: string): Promise<void> {
    await keychain.remove(account)
    const known = read()
    if (known.includes(account)) write(known.filter((each) => each !== account))
  }

  return {
    get,
    set: async (account, secret) => {
      // Written down first: what crashes in between leaves a name without an entry.
      const known = read()
      if (!known.includes(account)) write([...known, account])
      await keychain.set(account, secret)
    },
    remove,
    sweep: async (accounts) => {
      const opening = await store.opened
      // What is open otherwise may be a copy, or a backup without the newest accounts.
      if (opening.state !== 'ready' || opening.news) return
      const gone = read().filter((each) => !accounts.some(({ id }) => id === each))
      for (const each of gone) await remove(each).catch(() => undefined)
    },
  }
}
