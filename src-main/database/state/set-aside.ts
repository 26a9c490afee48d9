import { readdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { DataScopeId } from '#shared/values/ids.ts'
import { openHandle } from '../sqlite/database.ts'
import { removeFile } from '../sqlite/open-file.ts'
import { momentFromName, placeFile } from '../sqlite/place-file.ts'
import type { Removed } from './account-removal.ts'
import { draftIn, forgetInCopy } from './forget-in-copy.ts'

/** For how long a file that was damaged, or replaced by a backup, is kept for whoever may want to look into it, in milliseconds. */
const storedFor = 30 * 86_400_000

/** Deletes files that were set aside in a profile folder so long ago. */
export function sweepSetAside(folder: string, now: number): void {
  for (const name of namesIn(folder)) {
    if (isSetAside(name) && isDue(name, now)) rmSync(join(folder, name), { force: true })
  }
}

/**
 * Forgets in all that was set aside what was removed. A state that a backup replaced stays without it; where this version cannot look
 * through one, the ids of the other owners stay until the state would have gone: their figures are theirs until then. What is damaged goes.
 * @returns owners of whom no more is to be kept in so far as the replaced states know
 * @throws errors of SQLite and of the file system; then what was not dealt with is there still
 */
export function forgetInSetAside(folder: string, removed: Removed): readonly DataScopeId[] {
  const gone: DataScopeId[] = []
  for (const name of namesIn(folder).filter(isReplaced)) {
    const file = join(folder, name)
    const found = forgetInCopy(file, removed)
    if (found === null) leaveOwners(file, removed.owners)
    else gone.push(...found)
  }
  for (const name of namesIn(folder))
    if (isSetAside(name) && !name.startsWith('state.replaced-')) rmSync(join(folder, name), { force: true })
  return gone
}

function leaveOwners(file: string, removed: readonly DataScopeId[]): void {
  const others = readableOwners(file).filter((owner) => !removed.includes(owner))
  if (others.length > 0) placeFile(stateOfOwners(draftIn(dirname(file)), others), file)
  else removeFile(file)
}

/** A state that says of whom there are figures, and nothing else. */
function stateOfOwners(file: string, owners: readonly DataScopeId[]): string {
  rmSync(file, { force: true })
  const handle = openHandle(file)
  try {
    handle.exec('CREATE TABLE owners (id TEXT); CREATE TABLE removals (owner TEXT)')
    const insert = handle.prepare('INSERT INTO owners (id) VALUES (?)')
    for (const owner of owners) insert.run(owner)
  } finally {
    handle.close()
  }
  return file
}

/**
 * Owners of whom only states speak that a backup replaced, and that `sweepSetAside` deletes; the state that is open aside.
 * @throws errors of SQLite where a state that stays cannot be read: whom it speaks of is not known then
 */
export function ownersGoing(folder: string, now: number): readonly DataScopeId[] {
  const replaced = namesIn(folder).filter(isReplaced)
  const paths = (due: boolean) =>
    replaced.filter((name) => isDue(name, now) === due).map((name) => join(folder, name))
  const staying = new Set(paths(false).flatMap(ownersKnown))
  return [...new Set(paths(true).flatMap(readableOwners))].filter((owner) => !staying.has(owner))
}

const isSetAside = (name: string) =>
  /^state\.(?:damaged|replaced)-.*\.sqlite(?:-wal|-shm|-journal)?$/.test(name)
const isReplaced = (name: string) => /^state\.replaced-.*\.sqlite$/.test(name)
const isDue = (name: string, now: number) => now - (momentFromName(name) ?? 0) > storedFor

/** Nobody where it cannot be read. */
function readableOwners(file: string): readonly DataScopeId[] {
  try {
    return ownersKnown(file)
  } catch {
    return []
  }
}

/** Their ids become names of folders. @throws errors of SQLite */
function ownersKnown(file: string): readonly DataScopeId[] {
  const handle = openHandle(file, { readonly: true })
  try {
    const owners = handle.prepare('SELECT id FROM owners UNION SELECT owner FROM removals').pluck().all()
    return owners.map((id) => String(id) as DataScopeId).filter((id) => /^[0-9A-Za-z-]{1,64}$/.test(id))
  } finally {
    handle.close()
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
