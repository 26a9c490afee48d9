import { constants } from 'node:fs'
import { lstat, mkdir, open, realpath, rename, rmdir, stat, unlink } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { crc32 } from 'node:zlib'
import { DeskFailure, invalid, deskFailure } from '#shared/api/failure.ts'
import { withTimeout } from '#main/lib/async.ts'
import type { HistoryFile } from '#main/analytics/history-layout.ts'
import { codeOf } from '#main/analytics/checksummed-files.ts'

/** For how long one step may take before the folder counts as gone, in milliseconds. Writing out a file takes longest. */
export type StepTimeouts = { readonly step: number; readonly sync: number }

export const defaultTimeouts: StepTimeouts = { step: 20_000, sync: 120_000 }

/** Read and written at a time, in bytes. */
const portion = 1 << 20

/** The folder, inside the one that a person chose, in which all accounts are published. */
const common = 'traffic-desk-history'

type FolderOptions = {
  /** The folder that a person chose. */
  readonly chosen: string
  /** The account's own folder in there. */
  readonly directory: string
  /** Folders of this machine in which nothing is published. */
  readonly forbidden: readonly string[]
  readonly timeouts: StepTimeouts
  readonly signal: AbortSignal
}

/**
 * The folder that an account is published into. It may be on a share, so each step ends after a while or with the signal, and
 * none waits in the thread that draws and answers. Everything throws `DeskFailure`s in words.
 */
export class TeamFolder {
  readonly #options: FolderOptions
  readonly #place: string
  readonly #made = new Set<string>()
  readonly #unfinished = new Set<Promise<unknown>>()

  constructor(options: FolderOptions) {
    this.#options = options
    this.#place = join(options.chosen, common, options.directory)
  }

  /** Steps that were given up and have not ended: each holds a thread of the process until the system lets it go. */
  get unfinished(): ReadonlySet<Promise<unknown>> {
    return this.#unfinished
  }

  /** Whether the chosen folder is there and may be published into. Nothing is made in it. */
  async check(): Promise<void> {
    const { chosen } = this.#options
    const real = await this.#step(() => realpath(chosen))
    if (!(await this.#step(() => stat(real))).isDirectory()) throw wordsFor('ENOTDIR')
    await this.#refuseForbidden(real)
  }

  /** Makes the account's folder. The chosen one is never made: where it is missing, a share is not connected. */
  async prepare(): Promise<void> {
    await this.check()
    await this.#makeFolder(dirname(this.#place))
    await this.#makeFolder(this.#place)
    await this.#refuseForbidden(await this.#step(() => realpath(this.#place)))
  }

  /** The text of a file; null where there is none. */
  async read(path: string): Promise<string | null> {
    const handle = await this.#open(path, constants.O_RDONLY)
    if (handle === null) return null
    return await this.#using(handle, () => this.#step(() => handle.readFile('utf8'), 'sync'))
  }

  /** The size of a file in bytes; null where there is none. A link is none. */
  async sizeOf(path: string): Promise<number | null> {
    const found = await this.#step(() => lstat(this.#absolute(path)).catch(absent))
    return found?.isFile() ? found.size : null
  }

  /** CRC-32 of a file, as eight hexadecimal digits; null where there is none. */
  async checksumOf(path: string): Promise<string | null> {
    const handle = await this.#open(path, constants.O_RDONLY)
    if (handle === null) return null
    return await this.#using(handle, async () => {
      let sum = 0
      for await (const part of this.#partsOf(handle)) sum = crc32(part, sum)
      return checksumText(sum)
    })
  }

  /** Writes a text in place of the one that is there: whoever reads sees the old one or the new one. */
  async write(path: string, text: string): Promise<void> {
    const draft = draftOf(path)
    await this.#draft(draft, async (handle) => {
      await this.#step(() => handle.writeFile(text), 'sync')
    })
    await this.#name(draft, path)
  }

  /**
   * Copies a file of this machine, and gives it its name once all of it lies there as it should.
   * @returns false where the file is not (any more) what the catalogue says; then nothing is there
   */
  async copy(from: string, path: string, { size, checksum }: HistoryFile): Promise<boolean> {
    const source = await open(from, 'r').catch(() => null)
    if (source === null) return false
    const draft = draftOf(path)
    try {
      await this.#makeFolder(dirname(dirname(this.#absolute(path))))
      await this.#makeFolder(dirname(this.#absolute(path)))
      let sum = 0
      let written = 0
      await this.#draft(draft, async (handle) => {
        for await (const part of this.#partsOf(source)) {
          sum = crc32(part, sum)
          await this.#writeAll(handle, part, written)
          written += part.length
        }
      })
      if (written !== size || checksumText(sum) !== checksum) {
        await this.#drop(draft)
        return false
      }
    } finally {
      await source.close().catch(() => undefined)
    }
    if ((await this.checksumOf(draft)) !== checksum) {
      await this.#drop(draft)
      throw disk('A published file differs from what was written. Publishing tries again later.')
    }
    await this.#name(draft, path)
    return true
  }

  /** Whether a file, or a draft of it, is there. */
  async has(path: string): Promise<boolean> {
    return (await this.sizeOf(path)) !== null || (await this.sizeOf(draftOf(path))) !== null
  }

  /** Removes a file and its draft, and the folders that are empty then. What cannot be removed now stays. */
  async remove(path: string): Promise<void> {
    await this.#drop(draftOf(path))
    await this.#drop(path)
    for (const folder of [dirname(path), dirname(dirname(path))]) {
      this.#made.delete(this.#absolute(folder))
      await this.#step(() => rmdir(this.#absolute(folder)).catch(() => undefined))
    }
  }

  async #drop(path: string): Promise<void> {
    await this.#step(() => unlink(this.#absolute(path)).catch(() => undefined))
  }

  #absolute(path: string): string {
    return join(this.#place, ...path.split('/'))
  }

  async #refuseForbidden(real: string): Promise<void> {
    for (const folder of this.#options.forbidden) {
      const forbidden = await this.#step(() => realpath(folder).catch(() => folder))
      const way = relative(forbidden, real)
      if (way !== '..' && !way.startsWith(`..${sep}`) && !/^([A-Za-z]:|\\\\)/.test(way))
        throw invalid('This folder belongs to Traffic Desk itself. Choose another.')
    }
  }

  async #makeFolder(place: string): Promise<void> {
    if (this.#made.has(place)) return
    await this.#step(() =>
      mkdir(place).catch((error: unknown) => {
        if (codeOf(error) !== 'EEXIST') throw error
      }),
    )
    this.#made.add(place)
  }

  /** Fills a draft, which lies on the disk when this is done. Where it cannot be filled, it is removed. */
  async #draft(draft: string, fill: (handle: FileHandle) => Promise<void>): Promise<void> {
    const { O_WRONLY, O_CREAT, O_TRUNC } = constants
    const handle = await this.#open(draft, O_WRONLY | O_CREAT | O_TRUNC)
    if (handle === null) throw wordsFor('ENOENT')
    try {
      await this.#using(handle, async () => {
        await fill(handle)
        await this.#step(() => handle.sync(), 'sync')
      })
    } catch (error) {
      if (this.#unfinished.size === 0) await unlink(this.#absolute(draft)).catch(() => undefined)
      throw error
    }
  }

  async #name(draft: string, path: string): Promise<void> {
    await this.#step(() => rename(this.#absolute(draft), this.#absolute(path)))
    // Not every share lets a folder be written out: what it holds is synced already.
    await this.#step(() => syncFolder(dirname(this.#absolute(path))).catch(() => undefined), 'sync')
  }

  async #writeAll(handle: FileHandle, part: Buffer, offset: number): Promise<void> {
    for (let done = 0; done < part.length;) {
      const { bytesWritten } = await this.#step(() =>
        handle.write(part, done, part.length - done, offset + done),
      )
      done += bytesWritten
    }
  }

  async *#partsOf(handle: FileHandle): AsyncGenerator<Buffer> {
    const buffer = Buffer.allocUnsafe(portion)
    for (let offset = 0; ;) {
      const { bytesRead } = await this.#step(() => handle.read(buffer, 0, portion, offset))
      if (bytesRead === 0) return
      yield buffer.subarray(0, bytesRead)
      offset += bytesRead
    }
  }

  /** Null where there is no such file. A link is not followed: it may lead anywhere. */
  async #open(path: string, flags: number): Promise<FileHandle | null> {
    const { O_NOFOLLOW = 0 } = constants
    const opening = () => open(this.#absolute(path), flags | O_NOFOLLOW, 0o666).catch(absent)
    return await this.#step(opening, 'step', (late) => void late?.close().catch(() => undefined))
  }

  async #using<T>(handle: FileHandle, work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } finally {
      const closing = handle.close()
      // Where a step hangs, closing waits for it: nobody else does.
      if (this.#unfinished.size > 0) closing.catch(() => undefined)
      else await this.#step(() => closing)
    }
  }

  /** Does one thing in the folder, but waits for it no longer than it is worth. */
  async #step<T>(
    work: () => Promise<T>,
    kind: keyof StepTimeouts = 'step',
    whenLate: (result: T) => void = () => undefined,
  ): Promise<T> {
    const { timeouts, signal } = this.#options
    let running: Promise<T> | undefined
    let ended = false
    try {
      return await withTimeout({ milliseconds: timeouts[kind], signal, late: hangs }, () => {
        running = work().finally(() => (ended = true))
        return running
      })
    } catch (error) {
      if (running && !ended) this.#giveUp(running, whenLate)
      throw asWords(error)
    }
  }

  #giveUp<T>(running: Promise<T>, whenLate: (result: T) => void): void {
    const over = running.then(whenLate, () => undefined).finally(() => this.#unfinished.delete(over))
    this.#unfinished.add(over)
  }
}

/** Hidden from engines, which pass over names that begin with a dot. */
function draftOf(path: string): string {
  const nameStart = path.lastIndexOf('/') + 1
  return `${path.slice(0, nameStart)}.${path.slice(nameStart)}.part`
}

const checksumText = (sum: number) => sum.toString(16).padStart(8, '0')

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** For a file that need not be there. */
function absent(error: unknown): null {
  if (codeOf(error) === 'ENOENT') return null
  throw error
}

const disk = (message: string, cause?: unknown) => deskFailure('disk', message, { cause })

const hangs = () => disk("The folder doesn't respond. Publishing tries again later.")

const full = "The folder's disk is full. Published files stay readable. The rest follows when there is space."
const refused = "Can't write to the folder. Check its permissions, or choose another."
const vanished = 'The folder is missing. If it is on a share, connect it. Publishing tries again later.'

const words: Readonly<Record<string, string>> = {
  ENOSPC: full,
  EDQUOT: full,
  EACCES: refused,
  EPERM: refused,
  EROFS: refused,
  EBUSY: 'A file in the folder is open elsewhere. Publishing tries again later.',
  ELOOP: 'A link stands where a published file should be. Remove it, or choose another folder.',
  EIO: "The folder's disk reports an error. Publishing tries again later.",
  EFBIG: "A file is too large for the folder's disk. Choose another folder.",
  ENAMETOOLONG: 'The file names are too long for the folder. Choose another.',
  ...Object.fromEntries(
    [
      ...['ENOENT', 'ENOTDIR', 'ENODEV', 'ENXIO', 'ESTALE', 'ENOTCONN', 'ETIMEDOUT'],
      ...['EHOSTDOWN', 'EHOSTUNREACH', 'ENETDOWN', 'ENETUNREACH', 'ECONNRESET', 'ECONNREFUSED'],
    ].map((code) => [code, vanished]),
  ),
}

const wordsFor = (code: string, cause?: unknown) =>
  disk(words[code] ?? "Can't use the folder. Publishing tries again later.", cause)

/** What a file system refused, in words; anything else as it is. */
function asWords(error: unknown): unknown {
  const code = codeOf(error)
  return error instanceof DeskFailure || code === undefined ? error : wordsFor(code, error)
}
