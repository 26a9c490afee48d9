import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { isRunning } from './process-lock.ts'

/** Names of work folders, which contain a process id. The prefix dates from their first use by engines. */
const ofProcess = /^engine-(\d+)-[0-9a-f]{8}$/

/**
 * Returns the path of a new work folder; the caller creates it. Two jobs may run at once with the same file names.
 * Removes the folders of processes that were killed, which can be as large as their results.
 */
export function ownFolderIn(work: string): string {
  try {
    mkdirSync(work, { recursive: true, mode: 0o700 })
    for (const name of readdirSync(work)) {
      const [, id] = ofProcess.exec(name) ?? []
      if (name.startsWith('duckdb_temp_') || (id !== undefined && !isRunning(Number(id))))
        dropFolder(join(work, name))
    }
  } catch {
    // Reading works without a writable folder.
  }
  return join(work, `engine-${process.pid}-${randomBytes(4).toString('hex')}`)
}

/** Removes a work folder. If removal fails, the next `ownFolderIn` retries. */
export function dropFolder(place: string): void {
  try {
    rmSync(place, { recursive: true, force: true })
  } catch {
    // See above.
  }
}
