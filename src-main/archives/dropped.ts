import { createHash, randomUUID } from 'node:crypto'
import { realpath, stat } from 'node:fs/promises'
import { dirname, isAbsolute } from 'node:path'
import { DeskFailure } from '#shared/app/desk-failure.ts'
import type { DroppedFileId, RowsFileId } from '#shared/archives/rows-file.ts'
import type { SlowFolderGuard } from '#main/lib/slow-folder-guard.ts'

/** So many dropped files are remembered: nobody takes more at once. */
const maxRemembered = 1000

const isTable = /\.(zip|csv|tsv|txt)$/i

/** Files that a person dropped on a window: a page knows them by a random name, and takes only those. */
export class DroppedFiles {
  readonly #paths = new Map<DroppedFileId, string>()
  readonly #looks: SlowFolderGuard

  constructor(looks: SlowFolderGuard) {
    this.#looks = looks
  }

  /** Names paths that are files; what is none, or does not answer, is left out. */
  async add(paths: readonly string[]): Promise<DroppedFileId[]> {
    const ids: DroppedFileId[] = []
    for (const path of paths) {
      if (!isAbsolute(path)) continue
      const found = await this.#looks.at(dirname(path), () => realFile(path)).catch(() => null)
      if (found === null) continue
      const id = randomUUID() as DroppedFileId
      this.#paths.set(id, found)
      ids.push(id)
    }
    for (const id of [...this.#paths.keys()].slice(0, -maxRemembered)) this.#paths.delete(id)
    return ids
  }

  /** Where files lie. @throws DeskFailure `invalid` where one was not dropped, or is no table by its name */
  take(ids: readonly DroppedFileId[]): readonly string[] {
    return ids.map((id) => tablePath(this.#paths.get(id)))
  }
}

/** @throws DeskFailure `invalid` where it is no table by its name */
export function tablePath(path: string | undefined): string {
  if (path === undefined) throw invalid('This file is not known any more. Drop it again.')
  if (!isTable.test(path)) throw invalid('Only ZIP and CSV files can be opened as raw rows.')
  return path
}

const invalid = (message: string) => new DeskFailure({ kind: 'invalid', message })

/** Where a file lies, links followed; null where it is none. @throws what the disk refuses */
const realFile = async (path: string): Promise<string | null> =>
  (await stat(path)).isFile() ? await realpath(path) : null

/** One file, one id: added again, it is read in again. */
export const idOfFile = (path: string): RowsFileId =>
  `file-${createHash('sha256').update(path).digest('hex').slice(0, 32)}` as RowsFileId
