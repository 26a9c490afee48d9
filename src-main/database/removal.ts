import { existsSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { historyFolder, ownerFolder } from '#main/reports/history/layout.ts'
import { emptyLog } from './sqlite/open-file.ts'
import { syncFolder } from '#main/lib/sync-folder.ts'
import { ownerRowsFolder } from '#main/archives/layout.ts'
import type { CacheFile } from './cache/cache-file.ts'
import { forgetInBackups } from './state/backups.ts'
import { dropBackup } from './state/moving.ts'
import { removed, strikeOut } from './state/account-removal.ts'
import { listDataScopes } from './state/data-scopes-repository.ts'
import { forgetInSetAside, ownersGoing, sweepSetAside } from './state/set-aside.ts'
import { dropFigures } from './restored-figures.ts'
import type { StateFile } from './state/state-file.ts'
import type { DataScopeId } from '#shared/values/ids.ts'

export type RemovalParts = {
  readonly folder: string
  readonly now: () => number
  readonly state: StateFile
  readonly cache: CacheFile
}

/**
 * Removes what is left of owners whose accounts have been removed: each step can be done again, and the note of a removal is
 * struck out after the last of them. What cannot be done now (a full disk, a file in use) is done when this is called again.
 * @returns whether nothing is left to remove
 */
export function workOffRemovals({ folder, state, cache }: Omit<RemovalParts, 'now'>): boolean {
  if (state.opening.kind !== 'ready') return true
  try {
    const gone = state.run(removed)
    if (gone.owners.length === 0) return true
    for (const owner of gone.owners) removeFigures(owner, folder, cache)
    emptyLog(state.open.handle)
    removeFiguresOf(forgetInSetAside(folder, gone), { folder, state, cache })
    forgetInBackups(folder, gone)
    dropChosen(folder)
    state.run((database) => {
      for (const owner of gone.owners) strikeOut(database, owner)
    })
    return true
  } catch {
    return false
  }
}

/**
 * Deletes what was set aside long enough ago. With the last state that knows of an account, which a backup replaced, go the
 * figures and rows of it: until then the person may go back.
 * @throws DeskFailure, errors of the file system; then what was set aside is there still, and says what is to be removed
 */
export function letSetAsideGo({ folder, now, state, cache }: RemovalParts): void {
  if (state.opening.kind !== 'ready') return
  removeFiguresOf(ownersGoing(folder, now()), { folder, state, cache })
  sweepSetAside(folder, now())
}

/** Of owners whom a state that was set aside knows: those that the open one has too keep theirs. */
function removeFiguresOf(
  owners: readonly DataScopeId[],
  { folder, state, cache }: Omit<RemovalParts, 'now'>,
): void {
  const present = new Set(state.run(listDataScopes).map(({ id }) => id))
  for (const owner of owners) if (!present.has(owner)) removeFigures(owner, folder, cache)
}

/** Forgets a backup that was chosen. */
export function dropChosen(folder: string): void {
  dropFigures(folder)
  dropBackup(folder)
}

/** Everything that is kept of an owner outside of state.sqlite, so that it does not come back after a power cut either. */
export function removeFigures(owner: DataScopeId, folder: string, cache: CacheFile): void {
  cache.forget(owner)
  for (const value of [join(historyFolder(folder), ownerFolder(owner)), ownerRowsFolder(folder, owner)]) {
    rmSync(value, { recursive: true, force: true })
    if (existsSync(dirname(value))) syncFolder(dirname(value))
  }
}
