import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { momentFromName } from '../lib/sqlite/place-file.ts'

/** For how long a file that was damaged, or replaced by a backup, is kept for whoever may want to look into it, in milliseconds. */
const keptFor = 30 * 86_400_000

/** Deletes files that were set aside in a profile folder so long ago; all of them for `Infinity`. */
export function sweepSetAside(folder: string, now: number): void {
  for (const name of namesIn(folder)) {
    if (!/^(?:state|desk)\.(?:damaged|replaced)-.*\.sqlite(?:-wal|-shm)?$/.test(name)) continue
    if (now - (momentFromName(name) ?? 0) > keptFor) rmSync(join(folder, name), { force: true })
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
