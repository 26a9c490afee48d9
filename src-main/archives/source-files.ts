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

/** Time in ms that a list waits for folders. */
const defaultTimeoutMs = 1000

/** Locates archives and caches their last known state. A folder that hangs delays nothing else. */
export class ArchiveLocator {
  readonly #folderGuard: SlowFolderGuard
  readonly #timeoutMs: number
  readonly #last = new Map<string, RowsFile['archive']>()

  constructor(folderGuard: SlowFolderGuard, timeoutMs = defaultTimeoutMs) {
    this.#folderGuard = folderGuard
    this.#timeoutMs = timeoutMs
  }

  /** Returns the last known state of a file. */
  stateOf(path: string): RowsFile['archive'] {
    return this.#last.get(path) ?? 'away'
  }

  /** Checks the file at a path; null if there is none. @throws FolderHangs */
  async lookAt(path: string): Promise<SeenFile | null> {
    return await this.#folderGuard.run(dirname(path), () => seenAt(path))
  }

  /**
   * Checks files in all their folders concurrently.
   * @param changed called if a folder responds late with a different state
   * @returns the files in folders that responded in time
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
          : await this.#folderGuard.run(dirname(path), () => seenAt(path), 'list').catch(() => undefined)
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

  /** @param seen undefined if the folder does not respond @returns whether the state changed */
  #note(path: string, seen: SeenFile | null | undefined): boolean {
    const before = this.stateOf(path)
    if (seen === undefined) this.#last.set(path, 'away')
    else this.#last.set(path, seen === null ? 'gone' : 'there')
    return this.stateOf(path) !== before
  }
}

/** Maximum number of dropped files in memory. */
const maxRemembered = 1000

/** Files dropped on a window. The renderer knows only random ids, and can use only these files. */
export class DroppedFiles {
  readonly #paths = new Map<DroppedFileId, string>()
  readonly #folderGuard: SlowFolderGuard

  constructor(folderGuard: SlowFolderGuard) {
    this.#folderGuard = folderGuard
  }

  /** Registers files, and tables in folders. Other paths, and folders that hang, are ignored. */
  async add(paths: readonly string[]): Promise<DroppedFileId[]> {
    const ids: DroppedFileId[] = []
    for (const path of paths) {
      if (!isAbsolute(path)) continue
      const found = await this.#folderGuard.run(dirname(path), () => realFiles(path)).catch(() => [])
      for (const file of found) {
        const id = randomUUID() as DroppedFileId
        this.#paths.set(id, file)
        ids.push(id)
      }
    }
    for (const id of [...this.#paths.keys()].slice(0, -maxRemembered)) this.#paths.delete(id)
    return ids
  }

  /** Returns the paths of dropped files. @throws DeskFailure `invalid` if an id is unknown or a file is not named like a table */
  take(ids: readonly DroppedFileId[]): readonly string[] {
    return ids.map((id) => tablePath(this.#paths.get(id)))
  }
}

/** Checks that a path is named like a table. @throws DeskFailure `invalid` otherwise */
export function tablePath(path: string | undefined): string {
  if (path === undefined) throw invalid('This file is no longer known. Drop it again.')
  if (!tableFileName.test(path)) throw invalid('Only ZIP and CSV files can be opened as raw rows.')
  return path
}

/** Resolves links. For a folder, returns the tables directly in it. @throws disk errors */
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

/** Id of a file by its path. A file that is added again is imported again. */
export const idOfFile = (path: string): RowsFileId =>
  `file-${createHash('sha256').update(path).digest('hex').slice(0, 32)}` as RowsFileId

/** Returns size and time of the file at a path; null if there is none. */
export const seenAt = (path: string): Promise<SeenFile | null> =>
  stat(path).then(
    (found) => (found.isFile() ? { size: found.size, changedAt: Math.trunc(found.mtimeMs) } : null),
    () => null,
  )

/** Whether size and time are equal. */
export const isSame = (one: SeenFile, other: SeenFile): boolean =>
  one.size === other.size && one.changedAt === other.changedAt

/**
 * Whether the file at a path differs from the imported one. A report that was saved elsewhere has another time but the same rows: only its
 * size is compared. Returns false for rows without stored size and time.
 */
export function isReplaced({ source, seen }: RowsEntry, path: string, found: SeenFile | null): boolean {
  if (!seen || !found) return false
  return path === source ? !isSame(seen, found) : seen.size !== found.size
}

/** Id of the rows of a report's archive. */
export const idOfReport = (report: RawReportId): RowsFileId => `report-${report}` as RowsFileId
