import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { codeOf } from './error-code.ts'

/** Whether a process with this id runs on this computer. */
export function isRunning(id: number): boolean {
  try {
    return process.kill(id, 0)
  } catch (error) {
    // A process of another user cannot be signalled, but is running.
    return codeOf(error) === 'EPERM'
  }
}

/**
 * Runs `work` while no other process on this computer does. Without a writable lock file `work` runs unlocked, so that
 * it reports the folder's error itself.
 * @param file lock file with the process id; the lock of a dead process is ignored
 * @throws the error from `busy` if another process holds the lock; whatever `work` rejects with
 */
export async function alone<T>(file: string, work: () => Promise<T>, busy: () => Error): Promise<T> {
  const taken = take(file)
  if (taken === 'busy') throw busy()
  try {
    return await work()
  } finally {
    if (taken === 'taken') rmSync(file, { force: true })
  }
}

function take(file: string): 'taken' | 'busy' | 'unknown' {
  const draft = `${file}.${process.pid}`
  try {
    // The lock file appears only after its content is complete.
    writeFileSync(draft, String(process.pid), { mode: 0o600 })
    for (;;) {
      try {
        linkSync(draft, file)
        return 'taken'
      } catch (error) {
        if (codeOf(error) !== 'EEXIST') return 'unknown'
      }
      const holder = Number(readFileSync(file, 'utf8'))
      if (holder > 0 && holder !== process.pid && isRunning(holder)) return 'busy'
      rmSync(file, { force: true })
    }
  } catch {
    return 'unknown'
  } finally {
    rmSync(draft, { force: true })
  }
}
