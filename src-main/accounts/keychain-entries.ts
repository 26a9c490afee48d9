import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'
import { proxyOrigin } from '#shared/accounts/account.ts'
import type { ProxyOrigin } from '#shared/accounts/account.ts'
import { replaceFile } from '#main/lib/sync-folder.ts'
import type { Store } from '#main/database/state/state-store.ts'
import type { Module } from '#main/lib/module.ts'
import type { Keychain } from './keychain.ts'

/** Names of accounts, origins of proxies, and nothing else. */
const entries = v.array(v.union([v.pipe(v.string(), v.uuid()), v.custom<ProxyOrigin>(isProxy)]))

function isProxy(name: unknown): name is ProxyOrigin {
  return typeof name === 'string' && proxyOrigin(name) === name
}

/**
 * A keychain of which it is written down, in the profile folder, which entries are this profile's: a crash or a keychain that
 * refused may have left one behind, and other profiles of this person have entries under the same name.
 */
export class KeychainEntries implements Keychain, Module {
  readonly name = 'keychain'
  readonly #keychain: Keychain
  readonly #file: string
  readonly #store: Pick<Store, 'opened' | 'run'>
  /** Stored in this session: an account is written down after its token, and may not be in the store yet. */
  readonly #own = new Set<string>()

  /** @param folder the profile folder */
  constructor(keychain: Keychain, folder: string, store: Pick<Store, 'opened' | 'run'>) {
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
      // The sweep looks after accounts. A proxy that is named is one that somebody has signed in to.
      if (isProxy(account)) this.#write(this.#read().filter((value) => value !== account))
      throw error
    }
  }

  async remove(account: string): Promise<void> {
    // The sweep looks after accounts, also where the list was lost.
    if (!isProxy(account)) this.#note(account)
    await this.#keychain.remove(account)
    const known = this.#read()
    if (known.includes(account)) this.#write(known.filter((value) => value !== account))
  }

  /** The proxies that this profile has a name and password for. */
  proxies(): readonly ProxyOrigin[] {
    return this.#read().filter(isProxy)
  }

  /**
   * Takes the entries of accounts out of the keychain that earlier sessions of this profile left behind. Where it cannot be read which
   * accounts there are, nothing is taken. Never rejects.
   */
  async start(): Promise<void> {
    const opening = await this.#store.opened
    // What is open otherwise may be a copy, or a backup without the newest accounts.
    if (opening.kind !== 'ready' || opening.news) return
    const accounts = await this.#store.run('accounts/list', undefined).catch(() => null)
    if (accounts === null) return
    for (const value of this.#read()) {
      // A proxy belongs to no account: it is forgotten by hand, or when it refuses what it is told.
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

  /** Where the disk refuses, an entry that stays behind is not found. */
  #write(names: readonly string[]): void {
    try {
      replaceFile(this.#file, JSON.stringify(names))
    } catch {
      // The store says what is wrong with the folder.
    }
  }

  /** Before the keychain is asked: what crashes in between, or is refused, leaves a name that is looked after. */
  #note(account: string): void {
    const known = this.#read()
    if (!known.includes(account)) this.#write([...known, account])
  }
}
