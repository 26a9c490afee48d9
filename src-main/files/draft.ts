import { randomUUID } from 'node:crypto'
import { mkdir, open, readdir, stat, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { within, withSignal } from '#main/lib/async.ts'
import { nodeThreads } from '#main/lib/node-threads.ts'
import { SlowFolderGuard, slowFolderGuard } from '#main/lib/slow-folder-guard.ts'
import { safeStem } from '#shared/values/text.ts'
import { asDiskFailure, hasCode } from './disk-failure.ts'
import { namingBy, publish } from './publish.ts'

/** How a draft gets its name. */
export type DraftNaming = {
  /** Short suffix of the stem, which is never truncated. */
  readonly mark?: string
  /** Called before each attempt, as in `publish` of publish.ts. The file is synced by then. */
  readonly intend?: (name: string) => Promise<void>
}

/** A file being written, in its target folder under a temporary name. */
export type Draft = {
  readonly path: string
  /**
   * Syncs the file and gives it its final name, with the next free number if the name is taken. Never replaces a file.
   * @param signal cancels the wait for the sync
   * @returns the file's name
   */
  readonly publish: (
    stem: string,
    ending: string,
    signal?: AbortSignal,
    naming?: DraftNaming,
  ) => Promise<string>
  /** Removes an unpublished file. If the folder hangs, a later draft removes the file. */
  readonly discard: () => Promise<void>
}

const BEGINNING = '.traffic-desk-'
const ENDING = '.part'
/** Age in milliseconds after which a draft counts as abandoned. No file takes this long to write. */
const A_DAY = 24 * 3_600_000
/** Timeout in milliseconds for removing a draft. */
const discardTimeoutMs = 1000
const never = new AbortController().signal

/** @throws DeskFailure `disk` if the folder refuses or does not respond */
export async function createDraft(folder: string): Promise<Draft> {
  const path = join(folder, `${BEGINNING}${randomUUID()}${ENDING}`)
  const attempt = <T>(look: () => Promise<T>) => slowFolderGuard.run(folder, look)
  const calls = namingBy(attempt)
  try {
    await attempt(() => makeFolder(folder))
    await attempt(() => sweep(folder))
    await calls.create(path)
  } catch (error) {
    throw asDiskFailure(error)
  }
  const discard = () => within(discardTimeoutMs, calls.unlink(path))
  return {
    path,
    discard,
    publish: async (stem, ending, signal = never, { mark = '', intend } = {}) => {
      await withSignal(signal, () => sync(folder, path))
      return await publish(path, { folder, stem: safeStem(stem) + mark, ending }, calls, intend)
    },
  }
}

/**
 * Creates a draft, and discards it after `write` unless `write` has published it.
 * @param signal cancels the wait for the folder
 * @throws disk errors as failures; whatever `write` rejects with
 */
export async function withDraft<T>(
  folder: string,
  signal: AbortSignal,
  write: (draft: Draft) => Promise<T>,
): Promise<T> {
  const creating = createDraft(folder)
  const draft = await withSignal(signal, () => creating).catch((error: unknown) => {
    void creating.then(({ discard }) => discard()).catch(() => undefined)
    throw error
  })
  try {
    return await write(draft)
  } catch (error) {
    throw asDiskFailure(error)
  } finally {
    await draft.discard()
  }
}

/**
 * Syncing a large file to a slow memory stick can take minutes, so these calls have a longer timeout and a limit of
 * their own.
 */
const syncs = new SlowFolderGuard({ limit: 3_600_000, max: nodeThreads.syncs })

/** Syncs the file regardless of its writer, which may be a copy or another process. */
async function sync(folder: string, path: string): Promise<void> {
  try {
    await syncs.run(folder, async () => {
      const file = await open(path, 'r+')
      try {
        await file.sync()
      } finally {
        await file.close()
      }
    })
  } catch (error) {
    throw asDiskFailure(error)
  }
}

/** Creates a folder, but not its parents: a missing parent may be an unmounted disk. */
export async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder).catch((error: unknown) => {
    if (!hasCode(error, 'EEXIST')) throw error
  })
}

/** Removes abandoned drafts. Failures are ignored, because they do not prevent writing. */
async function sweep(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => [])
  for (const name of names) {
    if (!name.startsWith(BEGINNING) || !name.endsWith(ENDING)) continue
    const path = join(folder, name)
    const found = await stat(path).catch(() => null)
    if (found && Date.now() - found.mtimeMs > A_DAY) await unlink(path).catch(() => undefined)
  }
}

/**
 * Writes text to a new file: under a temporary name, synced, then renamed, with the next free number if the name is
 * taken.
 * @param stem the name without extension; characters that are invalid in file names are removed
 * @returns the file's name
 * @throws DeskFailure `disk` if the folder refuses; no file is left then
 */
export async function saveText(folder: string, stem: string, ending: string, text: string): Promise<string> {
  return await withDraft(folder, never, async (draft) => {
    await slowFolderGuard.run(folder, () => writeFile(draft.path, text))
    return await draft.publish(stem, ending)
  })
}
