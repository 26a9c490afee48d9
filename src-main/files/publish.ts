import { closeSync, linkSync, lstatSync, openSync, renameSync, unlinkSync } from 'node:fs'
import { link, lstat, open, rename, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { syncFolder } from '#main/lib/sync-folder.ts'
import { numbered } from '#shared/values/text.ts'
import { asDiskFailure, hasCode } from './disk-failure.ts'

/** What giving a name asks of a disk. `create` begins an empty file, and fails where there is anything of its name. */
type NamingCalls = {
  readonly lstat: (path: string) => Promise<unknown>
  readonly link: (from: string, to: string) => Promise<void>
  readonly rename: (from: string, to: string) => Promise<void>
  readonly unlink: (path: string) => Promise<void>
  readonly create: (path: string) => Promise<void>
  readonly syncFolder: (folder: string) => Promise<void>
}

/** Naming by Node's own calls. @param run makes each of them, such as one look at a folder after the other */
export const namingBy = (run: <T>(call: () => Promise<T>) => Promise<T>): NamingCalls => ({
  lstat: (path) => run(() => lstat(path)),
  link: (from, to) => run(() => link(from, to)),
  rename: (from, to) => run(() => rename(from, to)),
  unlink: (path) => run(() => unlink(path)),
  create: (path) => run(async () => (await open(path, 'wx')).close()),
  syncFolder: (folder) =>
    run(async () => {
      const handle = await open(folder, 'r')
      try {
        await handle.sync()
      } finally {
        await handle.close()
      }
    }),
})

const MAX_TRIES = 10_000
/** Where a file system knows no second name for a file, such as that of memory sticks. */
const NO_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EACCES']

/**
 * Gives a written file its name; where that is taken, the next number. Nothing is ever replaced.
 *
 * @param path the file, in the same folder; synced, or a power cut leaves the name and not what is in it
 * @param stem the name without its ending, safe already (src-shared/values/text.ts)
 * @param calls how its folder is reached
 * @param intend hears of each name before it is tried, for those who have to know after a crash whose it is
 * @returns the file's name
 * @throws DeskFailure `disk` in words where the folder refuses; what `calls` and `intend` throw
 */
export async function publish(
  path: string,
  folder: string,
  stem: string,
  ending: string,
  calls: NamingCalls,
  intend: (name: string) => Promise<void> = () => Promise.resolve(),
): Promise<string> {
  try {
    for (let turn = 1; turn < MAX_TRIES; turn += 1) {
      const name = numbered(stem, ending, turn)
      const target = join(folder, name)
      if (await isTaken(target, calls)) continue
      await intend(name)
      if (!(await take(path, target, calls))) continue
      await syncName(folder, calls)
      return name
    }
  } catch (error) {
    throw asDiskFailure(error)
  }
  throw new RangeError('Every number is taken')
}

/** Whether there is anything of this name, a link that leads nowhere included. */
export async function isTaken(path: string, calls: Pick<NamingCalls, 'lstat'> = { lstat }): Promise<boolean> {
  return await calls.lstat(path).then(
    () => true,
    (error: unknown) => {
      if (hasCode(error, 'ENOENT')) return false
      throw error
    },
  )
}

/** Moves a file to a name that is free; false where it is taken. */
async function take(from: string, to: string, calls: NamingCalls): Promise<boolean> {
  try {
    await calls.link(from, to)
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false
    if (hasCode(error, ...NO_LINKS)) return await claim(from, to, calls)
    throw error
  }
  await calls.unlink(from).catch(() => undefined)
  return true
}

/** Without links: the name is taken by an empty file, which the written one then replaces. */
async function claim(from: string, to: string, calls: NamingCalls): Promise<boolean> {
  try {
    await calls.create(to)
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false
    throw error
  }
  try {
    await calls.rename(from, to)
  } catch (error) {
    await calls.unlink(to).catch(() => undefined)
    throw error
  }
  return true
}

/** Makes the new name survive a power cut, where the system can sync folders. */
async function syncName(folder: string, calls: NamingCalls): Promise<void> {
  try {
    await calls.syncFolder(folder)
  } catch {
    // Windows has no such thing; NTFS journals names.
  }
}

/** Naming without leaving the thread: for one of its own that may wait for the disk as long as it takes. */
export const namingHere: NamingCalls = {
  lstat: async (path) => lstatSync(path),
  link: async (from, to) => linkSync(from, to),
  rename: async (from, to) => renameSync(from, to),
  unlink: async (path) => unlinkSync(path),
  create: async (path) => closeSync(openSync(path, 'wx')),
  syncFolder: async (folder) => syncFolder(folder),
}
