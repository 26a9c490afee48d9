import { existsSync, rmSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { dataScopeRowsFolder } from '#main/analytics/rows-layout.ts'
import { syncFolder } from '#main/lib/sync-folder.ts'
import { historyFolder, dataScopeFolder } from '#main/analytics/history-layout.ts'
import type { ArgumentOf, ResultOf } from '#main/workers/rpc.ts'
import type { DataScopeId } from '#shared/values/ids.ts'
import {
  dropFigures,
  agreeToFigures,
  takeBackFigures,
  placeFigures,
  sweepFigures,
} from './restored-figures.ts'
import { CacheFile } from './cache/cache-file.ts'
import type { CacheNews } from './cache/cache-file.ts'
import { cacheFile } from './cache/cache-schema.ts'
import { cacheOperations } from './cache/cache-store.ts'
import type { CacheCalls } from './cache/cache-store.ts'
import { ScopeChecks } from './scope-checks.ts'
import { codeOf } from '#main/lib/error-code.ts'
import { callsOf } from './sqlite/database.ts'
import { emptyLog, isSound } from './sqlite/open-file.ts'
import { listAccounts } from './state/accounts-repository.ts'
import { forgetInBackups, purgeMovedFiles, expiringDataScopes, sweepMovedFiles } from './state/copies.ts'
import { removed, strikeOut, listDataScopes } from './state/data-scopes-repository.ts'
import {
  dropBackup,
  agreeToBackup,
  disagree,
  dropLeaving,
  leavingFile,
  refusal,
  writeBackup,
} from './state/moving.ts'
import { stateFile } from './state/schema.ts'
import { StateFile } from './state/state-file.ts'
import type { StateNews, StateOpening } from './state/state-file.ts'
import { stateOperations } from './state/state-store.ts'
import type { StateCalls } from './state/state-store.ts'

/** Deletes data of removed data scopes, and of states that were set aside. */
class Removals {
  readonly #folder: string
  readonly #state: StateFile
  readonly #cache: CacheFile
  readonly #now: () => number

  constructor(folder: string, state: StateFile, cache: CacheFile, now: () => number) {
    this.#folder = folder
    this.#state = state
    this.#cache = cache
    this.#now = now
  }

  /**
   * Works off noted removals. Each step is repeatable, and the note is deleted last. Failed steps (full disk, file in use) are
   * repeated on the next call.
   */
  workOff(): void {
    if (this.#state.opening.kind !== 'ready') return
    try {
      const gone = this.#state.run(removed)
      if (gone.dataScopes.length === 0) return
      for (const dataScope of gone.dataScopes) removeFigures(dataScope, this.#folder, this.#cache)
      emptyLog(this.#state.open.handle)
      this.#removeFiguresOf(purgeMovedFiles(this.#folder, gone))
      forgetInBackups(this.#folder, gone)
      dropChosen(this.#folder)
      this.#state.run((database) => {
        for (const dataScope of gone.dataScopes) strikeOut(database, dataScope)
      })
    } catch {
      // Retried with the next removal and periodically.
    }
  }

  /**
   * Deletes expired set-aside states. Figures and rows of an account are deleted with the last state that contains the account;
   * until then the user can go back.
   * @throws DeskFailure, errors of the file system; the set-aside files then remain and still name what to delete
   */
  dropMovedFiles(): void {
    if (this.#state.opening.kind !== 'ready') return
    this.#removeFiguresOf(expiringDataScopes(this.#folder, this.#now()))
    sweepMovedFiles(this.#folder, this.#now())
  }

  /** Deletes figures of these data scopes, except those of the open state. */
  #removeFiguresOf(dataScopes: readonly DataScopeId[]): void {
    const present = new Set(this.#state.run(listDataScopes).map(({ id }) => id))
    for (const dataScope of dataScopes)
      if (!present.has(dataScope)) removeFigures(dataScope, this.#folder, this.#cache)
  }
}

/** Deletes a chosen backup. */
function dropChosen(folder: string): void {
  dropFigures(folder)
  dropBackup(folder)
}

/** Deletes all data of a data scope outside state.sqlite. Syncs the folders, so that no file reappears after a power failure. */
function removeFigures(dataScope: DataScopeId, folder: string, cache: CacheFile): void {
  cache.forget(dataScope)
  for (const value of [
    join(historyFolder(folder), dataScopeFolder(dataScope)),
    dataScopeRowsFolder(folder, dataScope),
  ]) {
    rmSync(value, { recursive: true, force: true })
    if (existsSync(dirname(value))) syncFolder(dirname(value))
  }
}

/** All operations of both files. Both threads derive their calls from this type. */
export type StoreCalls = StateCalls & CacheCalls & BackupCalls

/** Writing and restoring backups (src-main/database/state/moving.ts). */
type BackupCalls = {
  /** Copies the state into a file of the profile folder (`leavingFile`), so that the store never waits for another disk. */
  readonly 'backup/write': (argument: undefined) => void
  /** Deletes the copy. */
  readonly 'backup/clear': (argument: undefined) => void
  /** Confirms the chosen and verified backup; the next start opens it. */
  readonly 'backup/agree': (argument: undefined) => void
  readonly 'backup/drop': (argument: undefined) => null
}

type RunNow = <N extends keyof StoreCalls>(
  name: N,
  argument: ArgumentOf<StoreCalls[N]>,
) => ResultOf<StoreCalls[N]>

/** The damaged files. */
export type Damaged = { readonly state: boolean; readonly cache: boolean }

/** Both files within their thread. */
export type StoreSession = {
  readonly opening: StateOpening
  readonly calls: StoreCalls
  /** Runs an operation by name. @throws DeskFailure */
  readonly run: RunNow
  /** Replaces files that are still damaged. */
  readonly replace: (damaged: Damaged) => void
  /** Periodic work: daily backup, unfinished removals, and deletion of expired files. */
  readonly maintain: () => void
  readonly close: () => void
}

/** Whether the history folder contains tables of a data scope. */
function hasFiles(folder: string, dataScope: DataScopeId): boolean {
  try {
    const names = readdirSync(join(historyFolder(folder), dataScopeFolder(dataScope)), { recursive: true })
    return names.some((name) => String(name).endsWith('.parquet'))
  } catch (error) {
    // An unreadable folder may contain files.
    return codeOf(error) !== 'ENOENT'
  }
}

/**
 * Returns a function that tells whether a data scope has stored figures. Also checks the folder, because the catalogue may have
 * been lost.
 */
function withFigures(folder: string, cache: CacheFile): (dataScope: DataScopeId) => boolean {
  const listed = new Set(cache.run((database) => cacheOperations['tables/data-scopes'](database)))
  return (dataScope) => listed.has(dataScope) || hasFiles(folder, dataScope)
}

/** Whether the open state is not the stored one, so that a copy would be worthless. */
const isLeftAlone = (state: StateFile): boolean =>
  state.opening.kind === 'unwritable' ? state.run(listAccounts).length === 0 : state.opening.kind !== 'ready'

const backupCalls = (folder: string, state: StateFile): BackupCalls => ({
  'backup/write': () => {
    if (isLeftAlone(state)) throw refusal('unopened')
    writeBackup(state.open.handle, leavingFile(folder))
  },
  'backup/clear': () => dropLeaving(folder),
  'backup/agree': () => {
    disagree(folder)
    agreeToFigures(folder)
    try {
      agreeToBackup(folder)
    } catch (error) {
      takeBackFigures(folder)
      throw error
    }
  },
  'backup/drop': () => {
    dropChosen(folder)
    return null
  },
})

/** Opens both files. @param emit called with events after the opening */
export function openSession(
  folder: string,
  emit: (event: StoreEvent) => void = () => undefined,
  now: () => number = Date.now,
): StoreSession {
  const placing = () => placeFigures(folder)
  const state = new StateFile(folder, now, (news) => emit({ kind: 'state', news }), placing)
  sweepFigures(folder)
  const emitCacheNews = (news: CacheNews) => {
    // A failing disk is reported only once.
    if (news !== 'unwritable' || state.opening.kind === 'ready') emit({ kind: 'cache', news })
  }
  const cache = new CacheFile(folder, emitCacheNews, () => state.opening.kind === 'newer')
  const removals = new Removals(folder, state, cache, now)
  const cacheCalls = callsOf(cacheOperations, (work) => cache.run(work))
  const scopes = new ScopeChecks(folder, state, cache, now)
  const stateCalls = callsOf(stateOperations, (work) => state.run(work))
  const calls: StoreCalls = {
    ...stateCalls,
    ...cacheCalls,
    'accounts/remove': (account) => {
      const removed = stateCalls['accounts/remove'](account)
      removals.workOff()
      return removed
    },
    ...backupCalls(folder, state),
    'data-scopes/take': (taking) => scopes.take(taking, stateCalls['data-scopes/take']),
    'data-scopes/doubt': (account) => scopes.doubt(account, stateCalls['data-scopes/doubt']),
    'tables/keep': (stored) => scopes.storeFile(stored, cacheCalls['tables/keep']),
    'answers/keep': (answer) => scopes.storeAnswer(answer, cacheCalls['answers/keep']),
    'data-scopes/with-figures': () =>
      stateCalls['data-scopes/with-figures'](undefined).filter(withFigures(folder, cache)),
    'data-scopes/drop': (request) => {
      // Only look-ups may remain.
      if (state.opening.kind === 'ready')
        for (const dataScope of request.dataScopes) removeFigures(dataScope, folder, cache)
      return stateCalls['data-scopes/drop'](request)
    },
    'data-scopes/remove': (request) => {
      const removed = stateCalls['data-scopes/remove'](request)
      removals.workOff()
      return removed
    },
    'cache/state': () => cache.state(),
  }
  return {
    opening: state.opening,
    calls,
    // Argument and result types both follow from the name.
    run: (name, argument) => {
      const call = calls[name] as unknown as (given: typeof argument) => ResultOf<StoreCalls[typeof name]>
      return call(argument)
    },
    replace: (damaged) => {
      // An operation may have replaced the file already.
      if (damaged.state && !isSound(stateFile(folder))) state.rescue()
      if (damaged.cache && !isSound(cacheFile(folder))) cache.renew()
    },
    maintain: () => {
      cache.maintain()
      removals.workOff()
      for (const work of [() => removals.dropMovedFiles(), () => state.maintain()])
        try {
          work()
        } catch {
          // The disk failed. The next write reports the failure, and the next run retries.
        }
    },
    close: () => {
      cache.close()
      state.close()
    },
  }
}

/** Task of the thread: run the store, or check both files once. */
export type StoreTask = { readonly task: 'keep' | 'check'; readonly folder: string }

export type StoreThreadCalls = StoreCalls & {
  /** Resolves once the files are open. */
  readonly 'store/begin': (argument: undefined) => null
  readonly 'store/replace': (damaged: Damaged) => void
}

export type CheckCalls = { readonly 'store/check': (argument: undefined) => Damaged }

/** Events of the thread: ready, result of the opening, and later events of the files. */
export type StoreEvent =
  | { readonly kind: 'ready' }
  | { readonly kind: 'opened'; readonly opening: StateOpening }
  | { readonly kind: 'state'; readonly news: StateNews }
  | { readonly kind: 'cache'; readonly news: CacheNews }
