import { randomUUID } from 'node:crypto'
import type { Account, BodyEncoding } from '../../src-shared/accounts/account.ts'
import { noWindows } from '../../src-shared/accounts/account.ts'
import type { DeskEvents } from '../../src-shared/bridge/calls.ts'
import { DeskFailure } from '../../src-shared/desk/desk-failure.ts'
import type { Notice } from '../../src-shared/desk/state.ts'
import type { AccountId } from '../../src-shared/values/ids.ts'
import type { AccessToken } from '../service/token.ts'
import type { Store } from '../store/store.ts'
import { checkAddress, checkName, checkService, checkToken } from './check-input.ts'
import type { CreateClient, ParseAddress } from './client.ts'
import type { ServiceClient } from '../service/client.ts'
import { Clients } from './clients.ts'
import type { StartSample } from './clients.ts'
import type { Keychain } from './keychain.ts'
import { Roster } from './roster.ts'
import type { Traits } from './roster.ts'
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

export type NewToken = { readonly account: AccountId; readonly token: string; readonly keep: Keep }

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
  windows: noWindows,
  firstColumn: null,
})

/** The accounts, which of them is active, and their clients. Every method throws `DeskFailure`s. */
export class AccountBook {
  readonly #parts: AccountBookParts
  readonly #roster: Roster
  readonly #tokens: Tokens
  readonly #clients: Clients
  readonly #listeners = new Set<(change: AccountChange) => void>()
  readonly #connecting = new Set<string>()
  #exploring: Promise<Account> | null = null

  constructor(parts: AccountBookParts) {
    this.#parts = parts
    this.#roster = new Roster(parts)
    this.#tokens = new Tokens(parts.keychain)
    this.#clients = new Clients({ ...parts, tokens: this.#tokens })
  }

  /** Reads the accounts, and which was active last. */
  async open(): Promise<void> {
    await this.#roster.open()
    this.#tell({ kind: 'activated', account: this.active() })
  }

  list(): readonly Account[] {
    return this.#roster.list().map((each) => {
      const tokenPlace = this.#tokens.place(each.id)
      return tokenPlace ? { ...each, tokenPlace } : each
    })
  }

  active(): AccountId | null {
    return this.#roster.active()
  }

  /** @throws DeskFailure `invalid` where there is no such account (any more) */
  account(id: AccountId): Account {
    return this.#roster.account(id)
  }

  /** A client with the account's token in it. */
  async clientFor(id: AccountId): Promise<ServiceClient> {
    return await this.#clients.of(this.account(id))
  }

  /**
   * Checks name, address and token, the token against the service itself; then keeps token and profile and makes
   * the account the active one. Where anything refuses, nothing is kept.
   */
  async connect(given: NewAccount): Promise<Account> {
    const name = checkName(given.name, [...this.list().map((each) => each.name), ...this.#connecting])
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
    await this.#roster.setActive(id)
    this.#tell({ kind: 'activated', account: id })
    return account
  }

  /** Checks a new token against the service, and puts it in place of the old one. */
  async renewToken(given: NewToken): Promise<Account> {
    const account = this.account(given.account)
    if (account.kind === 'sample') {
      throw new DeskFailure({ kind: 'invalid', message: 'Sample data needs no token.', field: 'token' })
    }
    const token = checkToken(given.token)
    await this.#tryOut(account.address, account.bodyEncoding, token)
    await this.#tokens.keep(account.id, token, await this.#place(given.keep))
    await this.#takeBackIfGone(account.id)
    await this.#clients.end(account.id)
    this.#tell({ kind: 'renewed', account: account.id })
    return account
  }

  /** Removes an account, what is kept for it, and its token. */
  async remove(id: AccountId): Promise<void> {
    const { kind, name } = this.account(id)
    const before = this.active()
    await this.#roster.remove(id)
    this.#tell({ kind: 'removed', account: id })
    if (this.active() !== before) this.#tell({ kind: 'activated', account: this.active() })
    await this.#clients.end(id)
    const refusal = kind === 'sample' ? null : await this.#tokens.remove(id)
    if (refusal === null) return
    const text = `${name} is removed. ${refusal}`
    this.#parts.raise({
      id: 'token-left',
      tone: 'warning',
      title: 'The token is still in the keychain',
      text,
    })
  }

  /** Keeps what was learnt of an account's service. Of an account that has gone, nothing is kept. */
  async learn(id: AccountId, traits: Traits): Promise<void> {
    if (!(await this.#roster.learn(id, traits))) return
    this.#parts.emit('accounts/changed', { active: this.active(), accounts: this.list() })
  }

  /** Ends what is still being asked for any account. */
  close(): Promise<void> {
    return this.#clients.endAll()
  }

  /** @returns ends the listening */
  onChange(listener: (change: AccountChange) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  async #explore(): Promise<Account> {
    const known = this.list().find((each) => each.kind === 'sample')
    const account: Account = known ?? { ...plainAccount(), name: 'Sample data', kind: 'sample' }
    await this.#clients.of(account)
    if (!known) await this.#roster.add(account)
    return this.activate(account.id)
  }

  async #addOrTakeBack(account: Account): Promise<void> {
    try {
      await this.#roster.add(account)
    } catch (error) {
      await this.#tokens.remove(account.id)
      throw error
    }
  }

  /** The account may have been removed while its token was tried out or stored. */
  async #takeBackIfGone(id: AccountId): Promise<void> {
    try {
      this.account(id)
    } catch (error) {
      await this.#tokens.remove(id)
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

  /** Tells the windows what there is now, and the other rooms what happened. */
  #tell(change: AccountChange): void {
    this.#parts.emit('accounts/changed', { active: this.active(), accounts: this.list() })
    for (const listener of this.#listeners) listener(change)
  }
}

export const createAccountBook = (parts: AccountBookParts): AccountBook => new AccountBook(parts)
