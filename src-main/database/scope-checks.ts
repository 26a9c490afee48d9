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
 * Sorts what a version kept that did not wait for checks, once: of data scopes that ended and came back all that is from before, and
 * of those that ended what came after their last look. Of such tables nobody knows of which instances they are: they are marked,
 * and asked for anew. Answers are let go. Cache first: an end in between does it again.
 */
function sortStored(state: StateFile, cache: CacheFile): void {
  const unsorted = state.run(listDataScopes).filter(({ isUnsorted }) => isUnsorted)
  if (unsorted.length === 0) return
  try {
    cache.run((into) =>
      into.together(() => {
        for (const owner of unsorted) sortOf(into, owner)
      }),
    )
    if (cache.state() === 'ready') state.run(noteSorted)
  } catch {
    // The disk refuses: whoever keeps something says so, and the next start does it.
  }
}

function sortOf(into: Writer, { id, since, until, checkedAt, takenAt }: DataScope): void {
  // Of one term, the time before it is that before there was anything.
  const from = takenAt === null || takenAt === since ? -1 : takenAt
  // What the present data scope got after its last look waits for the next one, like anything that comes.
  const to = until === null ? Number.MAX_SAFE_INTEGER : (checkedAt ?? until)
  into.write(
    `UPDATE kept_tables SET doubt = 'scope' WHERE owner = ? AND (fetched_at < ? OR fetched_at > ?)`,
    ...[id, from, to],
  )
  into.write(
    `DELETE FROM answers WHERE owner = ? AND path NOT LIKE 'interface/%' AND (fetched_at < ? OR fetched_at > ?)`,
    ...[id, from, to],
  )
  if (until !== null || checkedAt === null) return
  const late = [id, checkedAt] as const
  into.write(
    `INSERT OR IGNORE INTO provisional_tables SELECT *, '', 0, fetched_at FROM kept_tables WHERE owner = ? AND fetched_at > ?`,
    ...late,
  )
  into.write('DELETE FROM kept_tables WHERE owner = ? AND fetched_at > ?', ...late)
  into.write(
    `INSERT OR IGNORE INTO provisional_answers (owner, key, session, checks, arrived_at)
     SELECT owner, key, '', 0, fetched_at FROM answers WHERE owner = ? AND fetched_at > ?`,
    ...late,
  )
}

/** More checks than are made while a large table is written. */
const maxChecks = 32

/**
 * What a check of an account's instances means for what is stored: kept for a data scope stays only what lies between two checks
 * that both found it, with no other result between, the later one within a minute.
 */
export class ScopeChecks {
  readonly #folder: string
  readonly #state: StateFile
  readonly #cache: CacheFile
  readonly #now: () => number
  /** The last checks of each data scope that found it: what came before one of them may be stored only after it. */
  readonly #confirmedBy = new Map<DataScopeId, readonly ScopeCheck[]>()

  /** @param folder the profile folder */
  constructor(folder: string, state: StateFile, cache: CacheFile, now: () => number) {
    this.#folder = folder
    this.#state = state
    this.#cache = cache
    this.#now = now
  }

  /** Every data scope; figures of an earlier version are sorted before. @throws DeskFailure */
  owners(): readonly DataScope[] {
    sortStored(this.#state, this.#cache)
    return this.#state.run(listDataScopes)
  }

  /**
   * Makes the data scope of these instances the present one. Where that is another one, what its forerunner has got since its last check goes
   * first, so that an end in between leaves none of it; else the check confirms what came before it. @throws DeskFailure
   */
  take(taking: Taking, take: (taking: Taking) => readonly DataScope[]): readonly DataScope[] {
    const before = this.#state.run((from) => currentDataScope(from, taking.account))
    const differs =
      before &&
      before.scope !== null &&
      (before.scope.origin !== taking.scope.origin || before.scope.scope !== taking.scope.scope)
    if (differs) this.#drop(before.id, null)
    const owners = take(taking)
    const { check } = taking
    const present = owners.find(({ account, until }) => account === taking.account && until === null)
    if (check && present && !differs) {
      const known = this.#confirmedBy.get(present.id) ?? []
      this.#confirmedBy.set(present.id, [...known, check].slice(-maxChecks))
      this.#drop(present.id, check)
      this.#remove(this.#cache.run((into) => confirmProvisional(into, present.id, check, this.#now())))
    }
    return owners
  }

  /** An account's token or address changes: no check of theirs will tell what the ones before saw. @throws DeskFailure */
  doubt(account: AccountId, doubt: (account: AccountId) => readonly DataScope[]): readonly DataScope[] {
    const before = this.#state.run((from) => currentDataScope(from, account))
    if (before) this.#drop(before.id, null)
    return doubt(account)
  }

  /**
   * Stores an answer, unless another scope was found since it was asked for. What was computed from tables of a data scope that
   * has ended since is that one's still. @returns whether it was stored @throws DeskFailure
   */
  storeAnswer(answer: AnswerToStore, storeOne: (answer: AnswerToStore) => boolean): boolean {
    const mayHaveEnded = answer.madeOf !== '' && !answer.provisional
    if (!this.#state.run((from) => isInTerm(from, answer, { mayHaveEnded }))) return false
    const { provisional, ...confirmed } = answer
    return storeOne(provisional && this.#isConfirmed(answer.owner, provisional) ? confirmed : answer)
  }

  /** Catalogues a file, unless another scope was found since it was asked for. @throws DeskFailure */
  storeFile(stored: FileToStore, storeOne: (stored: FileToStore) => Unused): Unused {
    const [first] = stored.tables
    if (!first) return storeOne(stored)
    if ('isFound' in stored) return storeOne({ ...this.#judged(stored, first.owner), isFound: true })
    const { provisional, ...confirmed } = stored
    const { owner } = first
    if (!this.#state.run((from) => isInTerm(from, { owner, term: stored.term })))
      return { unused: [stored.file.path] }
    return storeOne(provisional && this.#isConfirmed(owner, provisional) ? confirmed : stored)
  }

  /**
   * What lay in the folder, by what is known of its data scope's checks: of the present term and before the last of them it is
   * confirmed, after that it waits for the next; of anything else nobody can tell.
   */
  #judged({ file, tables }: CataloguedFile, id: DataScopeId): CataloguedFile {
    const owner = this.#state.run(listDataScopes).find((dataScope) => dataScope.id === id)
    if (!owner || owner.checkedAt === null) return { file, tables }
    const { checkedAt, since, takenAt, until } = owner
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

  /** Whether a check confirmed what was being written. */
  #isConfirmed(owner: DataScopeId, provisional: Provisional): boolean {
    return this.#confirmedBy.get(owner)?.some((check) => isConfirmedBy(provisional, check)) ?? false
  }

  /** @param check a check that comes too late for some of it; null where none of it can be confirmed */
  #drop(owner: DataScopeId, check: ScopeCheck | null): void {
    // First the files: left over, they would be taken up again at the next start.
    this.#remove(this.#cache.run((from) => provisionalFiles(from, owner, check)))
    const discard = this.#cache.run((from) => dropProvisional(from, owner, check))
    this.#state.run((into) => into.together(() => withdrawRestatements(into, owner, discard)))
  }

  #remove(paths: readonly HistoryPath[]): void {
    for (const path of paths) {
      try {
        rmSync(join(historyFolder(this.#folder), path), { force: true })
      } catch {
        // Somebody has it open: it is found again by what it says of itself (reports/history/rebuilding.ts).
      }
    }
  }
}
