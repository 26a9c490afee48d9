import { copyFileSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { DataScopeId } from '#shared/values/ids.ts'
import { writerOver, troubleOf, DamagedFile, openHandle } from '../sqlite/database.ts'
import type { Handle } from '../sqlite/database.ts'
import { isReadable, versionOf } from '../sqlite/migrate.ts'
import {
  copyInMemory,
  removeFile,
  placeFile,
  lookAt,
  isSound,
  momentFromName,
  momentInName,
} from '../sqlite/open-file.ts'
import { removalsLeft, removeAgain } from './data-scopes-repository.ts'
import type { Removed } from './data-scopes-repository.ts'
import { stateSchema } from './schema.ts'

/** Under this name a copy is written until it is whole. */
const draftIn = (folder: string): string => join(folder, 'being-made.sqlite')

/**
 * Forgets what was removed in a file that is a copy of the state; it stays as it is where it holds nothing of that. What is removed is
 * removed in memory, so that no draft holds it.
 * @returns whose removal the copy knows of now; null where this version cannot look through it, and it is as it was
 * @throws errors of SQLite and of the file system, where the disk refuses; then it is as it was
 */
function purgeCopy(file: string, removed: Removed): readonly DataScopeId[] | null {
  const draft = draftIn(dirname(file))
  removeFile(draft)
  try {
    const handle = copyInMemory(file)
    if (handle === null) return []
    try {
      if (!isReadable(stateSchema, versionOf(handle))) return null
      if (handle.pragma('quick_check(1)', { simple: true }) !== 'ok') return null
      handle.pragma('foreign_keys = ON')
      const copy = writerOver(handle)
      removeAgain(copy, removed)
      if (copy.row('SELECT total_changes() AS changes')?.['changes'] !== 0) {
        handle.prepare('VACUUM INTO ?').run(draft)
        placeFile(draft, file)
      }
      return removalsLeft(copy)
    } finally {
      handle.close()
    }
  } catch (error) {
    if (troubleOf(error) === 'disk') throw error
    return null
  } finally {
    removeFile(draft)
  }
}

/** A whole copy of state.sqlite, and when it was made. */
export type Backup = { readonly path: string; readonly madeAt: number }

/** How many are kept. */
const max = 3

/** The backups of a profile folder, the newest first. */
export function backupsIn(folder: string): readonly Backup[] {
  return namesIn(backupFolder(folder))
    .flatMap((name) => {
      const madeAt = /^state-.*\.sqlite$/.test(name) ? momentFromName(name) : undefined
      return madeAt === undefined ? [] : [{ path: join(backupFolder(folder), name), madeAt }]
    })
    .sort((a, b) => b.madeAt - a.madeAt)
}

/** The newest backup that can be used; null where there is none. */
export const newestSound = (folder: string): Backup | null =>
  backupsIn(folder).find(({ path }) => isUsable(path)) ?? null

/**
 * Copies what is open into a new backup, which has its name only once it is whole, and lets the oldest go.
 * @param unlessSame makes none where the newest one holds the same
 * @throws errors of SQLite and of the file system; then all backups are as they were
 */
export function makeBackup(handle: Handle, folder: string, now: number, unlessSame = false): void {
  const draft = draftIn(backupFolder(folder))
  mkdirSync(backupFolder(folder), { recursive: true })
  removeFile(draft)
  try {
    handle.prepare('VACUUM INTO ?').run(draft)
    if (!isSound(draft)) throw new DamagedFile('The copy is not sound')
    const [newest] = backupsIn(folder)
    if (unlessSame && newest && isSame(draft, newest.path)) return renameAs(folder, newest, now)
    placeFile(draft, pathOf(folder, now))
  } finally {
    removeFile(draft)
  }
  for (const { path } of backupsIn(folder).slice(max)) rmSync(path, { force: true })
}

/** Forgets in every backup what was removed; one that cannot be looked through goes. @throws as `purgeCopy` */
export function forgetInBackups(folder: string, removed: Removed): void {
  removeFile(draftIn(backupFolder(folder)))
  for (const { path } of backupsIn(folder)) if (purgeCopy(path, removed) === null) removeFile(path)
}

/** Copies a backup to a path. */
export const copyBackup = ({ path }: Backup, to: string): void => copyFileSync(path, to)

const backupFolder = (folder: string) => join(folder, 'backups')
const pathOf = (folder: string, now: number) =>
  join(backupFolder(folder), `state-${momentInName(now)}.sqlite`)

/** What it holds was so until now: its name says that. */
const renameAs = (folder: string, { path }: Backup, now: number) => renameSync(path, pathOf(folder, now))

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function isUsable(path: string): boolean {
  try {
    const look = lookAt(path)
    return look.kind === 'database' && isReadable(stateSchema, look.version) && isSound(path)
  } catch {
    return false
  }
}

/** Two counters in the header (SQLite's file format, section 1.3) say how often a file was written, not what it holds. */
function isSame(one: string, other: string): boolean {
  const [a, b] = [one, other].map((path) => readFileSync(path).fill(0, 24, 28).fill(0, 92, 100))
  return a !== undefined && b !== undefined && a.equals(b)
}

/** For how long a file that was damaged, or replaced by a backup, is kept for whoever may want to look into it, in milliseconds. */
const storedFor = 30 * 86_400_000

/** Deletes files that were set aside in a profile folder so long ago. */
export function sweepMovedFiles(folder: string, now: number): void {
  for (const name of namesIn(folder)) {
    if (isMovedFile(name) && isDue(name, now)) rmSync(join(folder, name), { force: true })
  }
}

/**
 * Forgets in all that was set aside what was removed. A state that a backup replaced stays without it; where this version cannot look
 * through one, the ids of the other data scopes stay until the state would have gone: their figures are theirs until then. What is damaged goes.
 * @returns data scopes of which no more is to be kept in so far as the replaced states know
 * @throws errors of SQLite and of the file system; then what was not dealt with is there still
 */
export function purgeMovedFiles(folder: string, removed: Removed): readonly DataScopeId[] {
  const gone: DataScopeId[] = []
  for (const name of namesIn(folder).filter(isReplaced)) {
    const file = join(folder, name)
    const found = purgeCopy(file, removed)
    if (found === null) leaveOwners(file, removed.owners)
    else gone.push(...found)
  }
  for (const name of namesIn(folder))
    if (isMovedFile(name) && !name.startsWith('state.replaced-')) rmSync(join(folder, name), { force: true })
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
 * Owners of whom only states speak that a backup replaced, and that `sweepMovedFiles` deletes; the state that is open aside.
 * @throws errors of SQLite where a state that stays cannot be read: whom it speaks of is not known then
 */
export function ownersGoing(folder: string, now: number): readonly DataScopeId[] {
  const replaced = namesIn(folder).filter(isReplaced)
  const paths = (due: boolean) =>
    replaced.filter((name) => isDue(name, now) === due).map((name) => join(folder, name))
  const staying = new Set(paths(false).flatMap(ownersKnown))
  return [...new Set(paths(true).flatMap(readableOwners))].filter((owner) => !staying.has(owner))
}

const isMovedFile = (name: string) =>
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
