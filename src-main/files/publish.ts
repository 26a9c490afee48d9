import { closeSync, linkSync, lstatSync, openSync, renameSync, unlinkSync } from 'node:fs'
import { link, lstat, open, rename, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { syncedFolder, syncFolder } from '#main/lib/sync-folder.ts'
import { numbered } from '#shared/values/text.ts'
import { asDiskFailure, hasCode } from './disk-failure.ts'

/** File system calls for naming a file. `create` creates an empty file, and fails if the name exists. */
type NamingCalls = {
  readonly lstat: (path: string) => Promise<unknown>
  readonly link: (from: string, to: string) => Promise<void>
  readonly rename: (from: string, to: string) => Promise<void>
  readonly unlink: (path: string) => Promise<void>
  readonly create: (path: string) => Promise<void>
  readonly syncFolder: (folder: string) => Promise<void>
}

/** Name that a file gets, before a number is added. */
type FinalName = {
  readonly folder: string
  /** The name without extension, already safe (src-shared/values/text.ts). */
  readonly stem: string
  readonly ending: string
}

/**
 * Naming with Node's asynchronous calls.
 * @param run wraps each call, for example to run calls one at a time; `kind` marks a call that may take long
 */
export const namingBy = (run: <T>(call: () => Promise<T>, kind?: 'sync') => Promise<T>): NamingCalls => ({
  lstat: (path) => run(() => lstat(path)),
  link: (from, to) => run(() => link(from, to)),
  rename: (from, to) => run(() => rename(from, to)),
  unlink: (path) => run(() => unlink(path)),
  create: (path) => run(async () => (await open(path, 'wx')).close()),
  // Not every share can sync a folder. The file itself is synced already.
  syncFolder: (folder) => run(() => syncedFolder(folder).catch(() => undefined), 'sync'),
})

const MAX_TRIES = 10_000
/** Errors of file systems without hard links, such as those of memory sticks. */
const NO_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EACCES']

/**
 * Gives a written file its final name, with the next free number if the name is taken. Never replaces a file.
 *
 * @param path the file, in the same folder; must be synced, or a power failure may leave an empty name
 * @param calls file system calls
 * @param intend called before each attempt, for callers that must recognise the file after a crash
 * @returns the file's name
 * @throws DeskFailure `disk` if the folder refuses; whatever `calls` and `intend` reject with
 */
export async function publish(
  path: string,
  { folder, stem, ending }: FinalName,
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
      // The file has its name, even if the folder cannot be synced.
      await calls.syncFolder(folder).catch(() => undefined)
      return name
    }
  } catch (error) {
    throw asDiskFailure(error)
  }
  throw new RangeError('Every number is taken')
}

/** Gives a synced file its final name, in place of any file of that name. @throws whatever `calls` reject with */
export async function replace(path: string, target: string, calls: NamingCalls): Promise<void> {
  await calls.rename(path, target)
  await calls.syncFolder(dirname(target))
}

/** Whether a directory entry with this name exists, including a broken link. */
export async function isTaken(path: string, calls: Pick<NamingCalls, 'lstat'> = { lstat }): Promise<boolean> {
  return await calls.lstat(path).then(
    () => true,
    (error: unknown) => {
      if (hasCode(error, 'ENOENT')) return false
      throw error
    },
  )
}

/** Moves a file to a free name. Returns false if the name is taken. */
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

/** Without hard links: creates an empty file with the name, then replaces it with the written file. */
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

/** Synchronous naming, for a dedicated thread that may block on the disk. */
export const namingHere: NamingCalls = {
  lstat: async (path) => lstatSync(path),
  link: async (from, to) => linkSync(from, to),
  rename: async (from, to) => renameSync(from, to),
  unlink: async (path) => unlinkSync(path),
  create: async (path) => closeSync(openSync(path, 'wx')),
  syncFolder: async (folder) => syncFolder(folder),
}
