import { randomUUID } from 'node:crypto'
import type { LiveAccount } from '#shared/accounts/account.ts'
import type { ScopeCheck } from '#shared/reports/answer.ts'
import type { AccountId, InstanceId, Instant, DataScopeId } from '#shared/values/ids.ts'
import type { DataScope, Scope } from '#main/database/state/data-scopes-repository.ts'
import type { Store } from '#main/database/state/state-store.ts'

export type { DataScope, Scope } from '#main/database/state/data-scopes-repository.ts'

/** The stand-in service inside the app is the same one at every address. */
const sampleOrigin = 'sample'

/** What identifies a data scope: the same service and instances give the same. */
export function scopeOf(
  { kind, address }: Pick<LiveAccount, 'kind' | 'address'>,
  instances: readonly InstanceId[],
): Scope {
  const scope = JSON.stringify([...instances].sort())
  // Two services may share a host, each under a path of its own.
  return { origin: kind === 'sample' ? sampleOrigin : address, scope, instances: instances.length }
}

/** Each account's present data scope, and its earlier ones; stored with every change. */
export class DataScopes {
  readonly #store: Pick<Store, 'run'>
  #all: readonly DataScope[] = []

  constructor(store: Pick<Store, 'run'>) {
    this.#store = store
  }

  /** @throws DeskFailure where the store refuses */
  async open(): Promise<void> {
    this.#all = await this.#store.run('owners/list', undefined)
    await this.dropEmpty()
  }

  /** All of them; another list with every change. */
  list(): readonly DataScope[] {
    return this.#all
  }

  /** The data scope of an account's figures now. Undefined only for an account that was added a moment ago. */
  present(account: AccountId): DataScope | undefined {
    return this.#all.find((dataScope) => dataScope.account === account && dataScope.until === null)
  }

  /** Those whose figures can be read and are not added to any more, the latest first. */
  earlier(): readonly (DataScope & { readonly until: Instant })[] {
    const ended = this.#all.flatMap((dataScope) =>
      dataScope.until === null ? [] : [{ ...dataScope, until: dataScope.until }],
    )
    return ended.toSorted((one, other) => other.until - one.until)
  }

  /** All of an account. */
  ids(account: AccountId): readonly DataScopeId[] {
    const ids = this.#all.filter((dataScope) => dataScope.account === account).map(({ id }) => id)
    return ids.length > 0 ? ids : [firstOwner(account)]
  }

  /**
   * Stored before an account's token or address changes: should the app end in between, nothing else is stored until
   * its scope has been looked at. @throws DeskFailure where the store refuses; then neither may change
   */
  async doubt(account: AccountId): Promise<void> {
    this.#all = await this.#store.run('owners/doubt', account)
  }

  /**
   * The account's figures are of this data scope from now on: the present one, an earlier one that is taken up again, or a
   * new one. What is provisional is confirmed or deleted with it.
   * @param check the check that found it so, if it was made with the token and the address of the figures
   * @throws DeskFailure where the store refuses; then nothing has changed
   */
  async take(account: AccountId, scope: Scope, now: Instant, check?: ScopeCheck): Promise<void> {
    const newId = randomUUID() as DataScopeId
    this.#all = await this.#store.run('owners/take', {
      account,
      scope,
      now,
      newId,
      ...(check && { check }),
    })
  }

  /** Removes an earlier data scope with its figures. @throws DeskFailure where the store refuses */
  async remove(owner: DataScopeId): Promise<void> {
    await this.#store.run('owners/remove', { owners: [owner] })
    this.#all = this.#all.filter(({ id }) => id !== owner)
  }

  /** The account has gone, and its data scopes with it. */
  forget(account: AccountId): void {
    this.#all = this.#all.filter((dataScope) => dataScope.account !== account)
  }

  /**
   * Removes earlier data scopes of which nothing is stored. Where the store refuses, they stay.
   * @returns whether there were any
   */
  async dropEmpty(): Promise<boolean> {
    if (this.earlier().length === 0) return false
    try {
      const known = await this.#store.run('owners/with-figures', undefined)
      const empty = this.earlier().flatMap(({ id }) => (known.includes(id) ? [] : id))
      if (empty.length === 0) return false
      await this.#store.run('owners/drop', { owners: empty })
      this.#all = this.#all.filter(({ id }) => !empty.includes(id))
      return true
    } catch {
      // They are looked at again at the next start.
      return false
    }
  }
}

/** An account's first data scope has the account's id, also as long as its instances were not listed. */
export const firstOwner = (account: AccountId): DataScopeId => account as string as DataScopeId
