import { link, lstat, open, rename, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { asDiskFailure, hasCode } from './disk-failure.ts'
import { numbered } from '../../src-shared/values/file-name.ts'

const MOST_TRIES = 10_000
/** Where a file system knows no second name for a file, such as that of memory sticks. */
const NO_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EACCES']

/**
 * Gives a written file its name; where that is taken, the next number. Nothing is ever replaced.
 *
 * @param path the file, in the same folder
 * @param stem the name without its ending, safe already (src-shared/values/file-name.ts)
 * @param intend hears of each name before it is tried, for those who have to know after a crash whose it is
 * @returns the file's name
 * @throws DeskFailure `disk` in words where the folder refuses
 */
export async function publish(
  path: string,
  folder: string,
  stem: string,
  ending: string,
  intend: (name: string) => Promise<void> = () => Promise.resolve(),
): Promise<string> {
  try {
    for (let turn = 1; turn < MOST_TRIES; turn += 1) {
      const name = numbered(stem, ending, turn)
      const target = join(folder, name)
      if (await isTaken(target)) continue
      await intend(name)
      if (!(await take(path, target))) continue
      await settle(folder)
      return name
    }
  } catch (error) {
    throw asDiskFailure(error)
  }
  throw new RangeError('Every number is taken')
}

/** Whether there is anything of this name, a link that leads nowhere included. */
export async function isTaken(path: string): Promise<boolean> {
  return await lstat(path).then(
    () => true,
    (error: unknown) => {
      if (hasCode(error, 'ENOENT')) return false
      throw error
    },
  )
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
