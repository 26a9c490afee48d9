import { chmodSync, mkdirSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Failure } from '#shared/api/failure.ts'
import { openHandle, writerOver } from './database.ts'
import type { Handle, Writer } from './database.ts'
import { lookAt, sizeOf } from './look.ts'
import { openCopyInMemory, openEmptyInMemory } from './memory-copy.ts'
import { currentVersion, migrate, MigrationMistake } from './migrate.ts'
import type { Schema } from './migrate.ts'
import { withBusyRetry } from './busy-retry.ts'
import { DamagedFile, storeFailure, troubleOf } from './trouble.ts'

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

export type FileToOpen = {
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
