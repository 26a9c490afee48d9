import { randomUUID } from 'node:crypto'
import { mkdir, open, readdir, stat, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { within, withSignal } from '#main/lib/async.ts'
import { nodeThreads } from '#main/lib/node-threads.ts'
import { SlowFolderGuard, slowFolderGuard } from '#main/lib/slow-folder-guard.ts'
import { safeStem } from '#shared/values/text.ts'
import { asDiskFailure, hasCode } from './disk-failure.ts'
import { namingBy, publish } from './publish.ts'

/** A file in the making, beside where it is going to lie, under a name that nobody takes for a finished one. */
export type Draft = {
  readonly path: string
  /**
   * Gives the written file its name once what was written lies on the disk; where that is taken, the next number. Nothing is ever
   * replaced.
   * @param signal gives up waiting for what was written to lie there
   * @param mark stands behind the stem, however long that is: a few words of the desk's own
   * @returns the file's name
   */
  readonly publish: (stem: string, ending: string, signal?: AbortSignal, mark?: string) => Promise<string>
  /** Removes it; nothing where it is published. A folder that does not answer soon is left to itself, and to a later draft's sweep. */
  readonly discard: () => Promise<void>
}

const BEGINNING = '.traffic-desk-'
const ENDING = '.part'
/** Nothing takes that long to write: what is older was left by an app that was killed. In milliseconds. */
const A_DAY = 24 * 3_600_000
/** So long whoever gave up waits for it to go, in milliseconds. */
const discardTimeoutMs = 1000
const never = new AbortController().signal

/** @throws DeskFailure `disk` in words where the folder refuses, or does not answer */
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
    publish: async (stem, ending, signal = never, mark = '') => {
      await withSignal(signal, () => sync(folder, path))
      return await publish(path, folder, safeStem(stem) + mark, ending, calls)
    },
  }
}

/** A large file on a slow stick is synced for minutes, longer than a look at a folder may take. Each holds a thread as a look does. */
const syncs = new SlowFolderGuard({ limit: 3_600_000, max: nodeThreads.syncs })

/** Whoever wrote it may have copied it, or had somebody else write it: here it is synced, whatever they did. */
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

/** The system's folder of downloads may not be there yet; where its parent is missing too, it is somebody's lost disk. */
export async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder).catch((error: unknown) => {
    if (!hasCode(error, 'EEXIST')) throw error
  })
}

/** Removes what an app that was killed has left half-written. That it cannot be removed keeps nobody from writing. */
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
 * Writes text into a new file of a folder: under a temporary name, synced, and only then under its own, or the next number where that is
 * taken.
 * @param stem the name without its ending; whatever no file name can have is left out of it
 * @returns the file's name
 * @throws DeskFailure `disk` in words where the folder refuses; then there is no file
 */
export async function saveText(folder: string, stem: string, ending: string, text: string): Promise<string> {
  const draft = await createDraft(folder)
  try {
    await slowFolderGuard.run(folder, () => writeFile(draft.path, text))
    return await draft.publish(stem, ending)
  } catch (error) {
    throw asDiskFailure(error)
  } finally {
    await draft.discard()
  }
}
