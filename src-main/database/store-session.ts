import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { DataScopeId } from '#shared/values/ids.ts'
import { historyFolder, ownerFolder } from '#main/reports/history/layout.ts'
import { codeOf } from './sqlite/trouble.ts'
import { callsOf } from './sqlite/operations.ts'
import type { ArgumentOf, ResultOf } from '#main/workers/rpc.ts'
import { isSound } from './sqlite/open-file.ts'
import type { CacheCalls } from './cache/cache-operations.ts'
import { cacheOperations } from './cache/cache-operations.ts'
import { CacheFile } from './cache/cache-file.ts'
import type { CacheNews } from './cache/cache-file.ts'
import { cacheFile } from './cache/cache-schema.ts'
import { listAccounts } from './state/accounts-repository.ts'
import {
  agreeToBackup,
  checkBackup,
  disagree,
  dropLeaving,
  leavingFile,
  refusal,
  writeBackup,
} from './state/moving.ts'
import type { StateFacts } from './state/moving.ts'
import type { StateNews, StateOpening } from './state/opening.ts'
import { stateFile } from './state/schema.ts'
import { StateFile } from './state/state-file.ts'
import { stateOperations } from './state/state-operations.ts'
import type { StateCalls } from './state/state-operations.ts'
import { dropChosen, letSetAsideGo, removeFigures, workOffRemovals } from './removal.ts'
import type { RemovalParts } from './removal.ts'
import { ScopeChecks } from './scope-checks.ts'
import { agreeToFigures, takeBackFigures, placeFigures, sweepFigures } from './restored-figures.ts'

/** Everything that can be asked of the two files; both threads derive from this. */
export type StoreCalls = StateCalls & CacheCalls & BackupCalls

/** A backup for a person to keep, and one that they want back (src-main/database/state/moving.ts). */
type BackupCalls = {
  /** Copies the whole state into a file of the profile folder (`leavingFile`): who keeps the files waits for no other disk. */
  readonly 'backup/write': (argument: undefined) => null
  /** Removes that file. */
  readonly 'backup/clear': (argument: undefined) => null
  /** Checks the copy of its state that was made of a backup that was chosen. */
  readonly 'backup/check': (argument: undefined) => StateFacts
  /** Has the next start open it. */
  readonly 'backup/agree': (argument: undefined) => null
  readonly 'backup/drop': (argument: undefined) => null
}

export type RunNow = <N extends keyof StoreCalls>(
  name: N,
  argument: ArgumentOf<StoreCalls[N]>,
) => ResultOf<StoreCalls[N]>

/** Which files were found damaged by whoever looked through them. */
export type Damaged = { readonly state: boolean; readonly cache: boolean }

export type SessionParts = {
  /** The profile folder. */
  readonly folder: string
  /** Hears what happens to the files after the opening. */
  readonly onState: (news: StateNews) => void
  readonly onCache: (news: CacheNews) => void
  readonly now?: () => number
}

/** Both files as their own thread sees them. */
export type StoreSession = {
  readonly opening: StateOpening
  readonly calls: StoreCalls
  /** One of the calls, by its name. @throws DeskFailure */
  readonly run: RunNow
  /** Replaces files that were found damaged, where they are so still. */
  readonly replace: (damaged: Damaged) => void
  /** What is due once in a while: the backup of the day, removals that could not be finished, old files and what goes with them. */
  readonly keepHouse: () => void
  readonly close: () => void
}

/** Whether any file of an owner's kept tables lies in the history folder. */
function hasFiles(folder: string, owner: DataScopeId): boolean {
  try {
    const names = readdirSync(join(historyFolder(folder), ownerFolder(owner)), { recursive: true })
    return names.some((name) => String(name).endsWith('.parquet'))
  } catch (error) {
    // What cannot be looked into is not empty for all one knows.
    return codeOf(error) !== 'ENOENT'
  }
}

/** Tells owners whose figures are saved from others. A catalogue that was lost says nothing of them: their files do. */
function withFigures(folder: string, cache: CacheFile): (owner: DataScopeId) => boolean {
  const listed = new Set(cache.run((database) => cacheOperations['tables/owners'](database)))
  return (owner) => listed.has(owner) || hasFiles(folder, owner)
}

/** Whether what is open is not what is saved, so that whoever gets a copy of it gets nothing. */
const isLeftAlone = (state: StateFile): boolean =>
  state.opening.kind === 'unkept' ? state.run(listAccounts).length === 0 : state.opening.kind !== 'ready'

const backupCalls = (folder: string, state: StateFile, now: () => number): BackupCalls => ({
  'backup/write': () => {
    if (isLeftAlone(state)) throw refusal('unopened')
    writeBackup(state.open.handle, leavingFile(folder))
    return null
  },
  'backup/clear': () => {
    dropLeaving(folder)
    return null
  },
  'backup/check': () => checkBackup(folder, now()),
  'backup/agree': () => {
    disagree(folder)
    agreeToFigures(folder)
    try {
      agreeToBackup(folder)
    } catch (error) {
      takeBackFigures(folder)
      throw error
    }
    return null
  },
  'backup/drop': () => {
    dropChosen(folder)
    return null
  },
})

function keepHouse(removal: RemovalParts): void {
  const { cache, state } = removal
  cache.keepHouse()
  workOffRemovals(removal)
  for (const work of [() => letSetAsideGo(removal), () => state.keepHouse()])
    try {
      work()
    } catch {
      // The disk refuses: whoever writes something says so. The next time may do better.
    }
}

/** Opens both files. */
export function openSession({ folder, onState, onCache, now = Date.now }: SessionParts): StoreSession {
  const placing = () => {
    placeFigures(folder)
  }
  const state = new StateFile({ folder, now, placing, onNews: onState })
  sweepFigures(folder)
  const cache = new CacheFile({
    folder,
    onNews: (news) => {
      // A disk that refuses is said once.
      if (news !== 'unkept' || state.opening.kind === 'ready') onCache(news)
    },
  })
  const removal = { folder, now, state, cache }
  const cacheCalls = callsOf(cacheOperations, (work) => cache.run(work))
  const scopes = new ScopeChecks({ folder, now, state, cache })
  const stateCalls = callsOf(stateOperations, (work) => state.run(work))
  const calls: StoreCalls = {
    ...stateCalls,
    ...cacheCalls,
    'accounts/remove': (account) => {
      const removed = stateCalls['accounts/remove'](account)
      workOffRemovals(removal)
      return removed
    },
    ...backupCalls(folder, state, now),
    'owners/list': () => scopes.owners(),
    'owners/take': (taking) => scopes.take(taking, stateCalls['owners/take']),
    'owners/doubt': (account) => scopes.doubt(account, stateCalls['owners/doubt']),
    'tables/keep': (stored) => scopes.storeFile(stored, cacheCalls['tables/keep']),
    'answers/keep': (answer) =>
      (!answer.provisional || scopes.isInTerm(answer.owner, answer.provisional)) &&
      cacheCalls['answers/keep'](answer),
    'owners/with-figures': () =>
      stateCalls['owners/with-figures'](undefined).filter(withFigures(folder, cache)),
    'owners/drop': (asked) => {
      // Look-ups alone may be left of them.
      if (state.opening.kind === 'ready')
        for (const owner of asked.owners) removeFigures(owner, folder, cache)
      return stateCalls['owners/drop'](asked)
    },
    'owners/remove': (asked) => {
      const removed = stateCalls['owners/remove'](asked)
      workOffRemovals(removal)
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
    keepHouse: () => keepHouse(removal),
    close: () => {
      cache.close()
      state.close()
    },
  }
}
