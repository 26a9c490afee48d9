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
import type { EngineDatabase } from './engine-database.ts'
import { codeOf } from '#main/lib/error-code.ts'
import { FolderSyncs, syncFolder, synced } from '#main/lib/sync-folder.ts'

/** Bytes read at a time. */
const portion = 1 << 20

/** Size in bytes, and CRC-32 as eight hexadecimal digits. */
type Measured = { readonly size: number; readonly checksum: string }

/** The file is unreadable for now: error code like `EACCES`; `ELINK` for a link to another place. */
type Unreadable = { readonly kind: 'unreadable'; readonly code: string }

/** Whether a file is as it was written. `differs` only if all of it was read. */
export type FileState = { readonly kind: 'sound' } | { readonly kind: 'differs' } | Unreadable

/** Properties of a file as it was written. */
type WrittenFile<Path extends string> = {
  readonly path: Path
  /** Bytes; not checked if omitted. */
  readonly size?: number
  /** Defaults to the checksum in the file's name. */
  readonly checksum?: string
}

/** Returns the checksum in a file's name. */
export const checksumIn = (path: string): string => path.slice(-'01234567.parquet'.length, -'.parquet'.length)

/** Naming scheme of a folder. Other files are never read or written. */
type Layout<Path extends string, Stem extends string> = {
  readonly isPath: (text: string) => text is Path
  readonly isStem: (text: string) => text is Stem
  readonly pathOf: (stem: Stem, checksum: string) => Path
}

/** Immutable files of a folder, each with a checksum in its name. */
export class ChecksummedFiles<Path extends string, Stem extends string> {
  readonly #folder: string
  readonly #layout: Layout<Path, Stem>
  /** Measured files by path. `seen` identifies the state of the file that was measured. */
  readonly #measurements = new Map<Path, Measured & { readonly seen: string }>()
  readonly #buffer = Buffer.allocUnsafe(portion)
  readonly #syncs = new FolderSyncs()

  constructor(folder: string, layout: Layout<Path, Stem>) {
    this.#folder = folder
    this.#layout = layout
  }

  /** Absolute path of a file. @throws RangeError if the path does not match the naming scheme */
  placeOf(path: Path): string {
    if (!this.#layout.isPath(path)) throw new RangeError('No path of this folder')
    return join(this.#folder, path)
  }

  /** Path of a draft. Creates its folder. @throws errors of the file system */
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

  /** Returns size and checksum of a file. An unchanged file is read once. */
  measure(path: Path): ({ readonly kind: 'measured' } & Measured) | Unreadable {
    try {
      const place = this.placeOf(path)
      if (realpathSync(place) !== join(realpathSync(this.#folder), path))
        return { kind: 'unreadable', code: 'ELINK' }
      const descriptor = openSync(place, 'r')
      try {
        const stats = fstatSync(descriptor, { bigint: true })
        const seen = seenOf(stats)
        const known = this.#measurements.get(path)
        const measured =
          known?.seen === seen
            ? known
            : { size: Number(stats.size), checksum: this.#checksum(descriptor), seen }
        this.#measurements.set(path, measured)
        return { kind: 'measured', size: measured.size, checksum: measured.checksum }
      } finally {
        closeSync(descriptor)
      }
    } catch (error) {
      this.#measurements.delete(path)
      return { kind: 'unreadable', code: codeOf(error) ?? 'unknown' }
    }
  }

  /** Returns a value that changes when a file is replaced; undefined if the file is inaccessible. */
  seen(path: Path): string | undefined {
    try {
      return seenOf(statSync(this.placeOf(path), { bigint: true }))
    } catch {
      return undefined
    }
  }

  /** Whether a file is as it was written. */
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
   * Syncs a draft and gives it its name. Calls may run concurrently: a slow sync blocks no other work.
   * @throws errors of the file system
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

  /** Deletes a draft. */
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

/** An answer, or the files that prevented it, each with the reason. */
type Verified<Path extends string, A> =
  | { readonly kind: 'answer'; readonly answer: A }
  | { readonly kind: 'unsound'; readonly files: readonly (readonly [path: Path, state: Unsound])[] }

/** `replaced`: changed while it was read, although it is sound again. */
type Unsound = Exclude<FileState, { readonly kind: 'sound' }> | { readonly kind: 'replaced' }

/**
 * Runs `work` while its files are verified.
 * @param work cancelled if a file is not sound
 * @throws errors of `work`
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
  // A file may be replaced and restored while it is read: the answer is then unreliable.
  const changed = named.filter(({ path }) => {
    const seen = files.seen(path)
    return seen === undefined || seen !== before.get(path)
  })
  const different = unsoundOf(files, changed)
  if (different.length > 0) return { kind: 'unsound', files: different }
  if (changed.length > 0)
    return { kind: 'unsound', files: changed.map(({ path }) => [path, { kind: 'replaced' }]) }
  if (done.status === 'fulfilled') return { kind: 'answer', answer: done.value }
  // The engine opens files itself, and may be denied a file that was readable here.
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

/** Returns the message of an error; empty for any other value. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : '')
