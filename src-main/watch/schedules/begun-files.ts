import { lstat, rename, unlink } from 'node:fs/promises'
import type { BigIntStats } from 'node:fs'
import { join } from 'node:path'
import type { BegunFile } from '#main/database/state/schedules-repository.ts'
import { hasCode } from '#main/files/disk-failure.ts'
import { slowFolderGuard } from '#main/lib/slow-folder-guard.ts'

/**
 * Finds out whether a file got its name before the app ended: its draft is the file under that name, or gone in its favour.
 * Where there are no hard links, the name was taken by an empty file, which the draft replaces. Other files are never touched.
 * Without its name, the draft is removed.
 * @returns whether the file has its name
 * @throws disk errors, if the folder does not answer
 */
export async function hasName({ folder, draft, name, size }: BegunFile): Promise<boolean> {
  const run = <T>(work: () => Promise<T>) => slowFolderGuard.run(folder, work)
  const [from, to] = [join(folder, draft), join(folder, name)]
  const look = (path: string): Promise<BigIntStats | null> =>
    run(() => lstat(path, { bigint: true })).catch((error: unknown) => {
      if (hasCode(error, 'ENOENT')) return null
      throw error
    })
  const [written, named] = [await look(from), await look(to)]
  if (!written) return named?.isFile() === true && named.size === BigInt(size)
  if (named && named.dev === written.dev && named.ino === written.ino) {
    await run(() => unlink(from))
    return true
  }
  if (named?.isFile() && named.size === 0n && size > 0) {
    await run(() => rename(from, to))
    return true
  }
  await run(() => unlink(from))
  return false
}
