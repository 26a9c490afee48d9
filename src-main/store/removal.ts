import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { historyFolder, ownerFolder } from '../figures/history/layout.ts'
import { emptyLog } from '../lib/sqlite/open-file.ts'
import { ownerRowsFolder } from '../rows/layout.ts'
import type { CacheFile } from '../figures/cache/cache-file.ts'
import { forgetOldOwner } from '../figures/cache/old-tables.ts'
import { replaceBackups } from '../state/backups.ts'
import { dropBackup } from '../state/moving.ts'
import { removalsLeft, strikeOut } from '../state/account-removal.ts'
import { sweepSetAside } from '../state/set-aside.ts'
import type { StateFile } from '../state/state-file.ts'
import type { OwnerId } from '../../src-shared/values/ids.ts'

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
export function workOffRemovals({ folder, now, state, cache }: RemovalParts): boolean {
  if (state.opening.state !== 'ready') return true
  try {
    const owners = state.run(removalsLeft)
    if (owners.length === 0) return true
    for (const owner of owners) removeFigures(owner, folder, cache)
    emptyLog(state.open.handle)
    sweepSetAside(folder, Infinity)
    dropBackup(folder)
    replaceBackups(state.open.handle, folder, now())
    state.run((database) => {
      for (const owner of owners) strikeOut(database, owner)
    })
    return true
  } catch {
    return false
  }
}

/** Everything that is kept of an owner outside of state.sqlite. */
function removeFigures(owner: OwnerId, folder: string, cache: CacheFile): void {
  cache.forget(owner)
  forgetOldOwner(folder, owner)
  rmSync(join(historyFolder(folder), ownerFolder(owner)), { recursive: true, force: true })
  rmSync(ownerRowsFolder(folder, owner), { recursive: true, force: true })
}
