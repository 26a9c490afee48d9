import type { Account, EarlierAccount, LiveAccount, Windows } from '#shared/accounts/account.ts'
import { failureOf, invalid } from '#shared/api/failure.ts'
import type { Emitter } from '#main/lib/app-events.ts'
import type { AccountId, Instant, DataScopeId } from '#shared/values/ids.ts'
import type { Store } from '#main/database/state/state-store.ts'
import { earlierAccounts, onlyRead } from './earlier.ts'
import { firstOwner } from './data-scopes.ts'
import type { DataScope, DataScopes } from './data-scopes.ts'

const aMinute = 60_000
const anHour = 60 * aMinute

/** What a service's answers tell of it; what is left out stays as it is. */
export type Traits = {
  readonly windows?: Partial<Windows>
  readonly firstColumn?: LiveAccount['firstColumn']
  readonly rateBases?: NonNullable<LiveAccount['rateBases']>
  readonly ratesCheckedAt?: NonNullable<LiveAccount['ratesCheckedAt']>
  readonly searchedAll?: NonNullable<LiveAccount['searchedAll']>
  readonly clockAhead?: NonNullable<LiveAccount['clockAhead']>
}

/** Earlier figures, and what they were put together from. */
type Earlier = {
  readonly all: readonly DataScope[]
  readonly accounts: readonly LiveAccount[]
  readonly entries: ReturnType<typeof earlierAccounts>
}

/**
 * The accounts, the oldest first, then the earlier figures that can be read like accounts; and which of them is active.
 * Written down with every change.
 */
export class Profiles {
  readonly #store: Store
  readonly #owners: DataScopes
  readonly #events: Emitter
  #accounts: readonly LiveAccount[] = []
  #active: AccountId | null = null
  #known: Earlier | null = null
  /** Accounts that are being removed: whatever is learnt of one now must not bring it back. */
  readonly #leaving = new Set<AccountId>()

  constructor(store: Store, owners: DataScopes, events: Emitter) {
    this.#store = store
    this.#owners = owners
    this.#events = events
  }

  /** Reads what was written down. Where the store refuses, there are none, and that is said. */
  async open(): Promise<void> {
    try {
      const [accounts, settings] = await Promise.all([
        this.#store.run('accounts/list', undefined),
        this.#store.run('settings/read', undefined),
        this.#owners.open(),
      ])
      this.#accounts = accounts
      const last = this.list().find((account) => account.id === settings.activeAccount)
      this.#active = (last ?? accounts[0])?.id ?? null
    } catch (error) {
      this.#warn('accounts-unread', "Can't read your accounts", error)
    }
  }

  list(): readonly Account[] {
    return [...this.#accounts, ...this.#earlier().map(({ entry }) => entry)]
  }

  active(): AccountId | null {
    return this.#active
  }

  /** @throws DeskFailure `invalid` where there is no such account (any more) */
  account(id: AccountId): Account {
    const found = this.list().find((account) => account.id === id)
    if (found) return found
    throw invalid('This account has been removed.', 'account')
  }

  /** An account that is asked. @throws DeskFailure `invalid` where there is none, or what is there can only be read */
  live(id: AccountId): LiveAccount {
    const found = this.account(id)
    if (found.kind === 'earlier') throw onlyRead()
    return found
  }

  /** Whose figures are shown for an account, and kept from now on where it is asked. @throws DeskFailure as `account` */
  dataScopeOf(id: AccountId): DataScopeId {
    const earlier = this.#earlier().find(({ entry }) => entry.id === id)
    return earlier?.owner ?? this.#owners.present(this.account(id).id)?.id ?? firstOwner(id)
  }

  isDataScope(owner: DataScopeId): boolean {
    return this.#owners.list().some(({ id }) => id === owner) || this.has(owner as string as AccountId)
  }

  /** Earlier figures of accounts that are there, as those are called now. */
  #earlier(): Earlier['entries'] {
    const [all, accounts] = [this.#owners.list(), this.#accounts]
    // Accounts are asked for with every question: what has not changed is not put together anew.
    if (this.#known?.all !== all || this.#known.accounts !== accounts)
      this.#known = { all, accounts, entries: earlierAccounts(this.#owners.earlier(), accounts) }
    return this.#known.entries
  }

  has(id: AccountId): boolean {
    return this.#accounts.some((account) => account.id === id)
  }

  /** @throws DeskFailure where the store refuses; then the account is not there */
  async add(account: LiveAccount): Promise<void> {
    await this.#store.run('accounts/put', account)
    this.#accounts = [...this.#accounts, account]
  }

  /** Removes an account with all that is kept for it. @throws DeskFailure where the store refuses */
  async remove(id: AccountId): Promise<void> {
    this.#leaving.add(id)
    try {
      await this.#store.run('accounts/remove', id)
      this.#accounts = this.#accounts.filter((account) => account.id !== id)
      this.#owners.forget(id)
    } finally {
      this.#leaving.delete(id)
    }
    await this.#chooseAnother(this.#accounts[0]?.id ?? null)
  }

  /** Removes earlier figures; the account that they were kept for stays. @throws DeskFailure where the store refuses */
  async removeEarlier({ id, account: of }: EarlierAccount): Promise<void> {
    await this.#owners.remove(this.dataScopeOf(id))
    await this.#chooseAnother(of)
  }

  /** Where what is active has gone, something else is. */
  async #chooseAnother(instead: AccountId | null): Promise<void> {
    if (!this.list().some(({ id }) => id === this.#active)) await this.setActive(instead)
  }

  /**
   * Changes what is given of an account. @throws DeskFailure where it has gone, or the store refuses; then it is as it was
   */
  async change(id: AccountId, changes: Partial<Omit<LiveAccount, 'id' | 'kind'>>): Promise<LiveAccount> {
    const before = this.live(id)
    // At once, so that what is learnt of the service meanwhile is written down together with it.
    this.#put({ ...before, ...changes })
    try {
      await this.#store.run('accounts/put', this.live(id))
    } catch (error) {
      // What is learnt meanwhile is learnt again.
      const { tokenPlace } = this.live(id)
      this.#put({ ...before, ...(tokenPlace && { tokenPlace }) })
      throw error
    }
    return this.live(id)
  }

  /**
   * Writes down what was learnt of an account's service. It counts from now on, also where it cannot be kept: then it is
   * learnt anew after the next start.
   * @returns whether the account is still there
   */
  async learn(
    id: AccountId,
    { windows, firstColumn, rateBases, ratesCheckedAt, searchedAll, clockAhead }: Traits,
  ): Promise<boolean> {
    const known = this.#leaving.has(id) ? undefined : this.#accounts.find((account) => account.id === id)
    if (!known) return false
    const learnt: LiveAccount = {
      ...known,
      windows: { ...known.windows, ...windows },
      ...(firstColumn !== undefined && { firstColumn }),
      ...(rateBases !== undefined && { rateBases: { ...known.rateBases, ...rateBases } }),
      ...(ratesCheckedAt !== undefined && { ratesCheckedAt: { ...known.ratesCheckedAt, ...ratesCheckedAt } }),
      ...(clockAhead !== undefined && { clockAhead }),
      ...(searchedAll !== undefined && { searchedAll: { ...known.searchedAll, ...searchedAll } }),
    }
    this.#put(learnt)
    await this.#store.run('accounts/put', learnt).catch(() => undefined)
    return true
  }

  /**
   * In which time this machine's clock ran ahead of an account's service, after an answer that shows it.
   * @param by how much, in milliseconds
   * @returns null where that is known already
   */
  whileAhead(id: AccountId, by: number, receivedAt: Instant): NonNullable<LiveAccount['clockAhead']> | null {
    const known = this.#accounts.find((account) => account.id === id)?.clockAhead
    if (known && receivedAt > known.from && receivedAt <= known.until && by <= known.by) return null
    return {
      from: Math.min(known?.from ?? Infinity, receivedAt - by),
      // Not with each answer: what comes within the next hour is meant too.
      until: Math.max(known?.until ?? 0, receivedAt + anHour),
      by: Math.max(known?.by ?? 0, by + aMinute),
    }
  }

  /** It counts from now on, also where it cannot be remembered for the next start. */
  async setActive(id: AccountId | null): Promise<void> {
    this.#active = id
    try {
      await this.#store.run('settings/write', { activeAccount: id })
    } catch (error) {
      this.#warn('active-unkept', "Can't save your choice of account", error)
    }
  }

  #put(account: LiveAccount): void {
    this.#accounts = this.#accounts.map((liveAccount) =>
      liveAccount.id === account.id ? account : liveAccount,
    )
  }

  #warn(id: string, title: string, error: unknown): void {
    const notice = { id, tone: 'warning', title, text: failureOf(error).message } as const
    this.#events.emit({ kind: 'notice/shown', notice })
  }
}
