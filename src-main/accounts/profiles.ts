import type { Account, EarlierAccount, LiveAccount, RangeWindows } from '#shared/accounts/account.ts'
import { failureOf, invalid } from '#shared/api/failure.ts'
import type { AppEvents } from '#main/lib/app-events.ts'
import type { AccountId, Instant, DataScopeId } from '#shared/values/ids.ts'
import type { StateStore } from '#main/database/state/state-store.ts'
import { earlierAccounts, onlyRead } from './earlier.ts'
import { firstDataScope } from './data-scopes.ts'
import type { DataScope, DataScopes } from './data-scopes.ts'

const aMinute = 60_000
const anHour = 60 * aMinute

/** Facts learnt from a service's responses. Absent fields are unchanged. */
export type Traits = {
  readonly windows?: Partial<RangeWindows>
  readonly firstColumn?: LiveAccount['firstColumn']
  readonly rateBases?: NonNullable<LiveAccount['rateBases']>
  readonly ratesCheckedAt?: NonNullable<LiveAccount['ratesCheckedAt']>
  readonly searchedAll?: NonNullable<LiveAccount['searchedAll']>
  readonly clockAhead?: NonNullable<LiveAccount['clockAhead']>
}

/** Earlier figures, with the lists from which they were derived. */
type Earlier = {
  readonly all: readonly DataScope[]
  readonly accounts: readonly LiveAccount[]
  readonly entries: ReturnType<typeof earlierAccounts>
}

/** All accounts, oldest first, followed by earlier figures; and the active account. Every change is stored. */
export class Profiles {
  readonly #store: StateStore
  readonly #dataScopes: DataScopes
  readonly #events: AppEvents
  #accounts: readonly LiveAccount[] = []
  #active: AccountId | null = null
  #earlierCache: Earlier | null = null
  /** Accounts being removed. Learnt traits must not store them again. */
  readonly #leaving = new Set<AccountId>()

  constructor(store: StateStore, dataScopes: DataScopes, events: AppEvents) {
    this.#store = store
    this.#dataScopes = dataScopes
    this.#events = events
  }

  /** Loads the accounts. If the store fails, starts without accounts and shows a notice. */
  async open(): Promise<void> {
    try {
      const [accounts, settings] = await Promise.all([
        this.#store.run('accounts/list', undefined),
        this.#store.run('settings/read', undefined),
        this.#dataScopes.open(),
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

  /** @throws DeskFailure `invalid` if the account does not exist */
  account(id: AccountId): Account {
    const found = this.list().find((account) => account.id === id)
    if (found) return found
    throw invalid('This account has been removed.', 'account')
  }

  /** Returns an account with a service. @throws DeskFailure `invalid` if there is none, or for earlier figures */
  live(id: AccountId): LiveAccount {
    const found = this.account(id)
    if (found.kind === 'earlier') throw onlyRead()
    return found
  }

  /** Data scope of an account's figures. @throws DeskFailure as `account` */
  dataScopeOf(id: AccountId): DataScopeId {
    const earlier = this.#earlier().find(({ entry }) => entry.id === id)
    return earlier?.dataScope ?? this.#dataScopes.present(this.account(id).id)?.id ?? firstDataScope(id)
  }

  isDataScope(dataScope: DataScopeId): boolean {
    return (
      this.#dataScopes.list().some(({ id }) => id === dataScope) || this.has(dataScope as string as AccountId)
    )
  }

  /** Earlier figures of existing accounts, under the accounts' current names. */
  #earlier(): Earlier['entries'] {
    const [all, accounts] = [this.#dataScopes.list(), this.#accounts]
    // Cached, because every query lists the accounts.
    if (this.#earlierCache?.all !== all || this.#earlierCache.accounts !== accounts)
      this.#earlierCache = { all, accounts, entries: earlierAccounts(this.#dataScopes.earlier(), accounts) }
    return this.#earlierCache.entries
  }

  has(id: AccountId): boolean {
    return this.#accounts.some((account) => account.id === id)
  }

  /** @throws DeskFailure if the store fails; the account is not added */
  async add(account: LiveAccount): Promise<void> {
    await this.#store.run('accounts/put', account)
    this.#accounts = [...this.#accounts, account]
  }

  /** Removes an account with its stored data. @throws DeskFailure if the store fails */
  async remove(id: AccountId): Promise<void> {
    this.#leaving.add(id)
    try {
      await this.#store.run('accounts/remove', id)
      this.#accounts = this.#accounts.filter((account) => account.id !== id)
      this.#dataScopes.forget(id)
    } finally {
      this.#leaving.delete(id)
    }
    await this.#chooseAnother(this.#accounts[0]?.id ?? null)
  }

  /** Removes earlier figures, but not their account. @throws DeskFailure if the store fails */
  async removeEarlier({ id, account: of }: EarlierAccount): Promise<void> {
    await this.#dataScopes.remove(this.dataScopeOf(id))
    await this.#chooseAnother(of)
  }

  /** Activates another account if the active one was removed. */
  async #chooseAnother(instead: AccountId | null): Promise<void> {
    if (!this.list().some(({ id }) => id === this.#active)) await this.setActive(instead)
  }

  /** Changes fields of an account. @throws DeskFailure if the account or the store fails; nothing changes */
  async change(id: AccountId, changes: Partial<Omit<LiveAccount, 'id' | 'kind'>>): Promise<LiveAccount> {
    const before = this.live(id)
    // Changed before storing, so that traits learnt in the meantime are stored with the change.
    this.#put({ ...before, ...changes })
    try {
      await this.#store.run('accounts/put', this.live(id))
    } catch (error) {
      // Traits learnt in the meantime are lost, and will be learnt again.
      const { tokenPlace } = this.live(id)
      this.#put({ ...before, ...(tokenPlace && { tokenPlace }) })
      throw error
    }
    return this.live(id)
  }

  /**
   * Applies and stores traits of an account's service. If the store fails, the traits last for this session.
   * @returns whether the account still exists
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
   * Extends the period in which the local clock ran ahead of the service's.
   * @param by milliseconds shown by the response
   * @returns null if the response is within the known period
   */
  whileAhead(id: AccountId, by: number, receivedAt: Instant): NonNullable<LiveAccount['clockAhead']> | null {
    const known = this.#accounts.find((account) => account.id === id)?.clockAhead
    if (known && receivedAt > known.from && receivedAt <= known.until && by <= known.by) return null
    return {
      from: Math.min(known?.from ?? Infinity, receivedAt - by),
      // The period extends an hour ahead, so that not every response changes it.
      until: Math.max(known?.until ?? 0, receivedAt + anHour),
      by: Math.max(known?.by ?? 0, by + aMinute),
    }
  }

  /** Activates an account. If the store fails, the choice lasts for this session. */
  async setActive(id: AccountId | null): Promise<void> {
    this.#active = id
    try {
      await this.#store.run('settings/write', { activeAccount: id })
    } catch (error) {
      this.#warn('active-unwritable', "Can't save your choice of account", error)
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
