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
import { FolderSyncs, syncFolder, synced } from '#main/lib/sync-folder.ts'

/** Read at a time, in bytes. */
const portion = 1 << 20

/** Bytes, and CRC-32 of all of them as eight hexadecimal digits. */
type Measured = { readonly size: number; readonly checksum: string }

/** It was not read, for now: the code of the error, such as `EACCES`; `ELINK` where it lies elsewhere and is only linked here. */
type Unreadable = { readonly kind: 'unreadable'; readonly code: string }

/** Whether a file is what was written. It `differs` where all of it was read; who cannot read it knows nothing of it. */
export type FileState = { readonly kind: 'sound' } | { readonly kind: 'differs' } | Unreadable

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
  look({ path, size, checksum }: Measured & { readonly path: Path }): FileState {
    const found = this.measure(path)
    if (found.kind === 'unreadable') return found
    return { kind: found.size === size && found.checksum === checksum ? 'sound' : 'differs' }
  }

  isSound(file: Measured & { readonly path: Path }): boolean {
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
