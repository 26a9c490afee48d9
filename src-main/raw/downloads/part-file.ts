import { closeSync, constants, fsyncSync, ftruncateSync, futimesSync, openSync, writeSync } from 'node:fs'
import { access, lstat, open, readdir, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { hasCode } from '#main/files/disk-failure.ts'
import { BrokenArchive } from '#main/files/zip-errors.ts'

type Writing = {
  /** Offset of the first byte. */
  readonly from: number
  /** Maximum length of the file. */
  readonly max: number
  /** Waits for permission to write. @returns the number of bytes */
  readonly portion: () => Promise<number>
  /** Called with the current length of the file. */
  readonly wrote: (length: number) => void
}

/**
 * Writes received bytes to a file, synchronously in the receiving thread: passing them to another thread takes four
 * times as long, because each byte moves between CPU caches. For a thread that may block on the disk.
 */
export class PartWriter {
  readonly #file: number
  readonly #writing: Writing
  /** Bytes that may still be written. */
  #allowed = 0
  #length: number

  /** @param file descriptor */
  constructor(file: number, writing: Writing) {
    this.#file = file
    this.#writing = writing
    this.#length = writing.from
  }

  /** Current length of the file. */
  get length(): number {
    return this.#length
  }

  /** @throws BrokenArchive if the file would exceed its maximum; errors of the disk and of `portion` */
  async write(bytes: Uint8Array): Promise<void> {
    if (this.#length + bytes.length > this.#writing.max)
      throw new BrokenArchive('more came than belongs to it')
    for (let done = 0; done < bytes.length;) {
      if (this.#allowed === 0) this.#allowed = await this.#writing.portion()
      const now = bytes.subarray(done, done + this.#allowed)
      writeWhole(this.#file, now, this.#length)
      done += now.length
      this.#length += now.length
      this.#allowed -= now.length
      this.#writing.wrote(this.#length)
    }
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
