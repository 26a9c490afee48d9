import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { openHandle } from './database.ts'
import { versionOf } from './migrate.ts'
import { withBusyRetry } from './busy-retry.ts'

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
export type Look =
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
  if (header.toString('latin1', 0, magic.length) !== magic || isOfNoVersion(header))
    return { kind: 'no-database' }
  // The first page in the file is not the newest where the write-ahead log holds a later one.
  const version = sizeOf(`${file}-wal`) > 0 ? versionWithLog(file) : header.readInt32BE(versionOffset)
  return { kind: 'database', version }
}

/** The size of a file in bytes, 0 where there is none. */
export function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}

/**
 * How much of a file is the database that it begins with, in bytes: something else may stand behind it. All of the file where its
 * header says nothing of that.
 * @param header the first bytes of the file
 */
export function databaseLength(header: Buffer, size: number): number {
  if (header.length < headerSize || header.toString('latin1', 0, magic.length) !== magic) return size
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
