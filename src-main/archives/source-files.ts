import type { RawReportId } from '#shared/values/ids.ts'
import { dirname, isAbsolute, join } from 'node:path'
import { tableFileName } from '#shared/archives/rows-file.ts'
import type { RowsFile, DroppedFileId, RowsFileId } from '#shared/archives/rows-file.ts'
import type { SlowFolderGuard } from '#main/lib/slow-folder-guard.ts'
import { within } from '#main/lib/async.ts'
import type { SeenFile, RowsEntry } from '#main/analytics/rows-layout.ts'
import { createHash, randomUUID } from 'node:crypto'
import { readdir, realpath, stat } from 'node:fs/promises'
import { invalid } from '#shared/api/failure.ts'

/** How long a list waits for what folders answer, in milliseconds. */
const defaultTimeoutMs = 1000

/** Where archives lie, as their folders said it last. A folder that does not answer holds up nobody. */
export class ArchiveLocator {
  readonly #looks: SlowFolderGuard
  readonly #timeoutMs: number
  readonly #last = new Map<string, RowsFile['archive']>()

  constructor(looks: SlowFolderGuard, timeoutMs = defaultTimeoutMs) {
    this.#looks = looks
    this.#timeoutMs = timeoutMs
  }

  /** What its folder said of a file last. */
  stateOf(path: string): RowsFile['archive'] {
    return this.#last.get(path) ?? 'away'
  }

  /** What lies at a path; null for no file. @throws FolderHangs */
  async lookAt(path: string): Promise<SeenFile | null> {
    return await this.#looks.run(dirname(path), () => seenAt(path))
  }

  /**
   * Looks for files, in all of their folders at once.
   * @param changed hears where a folder answers later, and otherwise than before
   * @returns what lies at the paths whose folders answer soon
   */
  async findAll(
    paths: readonly string[],
    changed: () => void,
  ): Promise<ReadonlyMap<string, SeenFile | null>> {
    const found = new Map<string, SeenFile | null>()
    const folders = new Map<string, string[]>()
    for (const path of new Set(paths)) {
      const files = folders.get(dirname(path)) ?? []
      folders.set(dirname(path), files)
      files.push(path)
    }
    let isLate = false
    const lookInto = async (files: readonly string[]) => {
      const changes: boolean[] = []
      let hangs = false
      for (const path of files) {
        const seen: SeenFile | null | undefined = hangs
          ? undefined
          : await this.#looks.run(dirname(path), () => seenAt(path), 'list').catch(() => undefined)
        hangs = seen === undefined
        if (seen !== undefined && !isLate) found.set(path, seen)
        changes.push(this.#note(path, seen) && isLate)
      }
      if (changes.includes(true)) changed()
    }
    await within(this.#timeoutMs, Promise.all([...folders.values()].map(lookInto)))
    isLate = true
    return found
  }

  /** @param seen undefined where its folder does not answer @returns whether that is something else than before */
  #note(path: string, seen: SeenFile | null | undefined): boolean {
    const before = this.stateOf(path)
    if (seen === undefined) this.#last.set(path, 'away')
    else this.#last.set(path, seen === null ? 'gone' : 'there')
    return this.stateOf(path) !== before
  }
}

/** So many dropped files are remembered: nobody takes more at once. */
const maxRemembered = 1000

/** Files that a person dropped on a window: a page knows them by a random name, and takes only those. */
export class DroppedFiles {
  readonly #paths = new Map<DroppedFileId, string>()
  readonly #looks: SlowFolderGuard

  constructor(looks: SlowFolderGuard) {
    this.#looks = looks
  }

  /** Names paths that are files, and the tables of folders; what is neither, or does not answer, is left out. */
  async add(paths: readonly string[]): Promise<DroppedFileId[]> {
    const ids: DroppedFileId[] = []
    for (const path of paths) {
      if (!isAbsolute(path)) continue
      const found = await this.#looks.run(dirname(path), () => realFiles(path)).catch(() => [])
      for (const file of found) {
        const id = randomUUID() as DroppedFileId
        this.#paths.set(id, file)
        ids.push(id)
      }
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
  if (path === undefined) throw invalid('This file is no longer known. Drop it again.')
  if (!tableFileName.test(path)) throw invalid('Only ZIP and CSV files can be opened as raw rows.')
  return path
}

/** Where a file lies, links followed; of a folder, where its own tables do. @throws what the disk refuses */
async function realFiles(path: string): Promise<string[]> {
  const real = await realpath(path)
  const found = await stat(real)
  if (found.isFile()) return [real]
  if (!found.isDirectory()) return []
  const entries = await readdir(real, { withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile() && tableFileName.test(entry.name) && !entry.name.startsWith('.'))
    .map(({ name }) => join(real, name))
    .toSorted()
    .slice(0, maxRemembered)
}

/** One file, one id: added again, it is read in again. */
export const idOfFile = (path: string): RowsFileId =>
  `file-${createHash('sha256').update(path).digest('hex').slice(0, 32)}` as RowsFileId

/** What tells the file at a path from any other; null where there is none. */
export const seenAt = (path: string): Promise<SeenFile | null> =>
  stat(path).then(
    (found) => (found.isFile() ? { size: found.size, changedAt: Math.trunc(found.mtimeMs) } : null),
    () => null,
  )

/** Whether both are the same file, as far as size and time can tell. */
export const isSame = (one: SeenFile, other: SeenFile): boolean =>
  one.size === other.size && one.changedAt === other.changedAt

/**
 * Whether another file lies at a path than the one that rows were read from. A report that was saved again elsewhere has another time and
 * the same rows: there the size decides. Of rows that were read in by an older version nothing is known.
 */
export function isReplaced({ source, seen }: RowsEntry, path: string, found: SeenFile | null): boolean {
  if (!seen || !found) return false
  return path === source ? !isSame(seen, found) : seen.size !== found.size
}

/** The rows of a report's archive. */
export const idOfReport = (report: RawReportId): RowsFileId => `report-${report}` as RowsFileId
