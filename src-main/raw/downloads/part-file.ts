import { constants } from 'node:fs'
import { access, lstat, open, readdir, stat, unlink } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { hasCode } from '../../files/disk-failure.ts'
import { BrokenArchive } from './archive-trouble.ts'
import type { Sink } from './body.ts'

/** While the disk writes, so much may wait for it; then the sender waits until half of it is on its way. In bytes. */
const MOST_WAITING = 4 * 1024 * 1024
const MOST_AT_ONCE = 1024 * 1024

export type Writing = {
  readonly file: Promise<FileHandle>
  /** Where the first byte goes. */
  readonly from: number
  /** How long the file may become; null where nobody said. */
  readonly most: number | null
  /** Waits until so many bytes may be written. */
  readonly allow: (bytes: number) => Promise<void>
  /** How much one write may take where it has to be little, in bytes. */
  readonly mostAtOnce?: () => number
  /** Hears how long the file is now. */
  readonly wrote: (length: number) => void
}

/**
 * Writes what comes into a file, many pieces at a time, while more is coming. Once something fails, what follows is
 * thrown away; `end` says why. It is a BrokenArchive where more comes than there is.
 */
export class PartWriter implements Sink {
  readonly #writing: Writing
  #waiting: { readonly piece: Uint8Array; readonly release: (() => void) | undefined }[] = []
  #bytes = 0
  #length: number
  #running: Promise<void> | null = null
  #failed: { readonly error: unknown } | null = null
  #hasRoom: (() => void) | null = null

  constructor(writing: Writing) {
    this.#writing = writing
    this.#length = writing.from
  }

  take(piece: Uint8Array, release?: () => void): boolean {
    if (this.#failed) return true
    this.#waiting.push({ piece, release })
    this.#bytes += piece.length
    this.#running ??= this.#run()
    return this.#bytes < MOST_WAITING
  }

  room(): Promise<void> {
    if (this.#failed || this.#bytes <= MOST_WAITING / 2) return Promise.resolve()
    return new Promise((resolve) => (this.#hasRoom = resolve))
  }

  /** Resolves when everything that was taken is written. @throws what writing fails with */
  async end(): Promise<void> {
    await this.#running
    if (this.#failed) throw this.#failed.error
  }

  get hasFailed(): boolean {
    return this.#failed !== null
  }

  async #run(): Promise<void> {
    const { file, allow, wrote, most } = this.#writing
    try {
      while (this.#waiting.length > 0) {
        const taken = this.#next()
        const pieces = taken.map(({ piece }) => piece)
        const bytes = pieces.reduce((sum, piece) => sum + piece.length, 0)
        if (most !== null && this.#length + bytes > most) {
          throw new BrokenArchive('more came than belongs to it')
        }
        await allow(bytes)
        this.#length += await writeAll(await file, pieces, this.#length)
        for (const { release } of taken) release?.()
        wrote(this.#length)
      }
    } catch (error) {
      this.#failed = { error }
      this.#waiting = []
      this.#bytes = 0
      this.#tellRoom()
    }
    this.#running = null
  }

  /** As much as one write takes. */
  #next() {
    const most = Math.min(this.#writing.mostAtOnce?.() ?? MOST_AT_ONCE, MOST_AT_ONCE)
    const [first] = this.#waiting
    if (first && first.piece.length > most) {
      this.#waiting[0] = { piece: first.piece.subarray(most), release: first.release }
      this.#waiting.unshift({ piece: first.piece.subarray(0, most), release: undefined })
    }
    let bytes = 0
    const end = this.#waiting.findIndex(({ piece }) => (bytes += piece.length) >= most)
    const taken = this.#waiting.splice(0, end === -1 ? this.#waiting.length : end + 1)
    this.#bytes -= taken.reduce((sum, { piece }) => sum + piece.length, 0)
    if (this.#bytes <= MOST_WAITING / 2) this.#tellRoom()
    return taken
  }

  #tellRoom(): void {
    this.#hasRoom?.()
    this.#hasRoom = null
  }
}

/** A system may write a part of what it is given, such as all that a disk has room for. */
async function writeAll(file: FileHandle, pieces: readonly Uint8Array[], from: number): Promise<number> {
  let left = pieces
  let length = 0
  while (left.length > 0) {
    let { bytesWritten } = await file.writev([...left], from + length)
    length += bytesWritten
    left = left.flatMap((piece) => {
      const skipped = Math.min(bytesWritten, piece.length)
      bytesWritten -= skipped
      return skipped === piece.length ? [] : [piece.subarray(skipped)]
    })
  }
  return length
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

/** Opens a part to be written from there on; what lies behind that is cut off. */
export async function openPart(path: string, from: number): Promise<FileHandle> {
  const file = await open(path, constants.O_WRONLY | constants.O_CREAT | NO_LINK)
  try {
    await file.truncate(from)
    return file
  } catch (error) {
    await file.close()
    throw error
  }
}

/** Removes a file in the making. */
export async function discardPart(path: string): Promise<void> {
  await unlink(path).catch((error: unknown) => {
    if (!hasCode(error, 'ENOENT', 'ENOTDIR')) throw error
  })
}

/** What has arrived is put on the disk, not only with the system, and gets the time at which the report was made. */
export async function settlePart(path: string, modified: number | null): Promise<void> {
  const file = await open(path, constants.O_RDWR | NO_LINK)
  try {
    if (modified !== null) await file.utimes(modified / 1000, modified / 1000)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Whether there is a folder into which files may be written. */
export async function takesFiles(folder: string): Promise<boolean> {
  return await access(folder, constants.W_OK).then(
    () => true,
    () => false,
  )
}

/** Removes what an earlier attempt left half-written. */
export async function sweepDrafts(folder: string, mark: string): Promise<void> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return []
    throw error
  })
  for (const name of names) if (name.startsWith(mark)) await unlink(join(folder, name)).catch(() => undefined)
}
