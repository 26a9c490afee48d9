import type { Account } from '../../src-shared/accounts/account.ts'
import type { DeskEvents } from '../../src-shared/bridge/calls.ts'
import type { Notice } from '../../src-shared/desk/state.ts'
import type { AccountId, OwnerId } from '../../src-shared/values/ids.ts'
import type { ServiceClient } from '../service/client.ts'
import type { Store } from '../state/state-store.ts'
import type { AccountEdit } from './check-edit.ts'
import { checkService } from './check-input.ts'
import type { CreateClient, ParseAddress } from './client.ts'
import { Clients } from './clients.ts'
import type { StartSample } from './clients.ts'
import { Entering, plainAccount } from './entering.ts'
import type { NewAccount, NewToken } from './entering.ts'
import type { Keychain } from './keychain.ts'
import { Roster } from './roster.ts'
import type { Traits } from './roster.ts'
import { Tokens } from './tokens.ts'
import { TryingOut } from './trying-out.ts'
import { Turns } from './turns.ts'

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

/** What other rooms of the main process follow. */
export type AccountChange =
  | { readonly kind: 'activated'; readonly account: AccountId | null }
  /** It has another token, or none, or is asked at another address: whatever its service said of that is over. */
  | { readonly kind: 'renewed'; readonly account: AccountId }
  | { readonly kind: 'removed'; readonly account: AccountId }

/** The accounts, which of them is active, and their clients. Every method throws `DeskFailure`s. */
export class AccountBook {
  readonly #parts: AccountBookParts
  readonly #roster: Roster
  readonly #tokens: Tokens
  readonly #clients: Clients
  readonly #listeners = new Set<(change: AccountChange) => void>()
  readonly #trying: TryingOut
  /** Whatever makes an account active, changes it or takes it away. */
  readonly #turns = new Turns()
  readonly #entering: Entering
  #exploring: Promise<Account> | null = null

  constructor(parts: AccountBookParts) {
    this.#parts = parts
    this.#roster = new Roster(parts)
    this.#tokens = new Tokens(parts.keychain)
    this.#clients = new Clients({ ...parts, tokens: this.#tokens })
    this.#trying = new TryingOut(parts.createClient)
    this.#entering = new Entering({
      ...parts,
      roster: this.#roster,
      tokens: this.#tokens,
      trying: this.#trying,
      turns: this.#turns,
    })
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

  /** Whose figures are kept for an account from now on. @throws DeskFailure `invalid` where there is no such account */
  ownerOf(id: AccountId): OwnerId {
    return this.#roster.account(id).id as string as OwnerId
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
    const { id } = await this.#entering.connect(given)
    return await this.activate(id)
  }

  /**
   * Changes a profile. Another address, or another form of bodies, is tried out with the account's token first. Kept
   * figures stay. Where anything refuses, nothing changes.
   */
  async edit(given: AccountEdit): Promise<Account> {
    const { account, moved } = await this.#entering.edit(given)
    if (moved) await this.#renewed(account.id)
    else this.#tellWindows()
    return account
  }

  /** Asks the service whether address and token hold; the number of instances that the token may see. */
  async check(id: AccountId): Promise<{ readonly instances: number }> {
    const account = this.account(id)
    return await this.#trying.untilCancelled(async (signal) => {
      const { query } = await checkService(await this.#clients.of(account), signal)
      return { instances: query.results }
    })
  }

  /** Gives up waiting for what `connect`, `edit`, `check` and `renewToken` ask; they fail as `cancelled`. */
  cancelCheck(): void {
    this.#trying.cancelAll()
  }

  /** Starts the stand-in service and makes its account the active one; it is the same account each time. */
  exploreSample(): Promise<Account> {
    this.#exploring ??= this.#explore().finally(() => (this.#exploring = null))
    return this.#exploring
  }

  /** Makes an account the active one, and remembers that for the next start. */
  activate(id: AccountId): Promise<Account> {
    return this.#turns.take(async () => {
      const account = this.account(id)
      await this.#roster.setActive(id)
      this.#tell({ kind: 'activated', account: id })
      return account
    })
  }

  /** Checks a new token against the service, and puts it in place of the old one. */
  async renewToken(given: NewToken): Promise<Account> {
    await this.#entering.renewToken(given)
    await this.#renewed(given.account)
    return this.account(given.account)
  }

  /**
   * Takes an account's token away, and leaves the account with all that is kept for it.
   * @throws DeskFailure `no-keychain` where the keychain holds on to the token
   */
  async removeToken(id: AccountId): Promise<void> {
    await this.#entering.removeToken(id)
    await this.#renewed(id)
  }

  /** Removes an account, what is kept for it, and its token. */
  async remove(id: AccountId): Promise<void> {
    const { kind, name } = await this.#turns.take(async () => {
      const account = this.account(id)
      const before = this.active()
      await this.#roster.remove(id)
      this.#tell({ kind: 'removed', account: id })
      if (this.active() !== before) this.#tell({ kind: 'activated', account: this.active() })
      return account
    })
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
    this.#tellWindows()
  }

  /** Ends what is still being asked for any account. */
  close(): Promise<void> {
    this.cancelCheck()
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

  /** From now on the account is asked with what it has now. */
  async #renewed(id: AccountId): Promise<void> {
    await this.#clients.end(id)
    // It may have been removed meanwhile: then there is nobody to ask.
    if (this.#roster.has(id)) this.#tell({ kind: 'renewed', account: id })
  }

  /** Tells the windows what there is now, and the other rooms what happened. */
  #tell(change: AccountChange): void {
    this.#tellWindows()
    for (const listener of this.#listeners) listener(change)
  }

  #tellWindows(): void {
    this.#parts.emit('accounts/changed', { active: this.active(), accounts: this.list() })
  }
}

export const createAccountBook = (parts: AccountBookParts): AccountBook => new AccountBook(parts)
