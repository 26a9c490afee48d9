import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { readSnapshotRows } from '#shared/exports/columns.ts'
import type { SnapshotRow } from '#shared/exports/columns.ts'

/** Default number of bytes read at a time: some thousand rows. */
const someRows = 1 << 18
const LINE_FEED = 10

/** Reads a file of lines once, in portions. */
export class SnapshotLines {
  readonly #descriptor: number
  readonly #size: number
  readonly #buffer: Buffer
  #remainder: Buffer = Buffer.alloc(0)
  #readBytes = 0

  /** @param portion bytes read at a time */
  constructor(path: string, portion = someRows) {
    this.#buffer = Buffer.allocUnsafe(portion)
    this.#descriptor = openSync(path, 'r')
    this.#size = fstatSync(this.#descriptor).size
  }

  /** Share of the file that was read, from 0 to 1. */
  get share(): number {
    return this.#size === 0 ? 1 : this.#readBytes / this.#size
  }

  /** Reads more bytes, which are valid until the next call. Returns null at the end. */
  bytes(): Buffer | null {
    const got = readSync(this.#descriptor, this.#buffer, 0, this.#buffer.length, null)
    this.#readBytes += got
    return got === 0 ? null : this.#buffer.subarray(0, got)
  }

  /** Reads more rows, possibly none. Returns null at the end. */
  rows(): readonly SnapshotRow[] | null {
    const bytes = this.bytes()
    if (bytes === null) return null
    const known = Buffer.concat([this.#remainder, bytes])
    const end = known.lastIndexOf(LINE_FEED) + 1
    this.#remainder = known.subarray(end)
    return end === 0 ? [] : readSnapshotRows(known.toString('utf8', 0, end - 1).split('\n'))
  }

  close(): void {
    closeSync(this.#descriptor)
  }
}
