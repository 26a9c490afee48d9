import { closeSync, fsync, fsyncSync, openSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { Lanes } from './lanes.ts'

/** What was named in a folder outlives a power cut. Windows opens no folders, so nothing is done there. @throws as `fs` does */
export function syncFolder(folder: string): void {
  if (process.platform === 'win32') return
  const descriptor = openSync(folder, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Syncs folders for several at once: who asks while a folder is being synced shares the next sync of it. */
export class FolderSyncs {
  readonly #syncs = new Lanes<string>()

  /** Done when every name that was given in the folder before the call outlives a power cut. @throws as `fs` does */
  named(folder: string): Promise<void> {
    if (process.platform === 'win32') return Promise.resolve()
    return this.#syncs.join(folder, () => syncedFolder(folder))
  }
}

async function syncedFolder(folder: string): Promise<void> {
  const descriptor = openSync(folder, 'r')
  try {
    await synced(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Done when what was written to an open file lies on the disk; meanwhile others go on. @throws as `fs` does */
export const synced = promisify(fsync)

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
