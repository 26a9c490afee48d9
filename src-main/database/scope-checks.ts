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
import type { Writer } from './sqlite/database.ts'
import { listDataScopes, noteSorted, isInTerm, currentDataScope } from './state/data-scopes-repository.ts'
import type { DataScope, Taking } from './state/data-scopes-repository.ts'
import { withdrawRestatements } from './state/restatements-repository.ts'
import type { StateFile } from './state/state-file.ts'

/**
 * Migrates, once, data of a version without scope checks. Marks tables as doubtful if the data scope was uncertain when they
 * were stored, so that they are fetched again. Uncertain are tables from before a data scope was resumed, or from after the
 * last check of an ended one. Uncertain answers are deleted.
 *
 * The cache is changed first, so that an interrupted migration runs again.
 */
function sortStored(state: StateFile, cache: CacheFile): void {
  const unsorted = state.run(listDataScopes).filter(({ isUnsorted }) => isUnsorted)
  if (unsorted.length === 0) return
  try {
    cache.run((into) =>
      into.together(() => {
        for (const dataScope of unsorted) sortOf(into, dataScope)
      }),
    )
    if (cache.state() === 'ready') state.run(noteSorted)
  } catch {
    // The disk failed. The next write reports the failure, and the next start retries.
  }
}

function sortOf(into: Writer, { id, since, until, checkedAt, takenAt }: DataScope): void {
  // With a single term there is no data from before.
  const from = takenAt === null || takenAt === since ? -1 : takenAt
  // Data of the current data scope from after its last check becomes provisional.
  const to = until === null ? Number.MAX_SAFE_INTEGER : (checkedAt ?? until)
  into.write(
    `UPDATE kept_tables SET doubt = 'scope' WHERE data_scope = ? AND (fetched_at < ? OR fetched_at > ?)`,
    ...[id, from, to],
  )
  into.write(
    `DELETE FROM answers WHERE data_scope = ? AND path NOT LIKE 'interface/%' AND (fetched_at < ? OR fetched_at > ?)`,
    ...[id, from, to],
  )
  if (until !== null || checkedAt === null) return
  const late = [id, checkedAt] as const
  into.write(
    `INSERT OR IGNORE INTO provisional_tables SELECT *, '', 0, fetched_at FROM kept_tables WHERE data_scope = ? AND fetched_at > ?`,
    ...late,
  )
  into.write('DELETE FROM kept_tables WHERE data_scope = ? AND fetched_at > ?', ...late)
  into.write(
    `INSERT OR IGNORE INTO provisional_answers (data_scope, key, session, checks, arrived_at)
     SELECT data_scope, key, '', 0, fetched_at FROM answers WHERE data_scope = ? AND fetched_at > ?`,
    ...late,
  )
}

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

  /** Lists all data scopes, after migrating data of earlier versions. @throws DeskFailure */
  dataScopes(): readonly DataScope[] {
    sortStored(this.#state, this.#cache)
    return this.#state.run(listDataScopes)
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
