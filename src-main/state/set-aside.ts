import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { OwnerId } from '../../src-shared/values/ids.ts'
import { openHandle } from '../lib/sqlite/database.ts'
import { momentFromName } from '../lib/sqlite/place-file.ts'

/** For how long a file that was damaged, or replaced by a backup, is kept for whoever may want to look into it, in milliseconds. */
const keptFor = 30 * 86_400_000

/** Deletes files that were set aside in a profile folder so long ago; all of them for `Infinity`. */
export function sweepSetAside(folder: string, now: number): void {
  for (const name of namesIn(folder)) {
    if (!/^(?:state|desk)\.(?:damaged|replaced)-.*\.sqlite(?:-wal|-shm)?$/.test(name)) continue
    if (isDue(name, now)) rmSync(join(folder, name), { force: true })
  }
}

/** Owners of whom only states speak that a backup replaced, and that `sweepSetAside` deletes; the state that is open aside. */
export function ownersGoing(folder: string, now: number): readonly OwnerId[] {
  const replaced = namesIn(folder).filter((name) => /^state\.replaced-.*\.sqlite$/.test(name))
  const ownersOf = (due: boolean) =>
    replaced.filter((name) => isDue(name, now) === due).flatMap((name) => ownersKnown(join(folder, name)))
  const staying = new Set(ownersOf(false))
  return [...new Set(ownersOf(true))].filter((owner) => !staying.has(owner))
}

const isDue = (name: string, now: number) => now - (momentFromName(name) ?? 0) > keptFor

/** Nobody where it cannot be read. Their ids become names of folders. */
function ownersKnown(file: string): readonly OwnerId[] {
  try {
    const handle = openHandle(file, { readonly: true })
    try {
      const owners = handle.prepare('SELECT id FROM owners UNION SELECT owner FROM removals').pluck().all()
      return owners.map((id) => String(id) as OwnerId).filter((id) => /^[0-9A-Za-z-]{1,64}$/.test(id))
    } finally {
      handle.close()
    }
  } catch {
    return []
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
