import { randomUUID } from 'node:crypto'
import type { Account, BodyEncoding } from '../../src-shared/accounts/account.ts'
import type { DeskEvents } from '../../src-shared/bridge/calls.ts'
import { DeskFailure, failureOf } from '../../src-shared/desk/desk-failure.ts'
import type { Notice } from '../../src-shared/desk/state.ts'
import type { AccountId } from '../../src-shared/values/ids.ts'
import type { AccessToken } from '../service/token.ts'
import type { Store } from '../store/store.ts'
import { checkAddress, checkName, checkService, checkToken } from './check-input.ts'
import type { Client, CreateClient, ParseAddress } from './client.ts'
import { Clients } from './clients.ts'
import type { StartSample } from './clients.ts'
import type { Keychain } from './keychain.ts'
import { Tokens } from './tokens.ts'

export type AccountBookParts = {
  readonly store: Store
  readonly keychain: Keychain
  readonly parseAddress: ParseAddress
  readonly createClient: CreateClient
  /** Runs when the sample account is first used in this session. */
  readonly startSample: StartSample
  readonly emit: (name: 'accounts/changed', event: DeskEvents['accounts/changed']) => void
  /** Shows a notice, in place of the one with the same id. */
  readonly raise: (notice: Notice) => void
}

/** Where a token goes: into the keychain, or into memory until the app ends. */
export type Keep = 'keychain' | 'session'

export type NewAccount = {
  readonly name: string
  readonly address: string
  readonly token: string
  readonly keep: Keep
  readonly bodyEncoding: BodyEncoding
}

/** What other rooms of the main process follow. */
export type AccountChange =
  | { readonly kind: 'activated'; readonly account: AccountId | null }
  | { readonly kind: 'renewed'; readonly account: AccountId }
  | { readonly kind: 'removed'; readonly account: AccountId }

const plainAccount = (): Account => ({
  id: randomUUID() as AccountId,
  name: '',
  kind: 'service',
  address: '',
  bodyEncoding: 'json',
  dayZone: 'UTC',
})

/** The accounts, which of them is active, and their clients. Every method throws `DeskFailure`s. */
export class AccountBook {
  readonly #parts: AccountBookParts
  readonly #tokens: Tokens
  readonly #clients: Clients
  readonly #listeners = new Set<(change: AccountChange) => void>()
  readonly #connecting = new Set<string>()
  #exploring: Promise<Account> | null = null
  #accounts: readonly Account[] = []
  #active: AccountId | null = null

  constructor(parts: AccountBookParts) {
    this.#parts = parts
    this.#tokens = new Tokens(parts.keychain)
    this.#clients = new Clients({ ...parts, tokens: this.#tokens })
  }

  /** Reads the accounts, and which was active last. Where the store refuses, the book begins empty and says so. */
  async open(): Promise<void> {
    const { store } = this.#parts
    try {
      const [accounts, settings] = await Promise.all([
        store.run('accounts/list', undefined),
        store.run('settings/read', undefined),
      ])
      this.#accounts = accounts
      const last = accounts.find((each) => each.id === settings.activeAccount)
      this.#active = (last ?? accounts[0])?.id ?? null
      this.#tell({ kind: 'activated', account: this.#active })
    } catch (error) {
      this.#warn('accounts-unread', 'Your accounts could not be read', failureOf(error).message)
    }
  }

  list(): readonly Account[] {
    return this.#accounts
  }

  active(): AccountId | null {
    return this.#active
  }

  /** @throws DeskFailure `invalid` where there is no such account (any more) */
  account(id: AccountId): Account {
    const found = this.#accounts.find((each) => each.id === id)
    if (!found)
      throw new DeskFailure({ kind: 'invalid', message: 'This account has been removed.', field: 'account' })
    return found
  }

  /** A client with the account's token in it. @throws DeskFailure */
  async clientFor(id: AccountId): Promise<Client> {
    return await this.#clients.of(this.account(id))
  }

  /**
   * Checks name, address and token, the token against the service itself; then keeps token and profile and makes
   * the account the active one. Where anything refuses, nothing is kept.
   */
  async connect(given: NewAccount): Promise<Account> {
    const name = checkName(given.name, [...this.#accounts.map((each) => each.name), ...this.#connecting])
    const address = checkAddress(given.address, this.#parts.parseAddress)
    const token = checkToken(given.token)
    // The same form sent twice must not make two accounts.
    this.#connecting.add(name)
    try {
      const { bodyEncoding } = given
      await this.#tryOut(address, bodyEncoding, token)
      const account: Account = { ...plainAccount(), name, address, bodyEncoding }
      await this.#tokens.keep(account.id, token, await this.#place(given.keep))
      await this.#addOrTakeBack(account)
      return await this.activate(account.id)
    } finally {
      this.#connecting.delete(name)
    }
  }

  /** Starts the stand-in service and makes its account the active one; it is the same account each time. */
  exploreSample(): Promise<Account> {
    this.#exploring ??= this.#explore().finally(() => (this.#exploring = null))
    return this.#exploring
  }

  /** Makes an account the active one, and remembers that for the next start. */
  async activate(id: AccountId): Promise<Account> {
    const account = this.account(id)
    await this.#setActive(id)
    return account
  }

  /** Checks a new token against the service, and puts it in place of the old one. */
  async renewToken(given: {
    readonly account: AccountId
    readonly token: string
    readonly keep: Keep
  }): Promise<Account> {
    const account = this.account(given.account)
    if (account.kind === 'sample') {
      throw new DeskFailure({ kind: 'invalid', message: 'Sample data needs no token.', field: 'token' })
    }
    const token = checkToken(given.token)
    await this.#tryOut(account.address, account.bodyEncoding, token)
    await this.#tokens.keep(account.id, token, await this.#place(given.keep))
    await this.#clients.end(account.id)
    this.#tell({ kind: 'renewed', account: account.id })
    return account
  }

  /** Removes an account, what is kept for it, and its token. */
  async remove(id: AccountId): Promise<void> {
    const account = this.account(id)
    await this.#parts.store.run('accounts/remove', id)
    this.#accounts = this.#accounts.filter((each) => each.id !== id)
    this.#tell({ kind: 'removed', account: id })
    await this.#clients.end(id)
    if (this.#active === id) await this.#setActive(this.#accounts[0]?.id ?? null)
    else this.#emit()
    const refusal = account.kind === 'sample' ? null : await this.#tokens.remove(id)
    if (refusal !== null) {
      this.#warn('token-left', 'The token is still in the keychain', `${account.name} is removed. ${refusal}`)
    }
  }

  /** @returns ends the listening */
  onChange(listener: (change: AccountChange) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  async #explore(): Promise<Account> {
    const known = this.#accounts.find((each) => each.kind === 'sample')
    const account: Account = known ?? { ...plainAccount(), name: 'Sample data', kind: 'sample' }
    await this.#clients.of(account)
    if (!known) await this.#add(account)
    return this.activate(account.id)
  }

  async #addOrTakeBack(account: Account): Promise<void> {
    try {
      await this.#add(account)
    } catch (error) {
      await this.#tokens.remove(account.id)
      throw error
    }
  }

  /** A token in the keychain whose account is not kept would stay there for ever. */
  async #place(keep: Keep): Promise<Keep> {
    const { state } = await this.#parts.store.opened
    return state === 'ready' ? keep : 'session'
  }

  async #tryOut(address: string, bodyEncoding: BodyEncoding, token: AccessToken): Promise<void> {
    const client = this.#parts.createClient({ address, bodyEncoding, token: () => Promise.resolve(token) })
    try {
      await checkService(client)
    } finally {
      await client.close()
    }
  }

  async #add(account: Account): Promise<void> {
    await this.#parts.store.run('accounts/put', account)
    this.#accounts = [...this.#accounts, account]
  }

  async #setActive(id: AccountId | null): Promise<void> {
    this.#active = id
    this.#emit()
    this.#tell({ kind: 'activated', account: id })
    try {
      await this.#parts.store.run('settings/write', { activeAccount: id })
    } catch (error) {
      this.#warn('active-unkept', 'Your choice of account could not be kept', failureOf(error).message)
    }
  }

  #emit(): void {
    this.#parts.emit('accounts/changed', { active: this.#active, accounts: this.#accounts })
  }

  #tell(change: AccountChange): void {
    for (const listener of this.#listeners) listener(change)
  }

  #warn(id: string, title: string, text: string): void {
    this.#parts.raise({ id, tone: 'warning', title, text })
  }
}

export const createAccountBook = (parts: AccountBookParts): AccountBook => new AccountBook(parts)
