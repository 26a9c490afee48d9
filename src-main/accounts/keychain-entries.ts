import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'
import { proxyOrigin } from '#shared/accounts/account.ts'
import type { ProxyOrigin } from '#shared/accounts/account.ts'
import { replaceFile } from '#main/lib/sync-folder.ts'
import type { StateStore } from '#main/database/state/state-store.ts'
import type { Module } from '#main/lib/module.ts'
import type { Keychain } from './keychain.ts'

/** Account ids and proxy origins. */
const entries = v.array(v.union([v.pipe(v.string(), v.uuid()), v.custom<ProxyOrigin>(isProxy)]))

function isProxy(name: unknown): name is ProxyOrigin {
  return typeof name === 'string' && proxyOrigin(name) === name
}

/**
 * A keychain with a list of this profile's entries in the profile folder. The list finds entries left behind by a crash
 * or a keychain error. Entries of the user's other profiles have the same service name.
 */
export class KeychainEntries implements Keychain, Module {
  readonly name = 'keychain'
  readonly #keychain: Keychain
  readonly #file: string
  readonly #store: StateStore
  /** Entries written in this session. Their accounts are stored after the token, so may not be in the store yet. */
  readonly #own = new Set<string>()

  /** @param folder the profile folder */
  constructor(keychain: Keychain, folder: string, store: StateStore) {
    this.#keychain = keychain
    this.#file = join(folder, 'keychain-entries.json')
    this.#store = store
  }

  get(account: string): Promise<string | null> {
    return this.#keychain.get(account)
  }

  async set(account: string, secret: string): Promise<void> {
    this.#own.add(account)
    this.#note(account)
    try {
      await this.#keychain.set(account, secret)
    } catch (error) {
      // `start` cleans up after accounts. A listed proxy must have credentials.
      if (isProxy(account)) this.#write(this.#read().filter((value) => value !== account))
      throw error
    }
  }

  async remove(account: string): Promise<void> {
    // Listed even if the list was lost, so that `start` can clean up.
    if (!isProxy(account)) this.#note(account)
    await this.#keychain.remove(account)
    const known = this.#read()
    if (known.includes(account)) this.#write(known.filter((value) => value !== account))
  }

  /** Origins of proxies with stored credentials. */
  proxies(): readonly ProxyOrigin[] {
    return this.#read().filter(isProxy)
  }

  /**
   * Deletes keychain entries of accounts that earlier sessions left behind. Deletes nothing if the accounts cannot be
   * read. Never rejects.
   */
  async start(): Promise<void> {
    const opening = await this.#store.opened
    // An otherwise opened store may be a copy, or a backup without the latest accounts.
    if (opening.kind !== 'ready' || opening.news) return
    const accounts = await this.#store.run('accounts/list', undefined).catch(() => null)
    if (accounts === null) return
    for (const value of this.#read()) {
      // Proxy credentials belong to no account: the user or a rejection removes them.
      if (isProxy(value) || this.#own.has(value) || accounts.some(({ id }) => id === value)) continue
      await this.remove(value).catch(() => undefined)
    }
  }

  stop(): Promise<void> {
    return Promise.resolve()
  }

  #read(): readonly string[] {
    try {
      return v.parse(entries, JSON.parse(readFileSync(this.#file, 'utf8')))
    } catch {
      return []
    }
  }

  /** Ignores errors; orphaned entries are then not found. */
  #write(names: readonly string[]): void {
    try {
      replaceFile(this.#file, JSON.stringify(names))
    } catch {
      // The store reports problems with the folder.
    }
  }

  /** Lists an entry before the keychain is accessed, so that a crash or refusal leaves a name to clean up. */
  #note(account: string): void {
    const known = this.#read()
    if (!known.includes(account)) this.#write([...known, account])
  }
}
