import { constants } from 'node:fs'
import { lstat, open, realpath, rmdir, stat, unlink } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { crc32 } from 'node:zlib'
import { invalid, deskFailure } from '#shared/api/failure.ts'
import { withTimeout } from '#main/lib/async.ts'
import type { HistoryFile } from '#main/analytics/history-layout.ts'
import { asDiskFailure, hasCode } from '#main/files/disk-failure.ts'
import { makeFolder } from '#main/files/draft.ts'
import { namingBy, replace } from '#main/files/publish.ts'

/** Timeouts (ms) after which the folder counts as unreachable. Syncing a file takes longest. */
export type StepTimeouts = { readonly step: number; readonly sync: number }

export const defaultTimeouts: StepTimeouts = { step: 20_000, sync: 120_000 }

/** Bytes to read and write at a time. */
const portion = 1 << 20

/** Folder of all published accounts, inside the chosen folder. */
const common = 'traffic-desk-history'

type FolderOptions = {
  /** The folder that the user chose. */
  readonly chosen: string
  /** The account's own folder inside it. */
  readonly directory: string
  /** Local folders in which nothing may be published. */
  readonly forbidden: readonly string[]
  readonly timeouts: StepTimeouts
  readonly signal: AbortSignal
}

/**
 * The folder that an account is published to. It may be a network share, so each step has a timeout, can be cancelled and does
 * not block the main thread. All methods throw `DeskFailure`s with a message for the user.
 */
export class TeamFolder {
  readonly #options: FolderOptions
  readonly #place: string
  readonly #madeFolders = new Set<string>()
  readonly #unfinished = new Set<Promise<unknown>>()

  constructor(options: FolderOptions) {
    this.#options = options
    this.#place = join(options.chosen, common, options.directory)
  }

  /** Abandoned steps that have not ended. Each blocks a thread until the operating system returns. */
  get unfinished(): ReadonlySet<Promise<unknown>> {
    return this.#unfinished
  }

  /** Checks that the chosen folder exists and is allowed. Writes nothing. */
  async check(): Promise<void> {
    const { chosen } = this.#options
    const real = await this.#step(() => realpath(chosen))
    if (!(await this.#step(() => stat(real))).isDirectory())
      throw asDiskFailure(new Error('Not a folder'), 'share', 'noFolder')
    await this.#refuseForbidden(real)
  }

  /** Creates the account's folder. The chosen folder is never created: if it is missing, a share is not connected. */
  async prepare(): Promise<void> {
    await this.check()
    await this.#makeFolder(dirname(this.#place))
    await this.#makeFolder(this.#place)
    await this.#refuseForbidden(await this.#step(() => realpath(this.#place)))
  }

  /** Reads a file; null if it does not exist. */
  async read(path: string): Promise<string | null> {
    const handle = await this.#open(path, constants.O_RDONLY)
    if (handle === null) return null
    return await this.#using(handle, () => this.#step(() => handle.readFile('utf8'), 'sync'))
  }

  /** Size of a file in bytes; null if it does not exist or is a link. */
  async sizeOf(path: string): Promise<number | null> {
    const found = await this.#step(() => lstat(this.#absolute(path)).catch(absent))
    return found?.isFile() ? found.size : null
  }

  /** CRC-32 of a file as eight hexadecimal digits; null if it does not exist. */
  async checksumOf(path: string): Promise<string | null> {
    const handle = await this.#open(path, constants.O_RDONLY)
    if (handle === null) return null
    return await this.#using(handle, async () => {
      let sum = 0
      for await (const part of this.#partsOf(handle)) sum = crc32(part, sum)
      return checksumText(sum)
    })
  }

  /** Replaces a file atomically. */
  async write(path: string, text: string): Promise<void> {
    const draft = draftOf(path)
    await this.#draft(draft, async (handle) => {
      await this.#step(() => handle.writeFile(text), 'sync')
    })
    await this.#name(draft, path)
  }

  /**
   * Copies a local file and renames it after its checksum is verified.
   * @returns false if the local file differs from the catalogue; then nothing remains
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
          await this.#step(() => handle.writeFile(part))
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

  /** Whether a file or its draft exists. */
  async has(path: string): Promise<boolean> {
    return (await this.sizeOf(path)) !== null || (await this.sizeOf(draftOf(path))) !== null
  }

  /** Removes a file, its draft and folders that are empty afterwards. Ignores errors. */
  async remove(path: string): Promise<void> {
    await this.#drop(draftOf(path))
    await this.#drop(path)
    for (const folder of [dirname(path), dirname(dirname(path))]) {
      this.#madeFolders.delete(this.#absolute(folder))
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
    if (this.#madeFolders.has(place)) return
    await this.#step(() => makeFolder(place))
    this.#madeFolders.add(place)
  }

  /** Writes and syncs a draft. Removes it on failure. */
  async #draft(draft: string, fill: (handle: FileHandle) => Promise<void>): Promise<void> {
    const { O_WRONLY, O_CREAT, O_TRUNC } = constants
    const handle = await this.#open(draft, O_WRONLY | O_CREAT | O_TRUNC)
    if (handle === null) throw asDiskFailure(new Error('No file'), 'share', 'missing')
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
    const calls = namingBy((call, kind) => this.#step(call, kind))
    await replace(this.#absolute(draft), this.#absolute(path), calls)
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

  /** Null if the file does not exist. Links are not followed, because they may lead outside the folder. */
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
      // Closing waits for a step that hangs, so it is not awaited then.
      if (this.#unfinished.size > 0) closing.catch(() => undefined)
      else await this.#step(() => closing)
    }
  }

  /** Runs one operation in the folder with a timeout. */
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
      throw asDiskFailure(error, 'share')
    }
  }

  #giveUp<T>(running: Promise<T>, whenLate: (result: T) => void): void {
    const over = running.then(whenLate, () => undefined).finally(() => this.#unfinished.delete(over))
    this.#unfinished.add(over)
  }
}

/** Name of a draft. Query engines ignore names that begin with a dot. */
function draftOf(path: string): string {
  const nameStart = path.lastIndexOf('/') + 1
  return `${path.slice(0, nameStart)}.${path.slice(nameStart)}.part`
}

const checksumText = (sum: number) => sum.toString(16).padStart(8, '0')

/** Maps a missing file to null. */
function absent(error: unknown): null {
  if (hasCode(error, 'ENOENT')) return null
  throw error
}

const disk = (message: string) => deskFailure('disk', message)

const hangs = () => disk("The folder doesn't respond. Publishing tries again later.")
