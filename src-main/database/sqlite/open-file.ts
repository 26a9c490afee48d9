import {
  closeSync,
  openSync,
  readSync,
  statSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  chmodSync,
  mkdirSync,
  fsyncSync,
  renameSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, dirname } from 'node:path'
import { renameSynced } from '#main/lib/sync-folder.ts'
import type { Failure } from '#shared/api/failure.ts'
import { openHandle, withBusyRetry, writerOver, DamagedFile, storeFailure, troubleOf } from './database.ts'
import type { Handle, Writer } from './database.ts'
import { versionOf, migrate, currentVersion, MigrationMistake } from './migrate.ts'
import type { Schema } from './migrate.ts'

/** Start of a database file (SQLite's file format, section 1.3). */
const magic = 'SQLite format 3\0'
export const headerSize = 100
const versionOffset = 60

/**
 * Whether a header contains a write version above 2 or a schema format above 4, which no SQLite supports. For these files
 * SQLite reports a disk error or an SQL error, not damage.
 */
const isOfNoVersion = (header: Buffer): boolean => header.readUInt8(18) > 2 || header.readUInt32BE(44) > 4

/** Result of examining a path without writing. */
type Look =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'no-database' }
  | { readonly kind: 'database'; readonly version: number }

/**
 * Examines a path. The file must not be open in this process, because closing it would release SQLite's locks.
 * @throws errors of the file system, except for a missing file
 */
export const lookAt = (file: string): Look => withBusyRetry(() => look(file))

function look(file: string): Look {
  const size = sizeOf(file)
  if (size === 0) return { kind: 'nothing' }
  const header = readHeader(file)
  if (!isDatabase(header) || isOfNoVersion(header)) return { kind: 'no-database' }
  // The write-ahead log may contain a newer first page.
  const version = sizeOf(`${file}-wal`) > 0 ? versionWithLog(file) : header.readInt32BE(versionOffset)
  return { kind: 'database', version }
}

/** Whether a file is a database. @param header its first bytes */
export const isDatabase = (header: Buffer): boolean => header.toString('latin1', 0, magic.length) === magic

/** Returns the size of a file in bytes; 0 if missing. */
function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}

/**
 * Returns the length in bytes of the database at the start of a file; other data may follow it. Returns `size` if the header
 * does not contain the length.
 * @param header the first bytes of the file
 */
export function databaseLength(header: Buffer, size: number): number {
  if (header.length < headerSize || !isDatabase(header)) return size
  const pageSize = header.readUInt16BE(16)
  const length = (pageSize === 1 ? 65_536 : pageSize) * header.readUInt32BE(28)
  // If the two counters differ, an old writer did not update the page count.
  return length > 0 && header.readUInt32BE(24) === header.readUInt32BE(92) ? Math.min(length, size) : size
}

function readHeader(file: string): Buffer {
  const header = Buffer.alloc(headerSize)
  const descriptor = openSync(file, 'r')
  try {
    readSync(descriptor, header, 0, headerSize, 0)
  } finally {
    closeSync(descriptor)
  }
  return header
}

function versionWithLog(file: string): number {
  const handle = openHandle(file, { readonly: true })
  try {
    return versionOf(handle)
  } finally {
    handle.close()
  }
}

/**
 * Opens a copy of the file in memory if SQLite cannot write to the folder. Opens an empty database if the file is unreadable
 * too.
 */
export function openCopyInMemory(file: string, schema: Schema): Handle {
  try {
    const copy = copyInMemory(file)
    if (copy !== null) return migrated(copy, schema)
  } catch {
    // Unusable: start empty.
  }
  return openEmptyInMemory(schema)
}

export function openEmptyInMemory(schema: Schema): Handle {
  return migrated(openHandle(':memory:'), schema)
}

/** Copies a file into memory, without migration; null if missing. @throws errors of SQLite and the file system */
export function copyInMemory(file: string): Handle | null {
  if (!existsSync(file)) return null
  return openHandle(sizeOf(`${file}-wal`) > 0 ? withLog(file) : withoutLog(file))
}

function migrated(handle: Handle, schema: Schema): Handle {
  handle.pragma('foreign_keys = ON')
  migrate(handle, schema)
  return handle
}

/** Reads a file and clears its WAL flag (bytes 18 and 19: 2), which a database in memory must not have (1). */
function withoutLog(file: string): Buffer {
  const bytes = readFileSync(file)
  return bytes.fill(1, 18, 20)
}

/**
 * Reads a file with its write-ahead log. Only SQLite can merge the log, so a temporary copy is opened. The bytes are read from
 * that file, because SQLite's `serialize` crashes the process in Electron.
 */
function withLog(file: string): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'traffic-desk-'))
  try {
    const copy = join(folder, 'copy.sqlite')
    copyFileSync(file, copy)
    copyFileSync(`${file}-wal`, `${copy}-wal`)
    const handle = openHandle(copy)
    try {
      handle.pragma('journal_mode = DELETE')
    } finally {
      handle.close()
    }
    return readFileSync(copy)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Result of opening a file. The database is always usable, but only `ready` persists writes. */
export type FileOpening =
  | { readonly kind: 'ready' }
  /** The disk or folder fails. A copy in memory serves this session. */
  | { readonly kind: 'unwritable'; readonly failure: Failure }
  /** A newer version of the app wrote the file, which remains unchanged. An empty database in memory serves this session. */
  | { readonly kind: 'newer'; readonly version: number; readonly known: number }
  /** A migration of this version fails. An empty database in memory serves this session. */
  | { readonly kind: 'incompatible' }

export type OpenFile<O = FileOpening> = {
  readonly handle: Handle
  readonly database: Writer
  readonly opening: O
  readonly close: () => void
}

type FileToOpen = {
  readonly file: string
  readonly schema: Schema
  /** Runs before the migration of an existing file; an error prevents the migration. */
  readonly beforeMigrating?: (handle: Handle) => void
}

/**
 * Suffixes of the files that belong to a database. A leftover file would corrupt the next database of the same name. Before WAL
 * mode is set, there is a journal.
 */
export const companions = ['', '-wal', '-shm', '-journal'] as const

/**
 * Opens or creates a file and migrates it. Leaves the file unchanged if this version cannot read it, and uses memory if the
 * disk fails.
 * @throws an error that `troubleOf` calls damaged, and bugs
 */
export function openFile(what: FileToOpen): OpenFile {
  const { file, schema } = what
  try {
    mkdirSync(dirname(file), { recursive: true })
    const look = lookAt(file)
    const known = currentVersion(schema)
    if (look.kind === 'database' && look.version > known) {
      return opened(openEmptyInMemory(schema), { kind: 'newer', version: look.version, known })
    }
    if (look.kind === 'no-database') throw new DamagedFile('Not a database')
    return opened(
      withBusyRetry(() => openOnDisk(what)),
      { kind: 'ready' },
    )
  } catch (error) {
    if (error instanceof MigrationMistake) return opened(openEmptyInMemory(schema), { kind: 'incompatible' })
    if (troubleOf(error) !== 'disk') throw error
    return openUnstored(what, error)
  }
}

/** Opens a copy in memory after a disk failure. */
export const openUnstored = ({ file, schema }: FileToOpen, error: unknown): OpenFile =>
  opened(openCopyInMemory(file, schema), { kind: 'unwritable', failure: storeFailure(error).failure })

/** Combines an open handle with the result of its opening. */
export function opened<O>(handle: Handle, opening: O): OpenFile<O> {
  return { handle, database: writerOver(handle), opening, close: () => void handle.close() }
}

/** Opens a file for reading and writing, and migrates it. @throws errors of SQLite, DamagedFile, MigrationMistake */
export function openOnDisk({ file, schema, beforeMigrating }: FileToOpen): Handle {
  const handle = openHandle(file)
  try {
    storeForOwner(file)
    if (schema.first !== undefined) handle.exec(schema.first)
    handle.pragma('journal_mode = WAL')
    // Commits must survive a power failure: files are deleted once the catalogue drops them, and a request is sent only once.
    handle.pragma('synchronous = FULL')
    handle.pragma('foreign_keys = ON')
    // Overwrites deleted rows in the file, so that figures of a removed client cannot be recovered.
    handle.pragma('secure_delete = ON')
    // A read-only file opens without an error; this statement fails.
    handle.exec('BEGIN IMMEDIATE; ROLLBACK')
    migrate(handle, schema, () => beforeMigrating?.(handle))
    return handle
  } catch (error) {
    handle.close()
    throw error
  }
}

/**
 * Restricts a database to its owner. SQLite creates its companion files with the same mode. Not every file system supports
 * modes.
 */
export function storeForOwner(file: string): void {
  for (const companion of companions)
    try {
      chmodSync(file + companion, statSync(file + companion).mode & 0o700)
    } catch {
      // Missing, or modes are not supported.
    }
}

/**
 * Checks a whole file. Returns false if it is damaged, and true if it is missing.
 *
 * Uses only SQLite: opening and closing the file directly would release this process's locks (POSIX).
 */
export function isSound(file: string): boolean {
  try {
    if (sizeOf(file) === 0) return true
    const handle = openHandle(file, { readonly: true })
    try {
      return handle.pragma('quick_check(1)', { simple: true }) === 'ok'
    } finally {
      handle.close()
    }
  } catch (error) {
    return troubleOf(error) !== 'damaged'
  }
}

/**
 * Moves the write-ahead log into the file and empties it, so that the log contains no deleted data.
 * @throws DeskFailure if another reader blocks the checkpoint
 */
export function emptyLog(handle: Handle): void {
  const [result] = handle.pragma('wal_checkpoint(TRUNCATE)') as [{ readonly busy: number }]
  if (result.busy !== 0) throw storeFailure(Object.assign(new Error('In use'), { code: 'SQLITE_BUSY' }))
}

/** Deletes a database and its companion files. */
export function removeFile(file: string): void {
  for (const companion of [...companions].reverse()) rmSync(file + companion, { force: true })
}

/**
 * Runs `work`. If the file is damaged, replaces the file and runs `work` once more.
 * @param replace replaces the file; returns false if it cannot
 * @throws DeskFailure
 */
export function runOrReplace<T>(work: () => T, replace: () => boolean): T {
  try {
    return work()
  } catch (error) {
    if (troubleOf(error) !== 'damaged' || !replace()) throw storeFailure(error)
  }
  try {
    return work()
  } catch (error) {
    throw storeFailure(error)
  }
}

/** Renames a complete, closed file to its final name, atomically and durably. Replaces an existing file. */
export function placeFile(made: string, file: string): void {
  storeForOwner(made)
  syncFile(made)
  // SQLite would apply the previous file's log to this one.
  for (const companion of companions.slice(1)) rmSync(file + companion, { force: true })
  renameSynced(made, file)
}

/** Flushes a file to disk. */
export function syncFile(path: string): void {
  const descriptor = openSync(path, 'r+')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Formats a time for a file name, in UTC. The names sort by time. */
export const momentInName = (moment: number): string =>
  new Date(moment).toISOString().replaceAll(/[:.]/g, '-')

/** Parses a time written by `momentInName`, in ms; undefined if there is none. */
export function momentFromName(name: string): number | undefined {
  const found = /(\d{4}-\d\d-\d\dT\d\d)-(\d\d)-(\d\d)(?:-(\d{3})Z)?/.exec(name)
  if (!found) return undefined
  const [, hour, minutes, seconds, rest = '000'] = found
  const moment = Date.parse(`${hour}:${minutes}:${seconds}.${rest}Z`)
  return Number.isNaN(moment) ? undefined : moment
}

/**
 * Sets a file aside under a name with the time.
 * @param why reason, part of the name
 * @returns the new path; null if there was no file
 */
export function moveAway(file: string, now: number, why: 'damaged' | 'replaced' = 'damaged'): string | null {
  if (!companions.some((companion) => existsSync(file + companion))) return null
  const named = (count: number) =>
    file.replace(/\.sqlite$/, `.${why}-${momentInName(now)}${count > 1 ? `-${count}` : ''}.sqlite`)
  let count = 1
  while (existsSync(named(count))) count += 1
  for (const companion of companions) {
    if (existsSync(file + companion)) renameSync(file + companion, named(count) + companion)
  }
  return named(count)
}
