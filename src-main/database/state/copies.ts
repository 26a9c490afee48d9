import { copyFileSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { DataScopeId } from '#shared/values/ids.ts'
import { writerOver, troubleOf, DamagedFile, openHandle } from '../sqlite/database.ts'
import type { Handle, Reader } from '../sqlite/database.ts'
import { isReadable, migrate, versionOf } from '../sqlite/migrate.ts'
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
import { dataScopeNames, stateSchema } from './schema.ts'

/** Temporary name of a copy until it is complete. */
const draftIn = (folder: string): string => join(folder, 'being-made.sqlite')

/**
 * Deletes removed data from a copy of the state. Affected copies are also migrated; the others remain unchanged. Works in
 * memory, so that no draft contains removed data.
 * @returns the removals that the copy now contains; null if this version cannot read the copy, which remains unchanged
 * @throws errors of SQLite and the file system if the disk fails; the copy then remains unchanged
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
      // Removals use the names of the newest version.
      migrate(handle, stateSchema)
      const copy = writerOver(handle)
      const changesBefore = totalChanges(copy)
      removeAgain(copy, removed)
      if (totalChanges(copy) !== changesBefore) {
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

const totalChanges = (from: Reader): unknown => from.row('SELECT total_changes() AS changes')?.['changes']

/** A copy of state.sqlite, and its time. */
export type Backup = { readonly path: string; readonly madeAt: number }

/** Maximum number of backups. */
const max = 3

/** Lists the backups of a profile folder, newest first. */
export function backupsIn(folder: string): readonly Backup[] {
  return namesIn(backupFolder(folder))
    .flatMap((name) => {
      const madeAt = /^state-.*\.sqlite$/.test(name) ? momentFromName(name) : undefined
      return madeAt === undefined ? [] : [{ path: join(backupFolder(folder), name), madeAt }]
    })
    .sort((a, b) => b.madeAt - a.madeAt)
}

/** Returns the newest usable backup, or null. */
export const newestSound = (folder: string): Backup | null =>
  backupsIn(folder).find(({ path }) => isUsable(path)) ?? null

/**
 * Creates a backup of the open database and deletes the oldest ones. The backup gets its name once it is complete.
 * @param unlessSame creates no backup if the newest one has the same contents
 * @throws errors of SQLite and the file system; all backups then remain unchanged
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

/** Deletes removed data from all backups. Unreadable backups are deleted. @throws errors of `purgeCopy` */
export function forgetInBackups(folder: string, removed: Removed): void {
  removeFile(draftIn(backupFolder(folder)))
  for (const { path } of backupsIn(folder)) if (purgeCopy(path, removed) === null) removeFile(path)
}

export const copyBackup = ({ path }: Backup, to: string): void => copyFileSync(path, to)

const backupFolder = (folder: string) => join(folder, 'backups')
const pathOf = (folder: string, now: number) =>
  join(backupFolder(folder), `state-${momentInName(now)}.sqlite`)

/** The contents are still current, so the name gets the current time. */
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

/** Compares two databases without the header's write counters (SQLite's file format, section 1.3). */
function isSame(one: string, other: string): boolean {
  const [a, b] = [one, other].map((path) => readFileSync(path).fill(0, 24, 28).fill(0, 92, 100))
  return a !== undefined && b !== undefined && a.equals(b)
}

/** Damaged and replaced files are deleted after this many ms. Until then the user can restore a replaced file. */
const storedFor = 30 * 86_400_000

/** Deletes expired set-aside files of a profile folder. */
export function sweepMovedFiles(folder: string, now: number): void {
  for (const name of namesIn(folder)) {
    if (isMovedFile(name) && isDue(name, now)) rmSync(join(folder, name), { force: true })
  }
}

/**
 * Deletes removed data from all set-aside files. If a replaced state is unreadable, only the ids of its other data scopes
 * remain, which protect their figures. Damaged files are deleted.
 * @returns data scopes whose data must be deleted, according to the replaced states
 * @throws errors of SQLite and the file system; unprocessed files then remain
 */
export function purgeMovedFiles(folder: string, removed: Removed): readonly DataScopeId[] {
  const gone: DataScopeId[] = []
  for (const name of namesIn(folder).filter(isReplaced)) {
    const file = join(folder, name)
    const found = purgeCopy(file, removed)
    if (found === null) retainDataScopes(file, removed.dataScopes)
    else gone.push(...found)
  }
  for (const name of namesIn(folder))
    if (isMovedFile(name) && !name.startsWith('state.replaced-')) rmSync(join(folder, name), { force: true })
  return gone
}

function retainDataScopes(file: string, removed: readonly DataScopeId[]): void {
  const others = readDataScopesIfReadable(file).filter((dataScope) => !removed.includes(dataScope))
  if (others.length > 0) placeFile(stateOfDataScopes(draftIn(dirname(file)), others), file)
  else removeFile(file)
}

/** Creates a state that contains only ids of data scopes. */
function stateOfDataScopes(file: string, dataScopes: readonly DataScopeId[]): string {
  rmSync(file, { force: true })
  const handle = openHandle(file)
  try {
    handle.exec('CREATE TABLE data_scopes (id TEXT); CREATE TABLE removals (data_scope TEXT)')
    const insert = handle.prepare('INSERT INTO data_scopes (id) VALUES (?)')
    for (const dataScope of dataScopes) insert.run(dataScope)
  } finally {
    handle.close()
  }
  return file
}

/**
 * Returns data scopes that only expired replaced states contain, which `sweepMovedFiles` deletes. Ignores the open state.
 * @throws errors of SQLite if a state that remains is unreadable: its data scopes are then unknown
 */
export function expiringDataScopes(folder: string, now: number): readonly DataScopeId[] {
  const replaced = namesIn(folder).filter(isReplaced)
  const paths = (due: boolean) =>
    replaced.filter((name) => isDue(name, now) === due).map((name) => join(folder, name))
  const staying = new Set(paths(false).flatMap(readDataScopes))
  return [...new Set(paths(true).flatMap(readDataScopesIfReadable))].filter(
    (dataScope) => !staying.has(dataScope),
  )
}

const isMovedFile = (name: string) =>
  /^state\.(?:damaged|replaced)-.*\.sqlite(?:-wal|-shm|-journal)?$/.test(name)
const isReplaced = (name: string) => /^state\.replaced-.*\.sqlite$/.test(name)
const isDue = (name: string, now: number) => now - (momentFromName(name) ?? 0) > storedFor

/** Returns an empty list if the file is unreadable. */
function readDataScopesIfReadable(file: string): readonly DataScopeId[] {
  try {
    return readDataScopes(file)
  } catch {
    return []
  }
}

/** Ids are validated because they become folder names. @throws errors of SQLite */
function readDataScopes(file: string): readonly DataScopeId[] {
  const handle = openHandle(file, { readonly: true })
  try {
    const { table, column } = dataScopeNames(handle)
    const ids = handle.prepare(`SELECT id FROM ${table} UNION SELECT ${column} FROM removals`).pluck().all()
    return ids.map((id) => String(id) as DataScopeId).filter((id) => /^[0-9A-Za-z-]{1,64}$/.test(id))
  } finally {
    handle.close()
  }
}
