import { closeSync, fstatSync, fsyncSync, openSync, readSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { crc32 } from 'node:zlib'
import type { HistoryFile, HistoryPath } from '../cache/kept-table.ts'

/** Read at a time, in bytes. */
const portion = 1 << 20

type Measured = Pick<HistoryFile, 'size' | 'checksum'>

/** Files of the history folder: whether they are what was written, and how they get their name. */
export class HistoryFiles {
  readonly #folder: string
  /** What each file was found to be, by its path; with what tells that it is that file still. */
  readonly #measured = new Map<HistoryPath, Measured & { readonly seen: string }>()
  readonly #buffer = Buffer.allocUnsafe(portion)

  constructor(folder: string) {
    this.#folder = folder
  }

  placeOf(path: HistoryPath): string {
    return join(this.#folder, path)
  }

  /** Size and checksum of a file; undefined where it cannot be read. A file that has not changed is read once. */
  measure(path: HistoryPath): Measured | undefined {
    try {
      const descriptor = openSync(this.placeOf(path), 'r')
      try {
        const { size, mtimeNs, ctimeNs, ino } = fstatSync(descriptor, { bigint: true })
        const seen = `${ino} ${size} ${mtimeNs} ${ctimeNs}`
        const known = this.#measured.get(path)
        if (known?.seen === seen) return known
        const measured = { size: Number(size), checksum: this.#checksum(descriptor), seen }
        this.#measured.set(path, measured)
        return measured
      } finally {
        closeSync(descriptor)
      }
    } catch {
      this.#measured.delete(path)
      return undefined
    }
  }

  /** Whether a file is there as it was written. */
  isSound({ path, size, checksum }: HistoryFile): boolean {
    const found = this.measure(path)
    return found?.size === size && found.checksum === checksum
  }

  /** Gives a file its name, once all of it lies on the disk. @throws errors of the file system */
  publish(draft: string, path: HistoryPath): Measured {
    const descriptor = openSync(draft, 'r+')
    let measured: Measured
    try {
      fsyncSync(descriptor)
      measured = { size: fstatSync(descriptor).size, checksum: this.#checksum(descriptor) }
    } finally {
      closeSync(descriptor)
    }
    const place = this.placeOf(path)
    renameSync(draft, place)
    syncFolder(dirname(place))
    return measured
  }

  /** Removes a draft that comes to nothing. */
  drop(draft: string): void {
    rmSync(draft, { force: true })
  }

  #checksum(descriptor: number): string {
    let sum = 0
    for (let at = 0; ;) {
      const read = readSync(descriptor, this.#buffer, 0, portion, at)
      if (read === 0) return sum.toString(16).padStart(8, '0')
      sum = crc32(this.#buffer.subarray(0, read), sum)
      at += read
    }
  }
}

/** What was named in a folder outlives a power cut. Not every system lets a folder be opened. */
function syncFolder(folder: string): void {
  if (process.platform === 'win32') return
  const descriptor = openSync(folder, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
