import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { isRunning } from './process-lock.ts'

/** Folders for work, by the process that each is of. Engines had them first. */
const ofProcess = /^engine-(\d+)-[0-9a-f]{8}$/

/**
 * A folder of this work's own among others, which is not made yet: the names of files in it are the same for each, and two may run at
 * once. What processes that were killed left, up to the size of what they computed, goes.
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
    // Where nothing may be written, reading goes on.
  }
  return join(work, `engine-${process.pid}-${randomBytes(4).toString('hex')}`)
}

/** Removes such a folder; where that cannot be, it goes with the next one. */
export function dropFolder(place: string): void {
  try {
    rmSync(place, { recursive: true, force: true })
  } catch {
    // See above.
  }
}
