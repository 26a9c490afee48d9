import { randomUUID } from 'node:crypto'
import type { LiveAccount } from '#shared/accounts/account.ts'
import type { ScopeCheck } from '#shared/reports/answer.ts'
import type { AccountId, InstanceId, Instant, DataScopeId } from '#shared/values/ids.ts'
import type { DataScope, Scope } from '#main/database/state/data-scopes-repository.ts'
import type { StateStore } from '#main/database/state/state-store.ts'

export type { DataScope, Scope } from '#main/database/state/data-scopes-repository.ts'

/** Origin of the sandbox, whose address differs at each start. */
const sampleOrigin = 'sample'

/** Identity of a data scope: equal for the same service and instances. */
export function scopeOf({ kind, address }: LiveAccount, instances: readonly InstanceId[]): Scope {
  const scope = JSON.stringify([...instances].sort())
  // Two services may share a host under different paths.
  return { origin: kind === 'sample' ? sampleOrigin : address, scope, instances: instances.length }
}

/** Current and former data scopes of the accounts. Every change is stored. */
export class DataScopes {
  readonly #store: StateStore
  #all: readonly DataScope[] = []

  constructor(store: StateStore) {
    this.#store = store
  }

  /** @throws DeskFailure if the store fails */
  async open(): Promise<void> {
    this.#all = await this.#store.run('data-scopes/list', undefined)
    await this.dropEmpty()
  }

  /** All data scopes; a new array after each change. */
  list(): readonly DataScope[] {
    return this.#all
  }

  /** Current data scope of an account. Undefined only for an account that was just added. */
  present(account: AccountId): DataScope | undefined {
    return this.#all.find((dataScope) => dataScope.account === account && dataScope.until === null)
  }

  /** Former data scopes, latest first. */
  earlier(): readonly (DataScope & { readonly until: Instant })[] {
    const ended = this.#all.flatMap((dataScope) =>
      dataScope.until === null ? [] : [{ ...dataScope, until: dataScope.until }],
    )
    return ended.toSorted((one, other) => other.until - one.until)
  }

  /** Ids of all data scopes of an account. */
  ids(account: AccountId): readonly DataScopeId[] {
    const ids = this.#all.filter((dataScope) => dataScope.account === account).map(({ id }) => id)
    return ids.length > 0 ? ids : [firstDataScope(account)]
  }

  /**
   * Marks the scope as unchecked before a token or address changes. After a crash in between, nothing is stored until
   * the scope has been checked.
   * @throws DeskFailure if the store fails; do not make the change then
   */
  async doubt(account: AccountId): Promise<void> {
    this.#all = await this.#store.run('data-scopes/doubt', account)
  }

  /**
   * Sets an account's data scope: the current one, a former one or a new one. Provisional results are confirmed or
   * deleted.
   * @param check the check that found the scope, if made with the token and address of the results
   * @throws DeskFailure if the store fails; nothing changes
   */
  async take(account: AccountId, scope: Scope, now: Instant, check?: ScopeCheck): Promise<void> {
    const newId = randomUUID() as DataScopeId
    this.#all = await this.#store.run('data-scopes/take', {
      account,
      scope,
      now,
      newId,
      ...(check && { check }),
    })
  }

  /** Removes a former data scope with its figures. @throws DeskFailure if the store fails */
  async remove(dataScope: DataScopeId): Promise<void> {
    await this.#store.run('data-scopes/remove', { dataScopes: [dataScope] })
    this.#all = this.#all.filter(({ id }) => id !== dataScope)
  }

  /** Forgets the data scopes of a removed account. */
  forget(account: AccountId): void {
    this.#all = this.#all.filter((dataScope) => dataScope.account !== account)
  }

  /** Removes former data scopes without stored figures, unless the store fails. @returns whether there were any */
  async dropEmpty(): Promise<boolean> {
    if (this.earlier().length === 0) return false
    try {
      const known = await this.#store.run('data-scopes/with-figures', undefined)
      const empty = this.earlier().flatMap(({ id }) => (known.includes(id) ? [] : id))
      if (empty.length === 0) return false
      await this.#store.run('data-scopes/drop', { dataScopes: empty })
      this.#all = this.#all.filter(({ id }) => !empty.includes(id))
      return true
    } catch {
      // Retried at the next start.
      return false
    }
  }
}

/** An account's first data scope has the account's id, even before the instances are listed. */
export const firstDataScope = (account: AccountId): DataScopeId => account as string as DataScopeId
