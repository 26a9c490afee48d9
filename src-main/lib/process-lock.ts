import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'

const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined

/** Whether a process of this id runs on this machine. */
export function isRunning(id: number): boolean {
  try {
    return process.kill(id, 0)
  } catch (error) {
    // Somebody else's process may not be asked, and runs all the same.
    return codeOf(error) === 'EPERM'
  }
}

/**
 * Does something while no other process of this machine does it. Where the file cannot be written it is done all the same:
 * a folder that refuses is said by the work itself.
 * @param file names the process that does it; one that was killed holds nobody up
 * @throws what `busy` makes where another process does it; whatever `work` rejects with
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
    // It has its name only once it says whose it is.
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
