import { closeSync, fstatSync, fsyncSync, ftruncateSync, openSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { DataScopeId } from '#shared/values/ids.ts'
import { isHistoryPath } from './cache/stored-table.ts'
import type { HistoryPath } from './cache/stored-table.ts'
import { checksumIn, ownerIn } from '#main/reports/history/layout.ts'
import { hasCode } from '#main/files/disk-failure.ts'
import { copyPart, portion, writeAll } from './file-parts.ts'

/**
 * Saved figures in a backup stand behind the state, which SQLite reads as if nothing followed it: a line that says so, each
 * file of the history as a line (`<path> <bytes> <written at>`) and its bytes, and a line that says how many there were.
 */
export const beginning = 'Traffic Desk saved figures 1\n'

/** What became of a file that was to go along: it was replaced meanwhile, is damaged, or is of nobody in the backup. */
export type Added = 'added' | 'gone' | 'damaged' | 'foreign'

/** Writes saved figures behind the state in a backup. */
export class FiguresWriter {
  readonly #file: number
  readonly #history: string
  readonly #owners: ReadonlySet<DataScopeId>
  readonly #buffer = Buffer.allocUnsafe(portion)
  #size: number
  #count = 0

  /**
   * @param file holds the state, and nothing else
   * @param owners whose figures may go along
   * @throws as `fs` does
   */
  constructor(file: string, history: string, owners: ReadonlySet<DataScopeId>) {
    this.#history = history
    this.#owners = owners
    this.#file = openSync(file, 'r+')
    this.#size = fstatSync(this.#file).size
    this.#write(Buffer.from(beginning))
  }

  /** What a file takes, in bytes; nothing where it has gone. */
  sizeOf(path: HistoryPath): number {
    return statSync(join(this.#history, path), { throwIfNoEntry: false })?.size ?? 0
  }

  /** Adds a file of the history, whole. @throws as `fs` does; then the backup is not to be used */
  add(path: HistoryPath): Added {
    if (!isHistoryPath(path) || !this.#owners.has(ownerIn(path))) return 'foreign'
    const from = openIfThere(join(this.#history, path))
    if (from === null) return 'gone'
    try {
      const { size, mtimeMs } = fstatSync(from)
      const before = this.#size
      this.#write(Buffer.from(`${path} ${size} ${Math.max(0, Math.round(mtimeMs))}\n`))
      if (copyPart(from, 0, size, this.#buffer, (bytes) => this.#write(bytes)) !== checksumIn(path)) {
        ftruncateSync(this.#file, before)
        this.#size = before
        return 'damaged'
      }
      this.#count += 1
      return 'added'
    } finally {
      closeSync(from)
    }
  }

  /** Ends the backup, which outlives a power cut then. @throws as `fs` does */
  end(): void {
    this.#write(Buffer.from(`end ${this.#count}\n`))
    fsyncSync(this.#file)
    closeSync(this.#file)
  }

  #write(bytes: Uint8Array): void {
    this.#size += writeAll(this.#file, bytes, this.#size)
  }
}

function openIfThere(path: string): number | null {
  try {
    return openSync(path, 'r')
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null
    throw error
  }
}
