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
import { syncFolder } from '#main/lib/sync-folder.ts'
import type { Failure } from '#shared/api/failure.ts'
import { openHandle, withBusyRetry, writerOver, DamagedFile, storeFailure, troubleOf } from './database.ts'
import type { Handle, Writer } from './database.ts'
import { versionOf, migrate, currentVersion, MigrationMistake } from './migrate.ts'
import type { Schema } from './migrate.ts'

/** A database's first page begins with this text (SQLite's file format, section 1.3). */
const magic = 'SQLite format 3\0'
export const headerSize = 100
const versionOffset = 60

/**
 * Whether a header asks for what no version of SQLite can: of such a file it says that the disk refuses to write it (the form of
 * writing, 2 with a write-ahead log), or that the statement is wrong (the form of the schema), and not that it is damaged.
 */
const isOfNoVersion = (header: Buffer): boolean => header.readUInt8(18) > 2 || header.readUInt32BE(44) > 4

/** What lies where the file should be, seen without writing a byte. */
type Look =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'no-database' }
  | { readonly kind: 'database'; readonly version: number }

/**
 * For a file that this process has not open: to close it takes away the locks that SQLite holds on it.
 * @throws errors of the file system, other than that there is no file
 */
export const lookAt = (file: string): Look => withBusyRetry(() => look(file))

function look(file: string): Look {
  const size = sizeOf(file)
  if (size === 0) return { kind: 'nothing' }
  const header = readHeader(file)
  if (!isDatabase(header) || isOfNoVersion(header)) return { kind: 'no-database' }
  // The first page in the file is not the newest where the write-ahead log holds a later one.
  const version = sizeOf(`${file}-wal`) > 0 ? versionWithLog(file) : header.readInt32BE(versionOffset)
  return { kind: 'database', version }
}

/** Whether a file begins as a database does. @param header its first bytes */
export const isDatabase = (header: Buffer): boolean => header.toString('latin1', 0, magic.length) === magic

/** The size of a file in bytes, 0 where there is none. */
function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}

/**
 * How much of a file is the database that it begins with, in bytes: something else may stand behind it. All of the file where its
 * header says nothing of that.
 * @param header the first bytes of the file
 */
export function databaseLength(header: Buffer, size: number): number {
  if (header.length < headerSize || !isDatabase(header)) return size
  const pageSize = header.readUInt16BE(16)
  const length = (pageSize === 1 ? 65_536 : pageSize) * header.readUInt32BE(28)
  // A writer that did not know the field for the number of pages left the two counters different.
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
 * A copy of the file in memory, for where SQLite cannot write beside it: what was kept can be read still. An empty
 * one where the file cannot be read either.
 */
export function openCopyInMemory(file: string, schema: Schema): Handle {
  try {
    const copy = copyInMemory(file)
    if (copy !== null) return migrated(copy, schema)
  } catch {
    // Nothing of it can be used: begin empty.
  }
  return openEmptyInMemory(schema)
}

export function openEmptyInMemory(schema: Schema): Handle {
  return migrated(openHandle(':memory:'), schema)
}

/** A copy of a file as it is; null where there is none. @throws errors of SQLite and of the file system */
export function copyInMemory(file: string): Handle | null {
  if (!existsSync(file)) return null
  return openHandle(sizeOf(`${file}-wal`) > 0 ? withLog(file) : withoutLog(file))
}

function migrated(handle: Handle, schema: Schema): Handle {
  handle.pragma('foreign_keys = ON')
  migrate(handle, schema)
  return handle
}

/** Bytes 18 and 19 say that the file has a write-ahead log (2), which a database in memory cannot have (1). */
function withoutLog(file: string): Buffer {
  const bytes = readFileSync(file)
  return bytes.fill(1, 18, 20)
}

/**
 * The log can only be joined to its file by SQLite, on a disk: so on another one, for a moment. The bytes are read
 * from there, because SQLite's own way to give them out ends the process in Electron.
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

/** How the opening of a file went. In all cases it can be used; only after `ready` what is written lasts. */
export type FileOpening =
  | { readonly kind: 'ready' }
  /** Disk or folder refuse: a copy in memory, with what could be read, serves this session. */
  | { readonly kind: 'unkept'; readonly failure: Failure }
  /** The file is of a newer version of the app, and was left alone: an empty one in memory serves this session. */
  | { readonly kind: 'newer'; readonly version: number; readonly known: number }
  /** This version fails to bring the file to its form, by a mistake of its own; the same as after `newer`. */
  | { readonly kind: 'unsuited' }

export type OpenFile<O = FileOpening> = {
  readonly handle: Handle
  readonly database: Writer
  readonly opening: O
  readonly close: () => void
}

type FileToOpen = {
  readonly file: string
  readonly schema: Schema
  /** Runs before the form of a file is changed that has been used already; where it throws, nothing is changed. */
  readonly beforeMigrating?: (handle: Handle) => void
}

/**
 * The files that SQLite keeps beside its own belong to it: it would take what is left of one for what is missing in the next of
 * that name. Until a file has a log (WAL) it has a journal.
 */
export const companions = ['', '-wal', '-shm', '-journal'] as const

/**
 * Opens a file, whatever lies there: begins it, brings it to its newest form, leaves it unharmed where that cannot be, and
 * falls back to memory where the disk refuses.
 * @throws an error that `troubleOf` calls damaged; and mistakes of ours
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
    if (error instanceof MigrationMistake) return opened(openEmptyInMemory(schema), { kind: 'unsuited' })
    if (troubleOf(error) !== 'disk') throw error
    return openUnstored(what, error)
  }
}

/** A copy in memory of a file whose disk or folder refused. */
export const openUnstored = ({ file, schema }: FileToOpen, error: unknown): OpenFile =>
  opened(openCopyInMemory(file, schema), { kind: 'unkept', failure: storeFailure(error).failure })

/** What is open, with how that went. */
export function opened<O>(handle: Handle, opening: O): OpenFile<O> {
  return { handle, database: writerOver(handle), opening, close: () => void handle.close() }
}

/** Opens a file for reading and writing, in its newest form. @throws errors of SQLite, DamagedFile, MigrationMistake */
export function openOnDisk({ file, schema, beforeMigrating }: FileToOpen): Handle {
  const handle = openHandle(file)
  try {
    storeForOwner(file)
    if (schema.first !== undefined) handle.exec(schema.first)
    handle.pragma('journal_mode = WAL')
    // What is committed outlives a power cut: files go that a catalogue names no more, and a request leaves once.
    handle.pragma('synchronous = FULL')
    handle.pragma('foreign_keys = ON')
    // What is deleted is gone from the file as well: a removed client's figures are nobody's to find.
    handle.pragma('secure_delete = ON')
    // A file that may only be read opens without a word, and says so here.
    handle.exec('BEGIN IMMEDIATE; ROLLBACK')
    migrate(handle, schema, () => beforeMigrating?.(handle))
    return handle
  } catch (error) {
    handle.close()
    throw error
  }
}

/**
 * Nobody else may read it, wherever its folder is copied to. What SQLite makes beside it gets the same mode. Not every disk
 * knows modes.
 */
export function storeForOwner(file: string): void {
  for (const companion of companions)
    try {
      chmodSync(file + companion, statSync(file + companion).mode & 0o700)
    } catch {
      // It is not there, or the disk has other ways.
    }
}

/**
 * Looks through a whole file, for as long as that takes. False where it is damaged; true where there is none.
 *
 * By SQLite alone: to open a file beside it and to close that takes away the locks that this process has on it (POSIX).
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
 * Writes everything into the file itself and empties its log, so that nothing that was deleted is left in it.
 * @throws DeskFailure where another reader keeps it from that
 */
export function emptyLog(handle: Handle): void {
  const [result] = handle.pragma('wal_checkpoint(TRUNCATE)') as [{ readonly busy: number }]
  if (result.busy !== 0) throw storeFailure(Object.assign(new Error('In use'), { code: 'SQLITE_BUSY' }))
}

/** Deletes a file and what SQLite keeps beside it. */
export function removeFile(file: string): void {
  for (const companion of [...companions].reverse()) rmSync(file + companion, { force: true })
}

/**
 * Runs work on what is open; where its file turns out damaged, has it replaced and runs the work once more.
 * @param replace puts a sound one in its place; false where it could not
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

/** Gives a whole, closed file its name, in place of what had it, at once; it has that after a power cut, too. */
export function placeFile(made: string, file: string): void {
  storeForOwner(made)
  syncFile(made)
  // The log of the file before would be taken for this one's.
  for (const companion of companions.slice(1)) rmSync(file + companion, { force: true })
  renameSync(made, file)
  syncFolder(dirname(file))
}

/** Waits until what was written into a file outlives a power cut. */
export function syncFile(path: string): void {
  const descriptor = openSync(path, 'r+')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** A moment as part of a file's name, in UTC: such names stand in the order of their moments. */
export const momentInName = (moment: number): string =>
  new Date(moment).toISOString().replaceAll(/[:.]/g, '-')

/** The moment that `momentInName` wrote, in milliseconds; undefined where it wrote none. */
export function momentFromName(name: string): number | undefined {
  const found = /(\d{4}-\d\d-\d\dT\d\d)-(\d\d)-(\d\d)(?:-(\d{3})Z)?/.exec(name)
  if (!found) return undefined
  const [, hour, minutes, seconds, rest = '000'] = found
  const moment = Date.parse(`${hour}:${minutes}:${seconds}.${rest}Z`)
  return Number.isNaN(moment) ? undefined : moment
}

/**
 * Puts a file out of the way, with the time in its name, so that nothing of it is lost.
 * @param why it goes: part of the name
 * @returns the path it has now; null where there is none
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
