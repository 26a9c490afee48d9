import { closeSync, constants, fsyncSync, ftruncateSync, futimesSync, openSync, writeSync } from 'node:fs'
import { access, lstat, open, readdir, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { hasCode } from '#main/files/disk-failure.ts'
import { BrokenArchive } from '#main/files/zip-errors.ts'
import type { Sink } from './socket-body.ts'

/** Maximum bytes waiting to be written. Above, the sender pauses until half of them are written. */
const MAX_WAITING = 1024 * 1024

type Writing = {
  /** File descriptor. */
  readonly file: Promise<number>
  /** Offset of the first byte. */
  readonly from: number
  /** Maximum length of the file. */
  readonly max: number
  /** Waits for permission to write. @returns the number of bytes */
  readonly portion: () => Promise<number>
  /** Called with the current length of the file. */
  readonly wrote: (length: number) => void
}

type Piece = { readonly bytes: Uint8Array; readonly release: (() => void) | undefined }

/**
 * Writes received bytes to a file, synchronously in the receiving thread: passing them to another thread takes four
 * times as long, because each byte moves between CPU caches. For a thread that may block on the disk. After an error,
 * further bytes are discarded and `end` throws. The error is a BrokenArchive if the file would exceed its maximum.
 */
export class PartWriter implements Sink {
  readonly #writing: Writing
  readonly #opened: Promise<void>
  #file: number | null = null
  readonly #waiting: Piece[] = []
  #bytes = 0
  #length: number
  /** Bytes that may still be written, and size of the last portion. */
  #allowed = 0
  #given = 0
  #asking = false
  #failed: { readonly error: unknown } | null = null
  /** Callers that wait for room or the end. */
  #waiters: (() => void)[] = []

  constructor(writing: Writing) {
    this.#writing = writing
    this.#length = writing.from
    this.#opened = writing.file.then(
      (file) => {
        this.#file = file
        this.#write()
      },
      (error: unknown) => this.#fail(error),
    )
  }

  take(bytes: Uint8Array, release?: () => void): boolean {
    if (this.#failed) return true
    this.#waiting.push({ bytes, release })
    this.#bytes += bytes.length
    this.#write()
    return this.#bytes < MAX_WAITING
  }

  async room(): Promise<void> {
    while (!this.#failed && this.#bytes > MAX_WAITING / 2) await this.#change()
  }

  /** Resolves when everything is written. @throws errors of writing */
  async end(): Promise<void> {
    await this.#opened
    while (!this.#failed && this.#waiting.length > 0) await this.#change()
    if (this.#failed) throw this.#failed.error
  }

  get hasFailed(): boolean {
    return this.#failed !== null
  }

  #change(): Promise<void> {
    return new Promise((resolve) => this.#waiters.push(resolve))
  }

  #write(): void {
    try {
      for (let [first] = this.#waiting; this.#file !== null && first; [first] = this.#waiting) {
        if (this.#length + first.bytes.length > this.#writing.max) {
          throw new BrokenArchive('more came than belongs to it')
        }
        if (this.#allowed === 0) break
        this.#writeSome(this.#file, first)
      }
    } catch (error) {
      return this.#fail(error)
    }
    // The next portion is requested before this one is used up.
    if (this.#allowed <= this.#given / 2) this.#ask()
    this.#notify()
  }

  /** Writes as much of the first piece as allowed. */
  #writeSome(file: number, { bytes, release }: Piece): void {
    const now = bytes.subarray(0, this.#allowed)
    writeWhole(file, now, this.#length)
    this.#length += now.length
    this.#allowed -= now.length
    this.#bytes -= now.length
    this.#waiting.shift()
    if (now.length < bytes.length) this.#waiting.unshift({ bytes: bytes.subarray(now.length), release })
    else release?.()
    this.#writing.wrote(this.#length)
  }

  #ask(): void {
    if (this.#asking || this.#failed) return
    this.#asking = true
    this.#writing.portion().then(
      (bytes) => {
        this.#asking = false
        this.#allowed += bytes
        this.#given = bytes
        this.#write()
      },
      (error: unknown) => this.#fail(error),
    )
  }

  #fail(error: unknown): void {
    this.#failed ??= { error }
    // Otherwise the owner of the buffer would wait forever.
    for (const { release } of this.#waiting.splice(0)) release?.()
    this.#bytes = 0
    this.#notify()
  }

  #notify(): void {
    for (const resolve of this.#waiters.splice(0)) resolve()
  }
}

/** Writes all bytes at a position. A single system call may write fewer, for example on a full disk. */
export function writeWhole(file: number, bytes: Uint8Array, position: number): void {
  for (let done = 0; done < bytes.length;) {
    done += writeSync(file, bytes, done, bytes.length - done, position + done)
  }
}

/** Length of a file; null if it does not exist. */
export async function lengthOf(path: string): Promise<number | null> {
  return await stat(path).then(
    ({ size }) => size,
    (error: unknown) => {
      if (hasCode(error, 'ENOENT', 'ENOTDIR')) return null
      throw error
    },
  )
}

/** Flag that refuses symbolic links in place of a part, where the system supports it. */
const NO_LINK = 'O_NOFOLLOW' in constants ? constants.O_NOFOLLOW : 0
const TO_WRITE = constants.O_WRONLY | constants.O_CREAT | NO_LINK

/** Whether the path is something other than a regular file. False if it does not exist. */
export async function isForeign(path: string): Promise<boolean> {
  return await lstat(path).then(
    (found) => !found.isFile(),
    (error: unknown) => {
      if (hasCode(error, 'ENOENT', 'ENOTDIR')) return false
      throw error
    },
  )
}

/** Truncates a part to zero length. */
export async function emptyPart(path: string): Promise<void> {
  const file = await open(path, TO_WRITE)
  try {
    await file.truncate(0)
  } finally {
    await file.close()
  }
}

/**
 * Opens a part for writing and truncates it at an offset. For a thread that may block on the disk.
 * @returns the file descriptor, which the caller closes
 */
export function openPart(path: string, from: number): number {
  const file = openSync(path, TO_WRITE)
  try {
    ftruncateSync(file, from)
    return file
  } catch (error) {
    closeSync(file)
    throw error
  }
}

export async function discardPart(path: string): Promise<void> {
  await unlink(path).catch((error: unknown) => {
    if (!hasCode(error, 'ENOENT', 'ENOTDIR')) throw error
  })
}

/** Syncs a part and sets its time to that of the report. For a thread that may block on the disk. */
export function finishPart(path: string, modified: number | null): void {
  const file = openSync(path, constants.O_RDWR | NO_LINK)
  try {
    if (modified !== null) futimesSync(file, modified / 1000, modified / 1000)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** Whether the folder exists and is writable. */
export async function takesFiles(folder: string): Promise<boolean> {
  return await access(folder, constants.W_OK).then(
    () => true,
    () => false,
  )
}

type SweepingCalls = {
  readonly readdir: (folder: string) => Promise<readonly string[]>
  readonly unlink: (path: string) => Promise<void>
}

/**
 * Deletes temporary files of an earlier attempt.
 * @param calls file system calls; defaults to Node's asynchronous ones
 */
export async function sweepDrafts(
  folder: string,
  mark: string,
  calls: SweepingCalls = { readdir, unlink },
): Promise<void> {
  const names = await calls.readdir(folder).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return []
    throw error
  })
  for (const name of names)
    if (name.startsWith(mark)) await calls.unlink(join(folder, name)).catch(() => undefined)
}
