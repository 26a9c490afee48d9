import {
  readSync,
  writeSync,
  closeSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  statSync,
  futimesSync,
  mkdirSync,
} from 'node:fs'
import { join, dirname } from 'node:path'
import { crc32 } from 'node:zlib'
import { hasCode } from '#main/files/disk-failure.ts'
import { syncFolder } from '#main/lib/sync-folder.ts'
import { checksumIn, ownerIn } from '#main/reports/history/layout.ts'
import type { FiguresInBackup } from '#shared/app/backup.ts'
import type { DataScopeId } from '#shared/values/ids.ts'
import { isHistoryPath } from './cache/catalogue-repository.ts'
import type { HistoryPath } from './cache/catalogue-repository.ts'
import { databaseLength, headerSize } from './sqlite/open-file.ts'
import { refusal } from './state/moving.ts'

/** So much is read and written at a time, in bytes. */
const portion = 1 << 20

/**
 * Hands over a part of an open file, as much at a time as the buffer takes. @param length in bytes
 * @returns its CRC-32, as it stands in names of files; an empty text where the file ends early
 * @throws as `fs` and `write` do
 */
function copyPart(
  file: number,
  from: number,
  length: number,
  buffer: Buffer,
  write: (bytes: Uint8Array) => void,
): string {
  let sum = 0
  for (let done = 0; done < length;) {
    const got = readSync(file, buffer, 0, Math.min(buffer.length, length - done), from + done)
    if (got === 0) return ''
    const part = buffer.subarray(0, got)
    sum = crc32(part, sum)
    write(part)
    done += got
  }
  return sum.toString(16).padStart(8, '0')
}

/** Writes all of it, from this place of an open file on. @returns how many bytes that are. @throws as `fs` does */
function writeAll(file: number, bytes: Uint8Array, at: number): number {
  for (let done = 0; done < bytes.length;)
    done += writeSync(file, bytes, done, bytes.length - done, at + done)
  return bytes.length
}

/** A part of an open file; shorter where the file ends. @param length in bytes. @throws as `fs` does */
function readPart(file: number, at: number, length: number): Buffer {
  const buffer = Buffer.alloc(length)
  return buffer.subarray(0, readSync(file, buffer, 0, length, at))
}

/**
 * Saved figures in a backup stand behind the state, which SQLite reads as if nothing followed it: a line that says so, each
 * file of the history as a line (`<path> <bytes> <written at>`) and its bytes, and a line that says how many there were.
 */
const beginning = 'Traffic Desk saved figures 1\n'

/** What became of a file that was to go along: it was replaced meanwhile, is damaged, or is of nobody in the backup. */
export type Added = 'added' | 'gone' | 'damaged' | 'foreign'

/** Writes saved figures behind the state in a backup. */
export class FiguresWriter {
  readonly #file: number
  readonly #history: string
  readonly #owners: ReadonlySet<DataScopeId>
  readonly #buffer = Buffer.allocUnsafe(portion)
  #size: number
  #count = 0

  /**
   * @param file holds the state, and nothing else
   * @param owners whose figures may go along
   * @throws as `fs` does
   */
  constructor(file: string, history: string, owners: ReadonlySet<DataScopeId>) {
    this.#history = history
    this.#owners = owners
    this.#file = openSync(file, 'r+')
    this.#size = fstatSync(this.#file).size
    this.#write(Buffer.from(beginning))
  }

  /** What a file takes, in bytes; nothing where it has gone. */
  sizeOf(path: HistoryPath): number {
    return statSync(join(this.#history, path), { throwIfNoEntry: false })?.size ?? 0
  }

  /** Adds a file of the history, whole. @throws as `fs` does; then the backup is not to be used */
  add(path: HistoryPath): Added {
    if (!isHistoryPath(path) || !this.#owners.has(ownerIn(path))) return 'foreign'
    const from = openIfThere(join(this.#history, path))
    if (from === null) return 'gone'
    try {
      const { size, mtimeMs } = fstatSync(from)
      const before = this.#size
      this.#write(Buffer.from(`${path} ${size} ${Math.max(0, Math.round(mtimeMs))}\n`))
      if (copyPart(from, 0, size, this.#buffer, (bytes) => this.#write(bytes)) !== checksumIn(path)) {
        ftruncateSync(this.#file, before)
        this.#size = before
        return 'damaged'
      }
      this.#count += 1
      return 'added'
    } finally {
      closeSync(from)
    }
  }

  /** Ends the backup, which outlives a power cut then. @throws as `fs` does */
  end(): void {
    this.#write(Buffer.from(`end ${this.#count}\n`))
    fsyncSync(this.#file)
    closeSync(this.#file)
  }

  #write(bytes: Uint8Array): void {
    this.#size += writeAll(this.#file, bytes, this.#size)
  }
}

function openIfThere(path: string): number | null {
  try {
    return openSync(path, 'r')
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null
    throw error
  }
}

const fileLine = /^(\S+) (\d{1,15}) (\d{1,15})$/
const endLine = /^end (\d{1,9})$/
/** No line that is written here is as long. In bytes. */
const longestLine = 400
/** More files than any history has: each takes a place on the disk, whatever is in it. */
const maxFiles = 500_000

/** No desk's state comes near that. In bytes. */
const maxOfState = 1_000_000_000

/** Where the saved figures of a backup stand: behind its state. */
export type BackupTail = { readonly file: number; readonly at: number; readonly size: number }

/**
 * Copies the state out of a file that a person chose, to be checked.
 * @returns what stands behind it; `file` stays open
 * @throws DeskFailure where it cannot be a backup; errors of the file system
 */
export function copyState(source: string, to: string): BackupTail {
  const file = openSync(source, 'r')
  try {
    const found = fstatSync(file)
    const at = databaseLength(readPart(file, 0, headerSize), found.size)
    if (!found.isFile() || at > maxOfState) throw refusal('noBackup')
    const copy = openSync(to, 'wx', 0o600)
    try {
      let written = 0
      copyPart(file, 0, at, Buffer.allocUnsafe(portion), (part) => {
        written += writeAll(copy, part, written)
      })
    } finally {
      closeSync(copy)
    }
    return { file, at, size: found.size }
  } catch (error) {
    closeSync(file)
    throw hasCode(error, 'EISDIR') ? refusal('noBackup') : error
  }
}

/** Whether anything stands there that this version can read. @throws DeskFailure where something else does */
export function hasFigures({ file, at, size }: BackupTail): boolean {
  if (at >= size) return false
  if (readPart(file, at, Math.min(size - at, beginning.length)).toString('latin1') === beginning) return true
  throw refusal('damaged')
}

/**
 * Takes the saved figures out of a backup that may be anybody's file, into a folder that is not there yet: nothing but whole
 * files of the history, each under the name that its bytes have, and of these owners alone.
 * @throws DeskFailure where anything else is in it; errors of the file system. Then the folder is not to be used
 */
export function takeOutFigures(
  { file, at: tail, size }: BackupTail,
  into: string,
  owners: ReadonlySet<DataScopeId>,
): FiguresInBackup {
  const buffer = Buffer.allocUnsafe(portion)
  const folders = new Set<string>()
  let at = tail + beginning.length
  let [files, bytes] = [0, 0]
  for (;;) {
    const line = lineAt(file, at, size)
    at += line.length + 1
    const end = endLine.exec(line)
    if (end) {
      if (Number(end[1]) !== files || at !== size) throw refusal('damaged')
      break
    }
    const [, path = '', length = '', writtenAt = ''] = fileLine.exec(line) ?? []
    if (!isHistoryPath(path) || !owners.has(ownerIn(path))) throw refusal('noBackup')
    if (files >= maxFiles || Number(length) > size - at) throw refusal('damaged')
    const to = createIn(into, path, folders)
    try {
      let written = 0
      const checksum = copyPart(file, at, Number(length), buffer, (part) => {
        written += writeAll(to, part, written)
      })
      if (checksum !== checksumIn(path)) throw refusal('damaged')
      // The catalogue is made from the newest first. What claims to come from later comes from now.
      const moment = new Date(Math.min(Number(writtenAt), Date.now()))
      futimesSync(to, moment, moment)
      fsyncSync(to)
    } finally {
      closeSync(to)
    }
    at += Number(length)
    files += 1
    bytes += Number(length)
  }
  for (const folder of folders) syncFolder(folder)
  return { files, bytes }
}

function createIn(into: string, path: HistoryPath, folders: Set<string>): number {
  const place = join(into, path)
  for (
    let folder = dirname(place);
    !folders.has(folder) && folder.length >= into.length;
    folder = dirname(folder)
  )
    folders.add(folder)
  mkdirSync(dirname(place), { recursive: true, mode: 0o700 })
  try {
    return openSync(place, 'wx', 0o600)
  } catch (error) {
    if (hasCode(error, 'EEXIST')) throw refusal('damaged')
    throw error
  }
}

/** A line without its end. @throws DeskFailure where none ends there */
function lineAt(file: number, at: number, size: number): string {
  const found = readPart(file, at, Math.min(longestLine, Math.max(0, size - at)))
  const end = found.indexOf(0x0a)
  if (end < 0) throw refusal('damaged')
  return found.toString('latin1', 0, end)
}
