import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'
import { proxyOrigin } from '#shared/accounts/proxy.ts'
import type { ProxyOrigin } from '#shared/accounts/proxy.ts'
import { replaceFile } from '#main/lib/replace-file.ts'
import type { Store } from '#main/database/state/state-store.ts'
import type { Keychain } from './keychain.ts'

/** Names of accounts, origins of proxies, and nothing else. */
const entries = v.array(v.union([v.pipe(v.string(), v.uuid()), v.custom<ProxyOrigin>(isProxy)]))

function isProxy(name: unknown): name is ProxyOrigin {
  return typeof name === 'string' && proxyOrigin(name) === name
}

export type KeychainEntries = Keychain & {
  /** The proxies that this profile has a name and password for. */
  readonly proxies: () => readonly ProxyOrigin[]
  /**
   * Takes the entries of accounts out of the keychain that earlier sessions of this profile left behind. Where it cannot be read which
   * accounts there are, nothing is taken. Never rejects.
   */
  readonly sweep: () => Promise<void>
}

/**
 * A keychain of which it is written down, in the profile folder, which entries are this profile's: a crash or a keychain that
 * refused may have left one behind, and other profiles of this person have entries under the same name.
 */
export function rememberEntries(
  keychain: Keychain,
  folder: string,
  store: Pick<Store, 'opened' | 'run'>,
): KeychainEntries {
  const file = join(folder, 'keychain-entries.json')
  /** Stored in this session: an account is written down after its token, and may not be in the store yet. */
  const own = new Set<string>()

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
      replaceFile(file, JSON.stringify(names))
    } catch {
      // The store says what is wrong with the folder.
    }
  }

  /** Before the keychain is asked: what crashes in between, or is refused, leaves a name that is looked after. */
  function note(account: string): void {
    const known = read()
    if (!known.includes(account)) write([...known, account])
  }

  async function remove(account: string): Promise<void> {
    // The sweep looks after accounts, also where the list was lost.
    if (!isProxy(account)) note(account)
    await keychain.remove(account)
    const known = read()
    if (known.includes(account)) write(known.filter((value) => value !== account))
  }

  return {
    get: (account) => keychain.get(account),
    set: async (account, secret) => {
      own.add(account)
      note(account)
      try {
        await keychain.set(account, secret)
      } catch (error) {
        // The sweep looks after accounts. A proxy that is named is one that somebody has signed in to.
        if (isProxy(account)) write(read().filter((value) => value !== account))
        throw error
      }
    },
    remove,
    proxies: () => read().filter(isProxy),
    sweep: async () => {
      const opening = await store.opened
      // What is open otherwise may be a copy, or a backup without the newest accounts.
      if (opening.kind !== 'ready' || opening.news) return
      const accounts = await store.run('accounts/list', undefined).catch(() => null)
      if (accounts === null) return
      for (const value of read()) {
        // A proxy belongs to no account: it is forgotten by hand, or when it refuses what it is told.
        if (isProxy(value) || own.has(value) || accounts.some(({ id }) => id === value)) continue
        await remove(value).catch(() => undefined)
      }
    },
  }
}
