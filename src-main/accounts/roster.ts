import type { Account, Windows } from '../../src-shared/accounts/account.ts'
import { DeskFailure, failureOf } from '../../src-shared/desk/desk-failure.ts'
import type { Notice } from '../../src-shared/desk/state.ts'
import type { AccountId } from '../../src-shared/values/ids.ts'
import type { Store } from '../state/state-store.ts'

export type RosterParts = {
  readonly store: Store
  readonly raise: (notice: Notice) => void
}

/** What a service's answers tell of it; what is left out stays as it is. */
export type Traits = {
  readonly windows?: Partial<Windows>
  readonly firstColumn?: Account['firstColumn']
}

/** The accounts, the oldest first, and which of them is active; written down with every change. */
export class Roster {
  readonly #parts: RosterParts
  #accounts: readonly Account[] = []
  #active: AccountId | null = null
  /** Accounts that are being removed: whatever is learnt of one now must not bring it back. */
  readonly #leaving = new Set<AccountId>()

  constructor(parts: RosterParts) {
    this.#parts = parts
  }

  /** Reads what was written down. Where the store refuses, the roster stays empty and says so. */
  async open(): Promise<void> {
    const { store } = this.#parts
    try {
      const [accounts, settings] = await Promise.all([
        store.run('accounts/list', undefined),
        store.run('settings/read', undefined),
      ])
      const last = accounts.find((each) => each.id === settings.activeAccount)
      this.#accounts = accounts
      this.#active = (last ?? accounts[0])?.id ?? null
    } catch (error) {
      this.#warn('accounts-unread', 'Your accounts could not be read', error)
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
    if (found) return found
    throw new DeskFailure({ kind: 'invalid', message: 'This account has been removed.', field: 'account' })
  }

  has(id: AccountId): boolean {
    return this.#accounts.some((each) => each.id === id)
  }

  /** @throws DeskFailure where the store refuses; then the account is not there */
  async add(account: Account): Promise<void> {
    await this.#parts.store.run('accounts/put', account)
    this.#accounts = [...this.#accounts, account]
  }

  /** Removes an account with all that is kept for it. @throws DeskFailure where the store refuses */
  async remove(id: AccountId): Promise<void> {
    this.#leaving.add(id)
    try {
      await this.#parts.store.run('accounts/remove', id)
      this.#accounts = this.#accounts.filter((each) => each.id !== id)
    } finally {
      this.#leaving.delete(id)
    }
    if (this.#active === id) await this.setActive(this.#accounts[0]?.id ?? null)
  }

  /**
   * Changes what is given of an account. @throws DeskFailure where it has gone, or the store refuses; then it is as it was
   */
  async change(id: AccountId, changes: Partial<Omit<Account, 'id' | 'kind'>>): Promise<Account> {
    const before = this.account(id)
    // At once, so that what is learnt of the service meanwhile is written down together with it.
    this.#put({ ...before, ...changes })
    try {
      await this.#parts.store.run('accounts/put', this.account(id))
    } catch (error) {
      const { name, address, bodyEncoding, dayZone, windows, firstColumn } = before
      this.#put({ ...this.account(id), name, address, bodyEncoding, dayZone, windows, firstColumn })
      throw error
    }
    return this.account(id)
  }

  /**
   * Writes down what was learnt of an account's service. It counts from now on, also where it cannot be kept: then it is
   * learnt anew after the next start.
   * @returns whether the account is still there
   */
  async learn(id: AccountId, { windows, firstColumn }: Traits): Promise<boolean> {
    const known = this.#leaving.has(id) ? undefined : this.#accounts.find((each) => each.id === id)
    if (!known) return false
    const learnt: Account = {
      ...known,
      windows: { ...known.windows, ...windows },
      ...(firstColumn !== undefined && { firstColumn }),
    }
    this.#put(learnt)
    await this.#parts.store.run('accounts/put', learnt).catch(() => undefined)
    return true
  }

  /** It counts from now on, also where it cannot be remembered for the next start. */
  async setActive(id: AccountId | null): Promise<void> {
    this.#active = id
    try {
      await this.#parts.store.run('settings/write', { activeAccount: id })
    } catch (error) {
      this.#warn('active-unkept', 'Your choice of account could not be kept', error)
    }
  }

  #put(account: Account): void {
    this.#accounts = this.#accounts.map((each) => (each.id === account.id ? account : each))
  }

  #warn(id: string, title: string, error: unknown): void {
    this.#parts.raise({ id, tone: 'warning', title, text: failureOf(error).message })
  }
}
