import { closeSync, constants, fsyncSync, ftruncateSync, futimesSync, openSync, writeSync } from 'node:fs'
import { access, lstat, open, readdir, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { hasCode } from '#main/files/disk-failure.ts'
import { BrokenArchive } from './trouble.ts'
import type { Sink } from './socket-body.ts'

/** Until it may be written, so much may wait; then the sender waits until half of it is gone. In bytes. */
const MAX_WAITING = 1024 * 1024

type Writing = {
  /** Its descriptor. */
  readonly file: Promise<number>
  /** Where the first byte goes. */
  readonly from: number
  /** How long the file may become. */
  readonly max: number
  /** Waits until more may be written. @returns how much, in bytes */
  readonly portion: () => Promise<number>
  /** Hears how long the file is now. */
  readonly wrote: (length: number) => void
}

type Piece = { readonly bytes: Uint8Array; readonly release: (() => void) | undefined }

/**
 * Writes what comes into a file, at once and without leaving the thread that took it: handed to another, each byte goes
 * from one core's cache to the other's, which takes four times as long. So this belongs into a thread that may wait for
 * the disk. Once something fails, what follows is thrown away; `end` says why. It is a BrokenArchive where more comes
 * than there is.
 */
export class PartWriter implements Sink {
  readonly #writing: Writing
  readonly #opened: Promise<void>
  #file: number | null = null
  readonly #waiting: Piece[] = []
  #bytes = 0
  #length: number
  /** How much may be written still, and how much was given last. */
  #allowed = 0
  #given = 0
  #asking = false
  #failed: { readonly error: unknown } | null = null
  /** Those who wait for room, or for the end. */
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

  /** Resolves when everything that was taken is written. @throws what writing fails with */
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
    // The next portion is there before this one is used up.
    if (this.#allowed <= this.#given / 2) this.#ask()
    this.#notify()
  }

  /** As much of the first piece as may be written now. */
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
    // Whoever waits for its memory would wait for ever.
    for (const { release } of this.#waiting.splice(0)) release?.()
    this.#bytes = 0
    this.#notify()
  }

  #notify(): void {
    for (const resolve of this.#waiters.splice(0)) resolve()
  }
}

/** Writes all of a piece at a place. A system may write a part of what it is given, such as all that a disk has room for. */
export function writeWhole(file: number, bytes: Uint8Array, position: number): void {
  for (let done = 0; done < bytes.length;) {
    done += writeSync(file, bytes, done, bytes.length - done, position + done)
  }
}

/** How long a file is; null where there is none. */
export async function lengthOf(path: string): Promise<number | null> {
  return await stat(path).then(
    ({ size }) => size,
    (error: unknown) => {
      if (hasCode(error, 'ENOENT', 'ENOTDIR')) return null
      throw error
    },
  )
}

/** A link in the place of a part is never followed: it may lead anywhere. Not every system knows how to refuse it. */
const NO_LINK = 'O_NOFOLLOW' in constants ? constants.O_NOFOLLOW : 0
const TO_WRITE = constants.O_WRONLY | constants.O_CREAT | NO_LINK

/** Whether there is something else where a part should be; nothing at all is none. */
export async function isForeign(path: string): Promise<boolean> {
  return await lstat(path).then(
    (found) => !found.isFile(),
    (error: unknown) => {
      if (hasCode(error, 'ENOENT', 'ENOTDIR')) return false
      throw error
    },
  )
}

/** Leaves nothing in a part. */
export async function emptyPart(path: string): Promise<void> {
  const file = await open(path, TO_WRITE)
  try {
    await file.truncate(0)
  } finally {
    await file.close()
  }
}

/**
 * Opens a part to be written from there on; what lies behind that is cut off. For a thread that may wait for the disk.
 * @returns its descriptor, which whoever opens it closes
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

/** Removes a file in the making. */
export async function discardPart(path: string): Promise<void> {
  await unlink(path).catch((error: unknown) => {
    if (!hasCode(error, 'ENOENT', 'ENOTDIR')) throw error
  })
}

/**
 * What has arrived is put on the disk, not only with the system, and gets the time at which the report was made. For a thread
 * that may wait for the disk.
 */
export function finishPart(path: string, modified: number | null): void {
  const file = openSync(path, constants.O_RDWR | NO_LINK)
  try {
    if (modified !== null) futimesSync(file, modified / 1000, modified / 1000)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** Whether there is a folder into which files may be written. */
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

/** Removes what an earlier attempt left half-written. @param calls how its folder is reached; by Node's threads where left out */
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
