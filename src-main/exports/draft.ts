import { randomUUID } from 'node:crypto'
import { link, mkdir, open, readdir, rename, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { asDiskFailure, hasCode } from './disk-failure.ts'
import { numbered, safeStem } from './file-name.ts'

/** A file in the making, beside where it is going to lie, under a name that nobody takes for a finished one. */
export type Draft = {
  readonly path: string
  /**
   * Gives the written file its name; where that is taken, the next number. Nothing is ever replaced.
   * @returns the file's name
   */
  readonly publish: (stem: string, ending: string) => Promise<string>
  /** Removes it; nothing where it is published. */
  readonly discard: () => Promise<void>
}

const BEGINNING = '.traffic-desk-'
const ENDING = '.part'
/** Nothing takes that long to write: what is older was left by an app that was killed. In milliseconds. */
const A_DAY = 24 * 3_600_000
const MOST_TRIES = 10_000
/** Where a file system knows no second name for a file, such as that of memory sticks. */
const NO_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EACCES']

/** @throws DeskFailure `disk` in words where the folder refuses */
export async function createDraft(folder: string): Promise<Draft> {
  const path = join(folder, `${BEGINNING}${randomUUID()}${ENDING}`)
  try {
    await makeFolder(folder)
    await sweep(folder)
    await (await open(path, 'wx')).close()
  } catch (error) {
    throw asDiskFailure(error)
  }
  const discard = async () => {
    await unlink(path).catch(() => undefined)
  }
  return {
    path,
    discard,
    publish: async (stem, ending) => {
      try {
        for (let turn = 1; turn < MOST_TRIES; turn += 1) {
          const name = numbered(safeStem(stem), ending, turn)
          if (await take(path, join(folder, name))) {
            await settle(folder)
            return name
          }
        }
      } catch (error) {
        throw asDiskFailure(error)
      }
      throw new RangeError('Every number is taken')
    },
  }
}

/** The system's folder of downloads may not be there yet; where its parent is missing too, it is somebody's lost disk. */
async function makeFolder(folder: string): Promise<void> {
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

/** Moves a file to a name that is free; false where it is taken. */
async function take(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to)
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false
    if (hasCode(error, ...NO_LINKS)) return await claim(from, to)
    throw error
  }
  await unlink(from).catch(() => undefined)
  return true
}

/** Without links: the name is taken by an empty file, which the written one then replaces. */
async function claim(from: string, to: string): Promise<boolean> {
  try {
    await (await open(to, 'wx')).close()
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false
    throw error
  }
  try {
    await rename(from, to)
  } catch (error) {
    await unlink(to).catch(() => undefined)
    throw error
  }
  return true
}

/** Makes the new name survive a power cut, where the system can sync folders. */
async function settle(folder: string): Promise<void> {
  try {
    const handle = await open(folder, 'r')
    await handle.sync().finally(() => handle.close())
  } catch {
    // Windows has no such thing; the file itself is synced.
  }
}
