import type { BigIntStats } from 'node:fs'
import {
  closeSync,
  fchmodSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { crc32 } from 'node:zlib'
import type { EngineDatabase } from './database.ts'
import { FolderSyncs, syncFolder, synced } from '#main/lib/sync-folder.ts'

/** Read at a time, in bytes. */
const portion = 1 << 20

/** Bytes, and CRC-32 of all of them as eight hexadecimal digits. */
type Measured = { readonly size: number; readonly checksum: string }

/** It was not read, for now: the code of the error, such as `EACCES`; `ELINK` where it lies elsewhere and is only linked here. */
type Unreadable = { readonly kind: 'unreadable'; readonly code: string }

/** Whether a file is what was written. It `differs` where all of it was read; who cannot read it knows nothing of it. */
export type FileState = { readonly kind: 'sound' } | { readonly kind: 'differs' } | Unreadable

/** A file as it was written. */
type WrittenFile<Path extends string> = {
  readonly path: Path
  /** In bytes; not looked at where left out. */
  readonly size?: number
  /** The one in its name where left out. */
  readonly checksum?: string
}

/** The checksum that stands in a file's name. */
export const checksumIn = (path: string): string => path.slice(-'01234567.parquet'.length, -'.parquet'.length)

/** How the files of a folder are called: nothing else in it is read or written. */
type Layout<Path extends string, Stem extends string> = {
  readonly isPath: (text: string) => text is Path
  readonly isStem: (text: string) => text is Stem
  readonly pathOf: (stem: Stem, checksum: string) => Path
}

/** Files of a folder that are never changed: whether they are what was written, and how they get their name. */
export class ChecksummedFiles<Path extends string, Stem extends string> {
  readonly #folder: string
  readonly #layout: Layout<Path, Stem>
  /** What each file was found to be, by its path; with what tells that it is that file still. */
  readonly #measured = new Map<Path, Measured & { readonly seen: string }>()
  readonly #buffer = Buffer.allocUnsafe(portion)
  readonly #syncs = new FolderSyncs()

  constructor(folder: string, layout: Layout<Path, Stem>) {
    this.#folder = folder
    this.#layout = layout
  }

  /** Where a file lies on this machine. @throws RangeError where it is no path of ours */
  placeOf(path: Path): string {
    if (!this.#layout.isPath(path)) throw new RangeError('No path of this folder')
    return join(this.#folder, path)
  }

  /** Where a file is written until it has its name; its folder is there then. @throws errors of the file system */
  draftOf(stem: Stem): string {
    if (!this.#layout.isStem(stem)) throw new RangeError('No path of this folder')
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
    let folder = this.#folder
    for (const name of dirname(stem).split('/')) {
      const above = folder
      folder = join(above, name)
      if (mkdirSync(folder, { recursive: true, mode: 0o700 }) !== undefined) syncFolder(above)
      if (!lstatSync(folder).isDirectory()) throw new Error('ENOTDIR: a link stands in the place of a folder')
    }
    return `${join(this.#folder, stem)}.part`
  }

  /** Size and checksum of a file. A file that has not changed is read once. */
  measure(path: Path): ({ readonly kind: 'measured' } & Measured) | Unreadable {
    try {
      const place = this.placeOf(path)
      if (realpathSync(place) !== join(realpathSync(this.#folder), path))
        return { kind: 'unreadable', code: 'ELINK' }
      const descriptor = openSync(place, 'r')
      try {
        const stats = fstatSync(descriptor, { bigint: true })
        const seen = seenOf(stats)
        const known = this.#measured.get(path)
        const measured =
          known?.seen === seen
            ? known
            : { size: Number(stats.size), checksum: this.#checksum(descriptor), seen }
        this.#measured.set(path, measured)
        return { kind: 'measured', size: measured.size, checksum: measured.checksum }
      } finally {
        closeSync(descriptor)
      }
    } catch (error) {
      this.#measured.delete(path)
      return { kind: 'unreadable', code: codeOf(error) ?? 'unknown' }
    }
  }

  /** What tells a file from any that takes its place; undefined where that cannot be seen. */
  seen(path: Path): string | undefined {
    try {
      return seenOf(statSync(this.placeOf(path), { bigint: true }))
    } catch {
      return undefined
    }
  }

  /** Whether a file is there as it was written. */
  look({ path, size, checksum = checksumIn(path) }: WrittenFile<Path>): FileState {
    const found = this.measure(path)
    if (found.kind === 'unreadable') return found
    const isSound = found.checksum === checksum && (size === undefined || found.size === size)
    return { kind: isSound ? 'sound' : 'differs' }
  }

  isSound(file: WrittenFile<Path>): boolean {
    return this.look(file).kind === 'sound'
  }

  /**
   * Gives a file its name, once all of it lies on the disk. Several may be given theirs at the same time: who waits for the
   * disk keeps nobody else from working. @throws errors of the file system
   */
  async publish(draft: string, stem: Stem): Promise<Measured & { readonly path: Path }> {
    const descriptor = openSync(draft, 'r+')
    let measured: Measured
    try {
      fchmodSync(descriptor, 0o600)
      await synced(descriptor)
      measured = { size: fstatSync(descriptor).size, checksum: this.#checksum(descriptor) }
    } finally {
      closeSync(descriptor)
    }
    const path = this.#layout.pathOf(stem, measured.checksum)
    const place = this.placeOf(path)
    renameSync(draft, place)
    await this.#syncs.named(dirname(place))
    return { path, ...measured }
  }

  /** Removes a draft that comes to nothing. */
  drop(draft: string): void {
    rmSync(draft, { force: true })
  }

  #checksum(descriptor: number): string {
    let sum = 0
    for (let offset = 0; ;) {
      const read = readSync(descriptor, this.#buffer, 0, portion, offset)
      if (read === 0) return sum.toString(16).padStart(8, '0')
      sum = crc32(this.#buffer.subarray(0, read), sum)
      offset += read
    }
  }
}

const seenOf = ({ ino, size, mtimeNs, ctimeNs }: BigIntStats) => `${ino} ${size} ${mtimeNs} ${ctimeNs}`

/** The code of an error of the file system. */
export const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined

/** An answer; or the files because of which there is none, each with why. */
type Verified<Path extends string, A> =
  | { readonly kind: 'answer'; readonly answer: A }
  | { readonly kind: 'unsound'; readonly files: readonly (readonly [path: Path, state: Unsound])[] }

/** Others than were written; not to be read for now; or replaced while they were read, though they are sound again. */
type Unsound = Exclude<FileState, { readonly kind: 'sound' }> | { readonly kind: 'replaced' }

/**
 * Answers from files that are verified meanwhile to be what was written.
 * @param work what is given up where they are not
 * @throws whatever `work` rejects with
 */
export async function verified<Path extends string, A>(
  files: Pick<ChecksummedFiles<Path, string>, 'look' | 'placeOf' | 'seen'>,
  named: readonly WrittenFile<Path>[],
  database: EngineDatabase,
  work: (database: EngineDatabase) => Promise<A>,
): Promise<Verified<Path, A>> {
  const over = new AbortController()
  const before = new Map(named.map(({ path }) => [path, files.seen(path)]))
  const working = work(database.until(over.signal))
  working.catch(() => undefined)
  const unsound = unsoundOf(files, named)
  if (unsound.length > 0) {
    over.abort()
    return { kind: 'unsound', files: unsound }
  }
  const [done] = await Promise.allSettled([working])
  // A file can be replaced while it is read, and the right one be back by now: then nobody knows what was computed of.
  const changed = named.filter(({ path }) => {
    const seen = files.seen(path)
    return seen === undefined || seen !== before.get(path)
  })
  const different = unsoundOf(files, changed)
  if (different.length > 0) return { kind: 'unsound', files: different }
  if (changed.length > 0)
    return { kind: 'unsound', files: changed.map(({ path }) => [path, { kind: 'replaced' }]) }
  if (done.status === 'fulfilled') return { kind: 'answer', answer: done.value }
  // The engine opens files by itself, and may be refused one that could be looked at.
  const message = messageOf(done.reason)
  const unopened = named.filter(
    ({ path }) => message.startsWith('IO Error') && message.includes(files.placeOf(path)),
  )
  if (unopened.length === 0) throw done.reason
  return { kind: 'unsound', files: unopened.map(({ path }) => [path, { kind: 'unreadable', code: 'EIO' }]) }
}

function unsoundOf<Path extends string>(
  files: Pick<ChecksummedFiles<Path, string>, 'look'>,
  named: readonly WrittenFile<Path>[],
): (readonly [Path, Unsound])[] {
  return named.flatMap((file) => {
    const state = files.look(file)
    return state.kind === 'sound' ? [] : [[file.path, state] as const]
  })
}

/** What an error says; nothing where it is none. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : '')
