import { renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { syncFolder } from './sync-folder.ts'

/**
 * Puts a text in the place of a file, or of none, for its owner alone. After a kill it is all of the one or all of the other; once
 * this is done it outlives a power cut.
 * @throws as `fs` does
 */
export function replaceFile(file: string, text: string): void {
  writeFileSync(`${file}.new`, text, { mode: 0o600, flush: true })
  renameSync(`${file}.new`, file)
  syncFolder(dirname(file))
}
