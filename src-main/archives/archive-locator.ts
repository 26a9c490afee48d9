import { dirname } from 'node:path'
import type { RowsFile } from '#shared/archives/rows-file.ts'
import type { SlowFolderGuard } from '#main/lib/slow-folder-guard.ts'
import { within } from '#main/lib/async.ts'
import type { SeenFile } from './entry.ts'
import { seenAt } from './sources.ts'

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
  of(path: string): RowsFile['archive'] {
    return this.#last.get(path) ?? 'away'
  }

  /** What lies at a path; null for no file. @throws FolderHangs */
  async lookAt(path: string): Promise<SeenFile | null> {
    return await this.#looks.at(dirname(path), () => seenAt(path))
  }

  /**
   * Looks for files, in all of their folders at once.
   * @param changed hears where a folder answers later, and otherwise than before
   * @returns what lies at the paths whose folders answer soon
   */
  async lookSoon(
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
          : await this.#looks.at(dirname(path), () => seenAt(path), 'list').catch(() => undefined)
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
    const before = this.of(path)
    if (seen === undefined) this.#last.set(path, 'away')
    else this.#last.set(path, seen === null ? 'gone' : 'there')
    return this.of(path) !== before
  }
}
