import { existsSync, rmSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ownerRowsFolder } from '#main/analytics/rows-layout.ts'
import { syncFolder } from '#main/lib/sync-folder.ts'
import { historyFolder, ownerFolder } from '#main/analytics/history-layout.ts'
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
import { codeOf, callsOf } from './sqlite/database.ts'
import { emptyLog, isSound } from './sqlite/open-file.ts'
import { listAccounts } from './state/accounts-repository.ts'
import { forgetInBackups, purgeMovedFiles, ownersGoing, sweepMovedFiles } from './state/copies.ts'
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

/** Removes what is left of data scopes: of accounts that were removed, and of a state that was set aside. */
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
   * Each step can be done again, and the note of a removal is struck out after the last of them. What cannot be done now (a
   * full disk, a file in use) is done when this is called again.
   */
  workOff(): void {
    if (this.#state.opening.kind !== 'ready') return
    try {
      const gone = this.#state.run(removed)
      if (gone.owners.length === 0) return
      for (const owner of gone.owners) removeFigures(owner, this.#folder, this.#cache)
      emptyLog(this.#state.open.handle)
      this.#removeFiguresOf(purgeMovedFiles(this.#folder, gone))
      forgetInBackups(this.#folder, gone)
      dropChosen(this.#folder)
      this.#state.run((database) => {
        for (const owner of gone.owners) strikeOut(database, owner)
      })
    } catch {
      // It is tried again with the next removal, and once in a while.
    }
  }

  /**
   * Deletes what was set aside long enough ago. With the last state that knows of an account, which a backup replaced, go the
   * figures and rows of it: until then the person may go back.
   * @throws DeskFailure, errors of the file system; then what was set aside is there still, and says what is to be removed
   */
  dropMovedFiles(): void {
    if (this.#state.opening.kind !== 'ready') return
    this.#removeFiguresOf(ownersGoing(this.#folder, this.#now()))
    sweepMovedFiles(this.#folder, this.#now())
  }

  /** Of data scopes that a state that was set aside knows: those that the open one has too keep theirs. */
  #removeFiguresOf(owners: readonly DataScopeId[]): void {
    const present = new Set(this.#state.run(listDataScopes).map(({ id }) => id))
    for (const owner of owners) if (!present.has(owner)) removeFigures(owner, this.#folder, this.#cache)
  }
}

/** Forgets a backup that was chosen. */
function dropChosen(folder: string): void {
  dropFigures(folder)
  dropBackup(folder)
}

/** Everything that is kept of a data scope outside of state.sqlite, so that it does not come back after a power cut either. */
function removeFigures(owner: DataScopeId, folder: string, cache: CacheFile): void {
  cache.forget(owner)
  for (const value of [join(historyFolder(folder), ownerFolder(owner)), ownerRowsFolder(folder, owner)]) {
    rmSync(value, { recursive: true, force: true })
    if (existsSync(dirname(value))) syncFolder(dirname(value))
  }
}

/** Everything that can be asked of the two files; both threads derive from this. */
export type StoreCalls = StateCalls & CacheCalls & BackupCalls

/** A backup for a person to keep, and one that they want back (src-main/database/state/moving.ts). */
type BackupCalls = {
  /** Copies the whole state into a file of the profile folder (`leavingFile`): who keeps the files waits for no other disk. */
  readonly 'backup/write': (argument: undefined) => void
  /** Removes that file. */
  readonly 'backup/clear': (argument: undefined) => void
  /** Has the next start open the backup that was chosen and checked. */
  readonly 'backup/agree': (argument: undefined) => void
  readonly 'backup/drop': (argument: undefined) => null
}

type RunNow = <N extends keyof StoreCalls>(
  name: N,
  argument: ArgumentOf<StoreCalls[N]>,
) => ResultOf<StoreCalls[N]>

/** Which files were found damaged by whoever looked through them. */
export type Damaged = { readonly state: boolean; readonly cache: boolean }

/** Both files as their own thread sees them. */
export type StoreSession = {
  readonly opening: StateOpening
  readonly calls: StoreCalls
  /** One of the calls, by its name. @throws DeskFailure */
  readonly run: RunNow
  /** Replaces files that were found damaged, where they are so still. */
  readonly replace: (damaged: Damaged) => void
  /** What is due once in a while: the backup of the day, removals that could not be finished, old files and what goes with them. */
  readonly maintain: () => void
  readonly close: () => void
}

/** Whether any file of a data scope's kept tables lies in the history folder. */
function hasFiles(folder: string, owner: DataScopeId): boolean {
  try {
    const names = readdirSync(join(historyFolder(folder), ownerFolder(owner)), { recursive: true })
    return names.some((name) => String(name).endsWith('.parquet'))
  } catch (error) {
    // What cannot be looked into is not empty for all one knows.
    return codeOf(error) !== 'ENOENT'
  }
}

/** Tells data scopes whose figures are saved from others. A catalogue that was lost says nothing of them: their files do. */
function withFigures(folder: string, cache: CacheFile): (owner: DataScopeId) => boolean {
  const listed = new Set(cache.run((database) => cacheOperations['tables/owners'](database)))
  return (owner) => listed.has(owner) || hasFiles(folder, owner)
}

/** Whether what is open is not what is saved, so that whoever gets a copy of it gets nothing. */
const isLeftAlone = (state: StateFile): boolean =>
  state.opening.kind === 'unkept' ? state.run(listAccounts).length === 0 : state.opening.kind !== 'ready'

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

/**
 * Opens both files.
 * @param emit tells what happens to them after the opening
 */
export function openSession(
  folder: string,
  emit: (event: StoreEvent) => void = () => undefined,
  now: () => number = Date.now,
): StoreSession {
  const placing = () => placeFigures(folder)
  const state = new StateFile(folder, now, (news) => emit({ kind: 'state', news }), placing)
  sweepFigures(folder)
  const emitCacheNews = (news: CacheNews) => {
    // A disk that refuses is said once.
    if (news !== 'unkept' || state.opening.kind === 'ready') emit({ kind: 'cache', news })
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
    'owners/list': () => scopes.owners(),
    'owners/take': (taking) => scopes.take(taking, stateCalls['owners/take']),
    'owners/doubt': (account) => scopes.doubt(account, stateCalls['owners/doubt']),
    'tables/keep': (stored) => scopes.storeFile(stored, cacheCalls['tables/keep']),
    'answers/keep': (answer) => scopes.storeAnswer(answer, cacheCalls['answers/keep']),
    'owners/with-figures': () =>
      stateCalls['owners/with-figures'](undefined).filter(withFigures(folder, cache)),
    'owners/drop': (request) => {
      // Look-ups alone may be left of them.
      if (state.opening.kind === 'ready')
        for (const owner of request.owners) removeFigures(owner, folder, cache)
      return stateCalls['owners/drop'](request)
    },
    'owners/remove': (request) => {
      const removed = stateCalls['owners/remove'](request)
      removals.workOff()
      return removed
    },
    'cache/state': () => cache.state(),
  }
  return {
    opening: state.opening,
    calls,
    // The call of this name takes this argument and gives this result: both types are read off it.
    run: (name, argument) => {
      const call = calls[name] as unknown as (given: typeof argument) => ResultOf<StoreCalls[typeof name]>
      return call(argument)
    },
    replace: (damaged) => {
      // An operation may have met the damage first, and replaced the file already.
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
          // The disk refuses: whoever writes something says so. The next time may do better.
        }
    },
    close: () => {
      cache.close()
      state.close()
    },
  }
}

/** What the thread is started for: to keep both files open, or to look through them once. */
export type StoreTask = { readonly task: 'keep' | 'check'; readonly folder: string }

export type StoreThreadCalls = StoreCalls & {
  /** Answers once the files are open. */
  readonly 'store/begin': (argument: undefined) => null
  readonly 'store/replace': (damaged: Damaged) => void
}

export type CheckCalls = { readonly 'store/check': (argument: undefined) => Damaged }

/** What is told unasked: that operations can be asked, how the opening went, and what happened to the files since. */
export type StoreEvent =
  | { readonly kind: 'ready' }
  | { readonly kind: 'opened'; readonly opening: StateOpening }
  | { readonly kind: 'state'; readonly news: StateNews }
  | { readonly kind: 'cache'; readonly news: CacheNews }
