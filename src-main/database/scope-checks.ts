import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { historyFolder } from '#main/analytics/history-layout.ts'
import type { Provisional, ScopeCheck } from '#shared/reports/answer.ts'
import type { AccountId, DataScopeId } from '#shared/values/ids.ts'
import type { AnswerToStore } from './cache/answers-repository.ts'
import type { CacheFile } from './cache/cache-file.ts'
import {
  confirmProvisional,
  dropProvisional,
  isConfirmedBy,
  provisionalFiles,
} from './cache/catalogue-repository.ts'
import type { CataloguedFile, FileToStore, Unused } from './cache/catalogue-repository.ts'
import type { HistoryPath } from '#main/analytics/history-layout.ts'
import { listDataScopes, isInTerm, currentDataScope } from './state/data-scopes-repository.ts'
import type { DataScope, Taking } from './state/data-scopes-repository.ts'
import { withdrawRestatements } from './state/restatements-repository.ts'
import type { StateFile } from './state/state-file.ts'

/** Maximum number of remembered checks: more than occur while a large table is written. */
const maxChecks = 32

/**
 * Applies scope checks to stored data. Data remains stored only if the checks before and after it found the same data scope.
 * The later check must start within a minute, with no other result in between.
 */
export class ScopeChecks {
  readonly #folder: string
  readonly #state: StateFile
  readonly #cache: CacheFile
  readonly #now: () => number
  /** The last successful checks of each data scope. Data fetched before a check may be stored only after it. */
  readonly #confirmedBy = new Map<DataScopeId, readonly ScopeCheck[]>()

  /** @param folder the profile folder */
  constructor(folder: string, state: StateFile, cache: CacheFile, now: () => number) {
    this.#folder = folder
    this.#state = state
    this.#cache = cache
    this.#now = now
  }

  /**
   * Sets the current data scope. If it changed, provisional data of the previous one is deleted first, so that an interruption
   * leaves none. Otherwise the check confirms earlier data.
   * @throws DeskFailure
   */
  take(taking: Taking, take: (taking: Taking) => readonly DataScope[]): readonly DataScope[] {
    const before = this.#state.run((from) => currentDataScope(from, taking.account))
    const differs =
      before &&
      before.scope !== null &&
      (before.scope.origin !== taking.scope.origin || before.scope.scope !== taking.scope.scope)
    if (differs) this.#drop(before.id, null)
    const dataScopes = take(taking)
    const { check } = taking
    const present = dataScopes.find(({ account, until }) => account === taking.account && until === null)
    if (check && present && !differs) {
      const known = this.#confirmedBy.get(present.id) ?? []
      this.#confirmedBy.set(present.id, [...known, check].slice(-maxChecks))
      this.#drop(present.id, check)
      this.#remove(this.#cache.run((into) => confirmProvisional(into, present.id, check, this.#now())))
    }
    return dataScopes
  }

  /**
   * Called when an account's token or address changes. Deletes provisional data, which later checks cannot confirm. @throws
   * DeskFailure
   */
  doubt(account: AccountId, doubt: (account: AccountId) => readonly DataScope[]): readonly DataScope[] {
    const before = this.#state.run((from) => currentDataScope(from, account))
    if (before) this.#drop(before.id, null)
    return doubt(account)
  }

  /**
   * Stores an answer, unless the data scope changed since the request. Answers computed from stored tables remain valid for an
   * ended data scope. @returns whether the answer was stored @throws DeskFailure
   */
  storeAnswer(answer: AnswerToStore, storeOne: (answer: AnswerToStore) => boolean): boolean {
    const mayHaveEnded = answer.madeOf !== '' && !answer.provisional
    if (!this.#state.run((from) => isInTerm(from, answer, { mayHaveEnded }))) return false
    const { provisional, ...confirmed } = answer
    return storeOne(provisional && this.#isConfirmed(answer.dataScope, provisional) ? confirmed : answer)
  }

  /** Catalogues a file, unless the data scope changed since the request. @throws DeskFailure */
  storeFile(stored: FileToStore, storeOne: (stored: FileToStore) => Unused): Unused {
    const [first] = stored.tables
    if (!first) return storeOne(stored)
    if ('isFound' in stored) return storeOne({ ...this.#judged(stored, first.dataScope), isFound: true })
    const { provisional, ...confirmed } = stored
    const { dataScope } = first
    if (!this.#state.run((from) => isInTerm(from, { dataScope, term: stored.term })))
      return { unused: [stored.file.path] }
    return storeOne(provisional && this.#isConfirmed(dataScope, provisional) ? confirmed : stored)
  }

  /**
   * Classifies a file found in the folder by the checks of its data scope. Tables of the current term from before the last
   * check are confirmed. A single later table is provisional; all others are doubtful.
   */
  #judged({ file, tables }: CataloguedFile, id: DataScopeId): CataloguedFile {
    const dataScope = this.#state.run(listDataScopes).find((item) => item.id === id)
    if (!dataScope || dataScope.checkedAt === null) return { file, tables }
    const { checkedAt, since, takenAt, until } = dataScope
    const begun = takenAt === null || takenAt === since ? -Infinity : takenAt
    const [only, ...more] = tables
    if (until === null && only && more.length === 0 && only.fetchedAt > checkedAt)
      return { file, tables, provisional: { session: '', checks: 0, arrivedAt: only.fetchedAt } }
    const isConfirmed = (fetchedAt: number) => fetchedAt >= begun && fetchedAt <= checkedAt
    return {
      file,
      tables: tables.map((table) =>
        isConfirmed(table.fetchedAt) ? table : { ...table, doubt: 'scope' as const },
      ),
    }
  }

  /** Whether a check confirmed the data while it was written. */
  #isConfirmed(dataScope: DataScopeId, provisional: Provisional): boolean {
    return this.#confirmedBy.get(dataScope)?.some((check) => isConfirmedBy(provisional, check)) ?? false
  }

  /** @param check deletes only data that the check is too late for; null deletes all provisional data */
  #drop(dataScope: DataScopeId, check: ScopeCheck | null): void {
    // Delete the files first: the next start would catalogue leftover files again.
    this.#remove(this.#cache.run((from) => provisionalFiles(from, dataScope, check)))
    const discard = this.#cache.run((from) => dropProvisional(from, dataScope, check))
    this.#state.run((into) => into.together(() => withdrawRestatements(into, dataScope, discard)))
  }

  #remove(paths: readonly HistoryPath[]): void {
    for (const path of paths) {
      try {
        rmSync(join(historyFolder(this.#folder), path), { force: true })
      } catch {
        // The file is in use. Rebuilding finds it again by its metadata (reports/history/rebuilding.ts).
      }
    }
  }
}
