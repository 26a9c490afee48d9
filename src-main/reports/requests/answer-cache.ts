import type { Accounts, DataScopeClient } from '#main/accounts/accounts.ts'
import type { AnswerToStore, FoundText, StoredText } from '#main/database/cache/answers-repository.ts'
import type { CacheStore } from '#main/database/cache/cache-store.ts'
import type { AppEvents } from '#main/lib/app-events.ts'
import type { EndpointPath } from '#shared/api/endpoints.ts'
import { failureOf } from '#shared/api/failure.ts'
import type { Provisional, ScopeTerm } from '#shared/reports/answer.ts'
import type { DayRange } from '#shared/values/day.ts'
import type { AccountId, DataScopeId } from '#shared/values/ids.ts'

/** Maximum number of characters of a stored answer. A page of 1,000 rows is far shorter. */
const maxCached = 1_000_000

/** Maximum number of answers to hold in memory if the store fails. */
const maxInMemory = 50

/** Stores answers. Answers that the store cannot save are held in memory, so that they can be shown. Only `forgetAll` fails. */
export class AnswerCache {
  readonly #store: CacheStore
  readonly #events: AppEvents
  readonly #unstored = new Map<string, FoundText>()
  #hasWarned = false

  constructor(store: CacheStore, events: AppEvents) {
    this.#store = store
    this.#events = events
  }

  async save(answer: AnswerToStore): Promise<void> {
    // Parsing it later would block the event loop; its figures are stored as tables.
    if (answer.text.length > maxCached) return
    const id = placeOf(answer.dataScope, answer.key)
    try {
      await this.#store.run('answers/keep', answer)
      this.#unstored.delete(id)
      this.#hasWarned = false
    } catch (error) {
      this.#hold(id, answer)
      this.#warn(failureOf(error).message)
    }
  }

  /** Returns the answer to a query; null if there is none. */
  async read(dataScope: DataScopeId, key: string): Promise<FoundText | null> {
    // Answers held in memory are newer than stored ones.
    return this.#unstored.get(placeOf(dataScope, key)) ?? (await this.#stored(dataScope, key))
  }

  /** Returns the newest answers of an endpoint, the newest first, or only those within a range. Empty if the store fails. */
  async newest(
    dataScope: DataScopeId,
    path: EndpointPath,
    max: number,
    range?: DayRange,
  ): Promise<readonly StoredText[]> {
    try {
      return await this.#store.run('answers/newest', { dataScope, path, max, ...(range && { range }) })
    } catch {
      return []
    }
  }

  /** Whether any answer of a data scope waits for a scope check; true if unknown. */
  async holdUnconfirmed(dataScope: DataScopeId): Promise<boolean> {
    if (this.#unstored.size > 0) return true
    return await this.#store.run('answers/wait', dataScope).catch(() => true)
  }

  /** Deletes the stored pages of tables. Ignores failures of the store. */
  async forgetTables(dataScope: DataScopeId): Promise<void> {
    for (const id of this.#unstored.keys()) if (id.startsWith(dataScope)) this.#unstored.delete(id)
    await this.#store.run('answers/forget-tables', { dataScope }).catch(() => null)
  }

  /** Clears the answers in memory, which may be of another data scope. */
  forgetUnstored(): void {
    this.#unstored.clear()
  }

  /** Clears the answers in memory of a removed data scope. */
  forget(dataScope: DataScopeId): void {
    for (const id of this.#unstored.keys()) if (id.startsWith(dataScope)) this.#unstored.delete(id)
  }

  /** Deletes all answers of a data scope. @throws DeskFailure if the store fails; then stored answers stay */
  async forgetAll(dataScope: DataScopeId): Promise<void> {
    this.forget(dataScope)
    await this.#store.run('answers/forget', dataScope)
  }

  async #stored(dataScope: DataScopeId, key: string): Promise<FoundText | null> {
    try {
      return await this.#store.run('answers/read', { dataScope, key })
    } catch {
      return null
    }
  }

  #hold(id: string, { key, fetchedAt, text, madeOf, provisional }: AnswerToStore): void {
    this.#unstored.delete(id)
    this.#unstored.set(id, { key, fetchedAt, text, madeOf, isProvisional: provisional !== undefined })
    const [oldest] = this.#unstored.keys()
    if (this.#unstored.size > maxInMemory && oldest !== undefined) this.#unstored.delete(oldest)
  }

  #warn(text: string): void {
    if (this.#hasWarned) return
    this.#hasWarned = true
    const notice = {
      id: 'answers-unwritable',
      tone: 'trouble',
      title: 'New answers are not saved',
      text,
    } as const
    this.#events.emit({ kind: 'notice/shown', notice })
  }
}

/** Term of a client's data scope and its pending scope check, for storing an answer. */
export function termAndCheckOf({ term, provisional }: DataScopeClient): Pick<ScopeTerm, 'term'> & {
  readonly provisional?: Provisional
} {
  const under = provisional()
  return { term, ...(under && { provisional: under }) }
}

const placeOf = (dataScope: DataScopeId, key: string) => `${dataScope} ${key}`

/** Whether an account still has this data scope. Otherwise an answer for it is not stored. */
export function isStillDataScope(accounts: Accounts, account: AccountId, dataScope: DataScopeId): boolean {
  try {
    return accounts.dataScopeOf(account) === dataScope
  } catch {
    return false
  }
}
