import fs from 'node:fs'
import promises from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'

/** What changes a disk, or asks it for something: by itself, and of a file that is open. */
const OF_FOLDERS = [
  'open',
  'link',
  'unlink',
  'rename',
  'mkdir',
  'stat',
  'lstat',
  'readdir',
  'utimes',
] as const
const OF_FILES = ['writev', 'write', 'truncate', 'sync', 'utimes', 'close'] as const
const AT_ONCE = ['writeSync', 'fsyncSync'] as const

type Call = (...given: unknown[]) => unknown

/**
 * Ends this process, as kill -9 does, before the n-th step that this thread takes on the disk.
 *
 * @param taken hears of each step before it is taken
 * @returns takes a step that is none of the disk's
 */
export async function dieAt(
  last: number,
  taken: (step: number, name: string) => void,
): Promise<(name: string) => void> {
  let steps = 0
  const step = (name: string) => {
    steps += 1
    if (steps === last) process.kill(process.pid, 'SIGKILL')
    taken(steps, name)
  }
  const handle = await promises.open(import.meta.filename)
  patch(Object.getPrototypeOf(handle) as Record<string, Call>, OF_FILES, step)
  await handle.close()
  patch(promises as unknown as Record<string, Call>, OF_FOLDERS, step)
  patch(fs as unknown as Record<string, Call>, AT_ONCE, step)
  syncBuiltinESMExports()
  return step
}

function patch(of: Record<string, Call>, names: readonly string[], step: (name: string) => void): void {
  for (const name of names) {
    const call = of[name]
    if (call === undefined) continue
    of[name] = function (this: unknown, ...given) {
      step(name)
      return call.apply(this, given)
    }
  }
}
