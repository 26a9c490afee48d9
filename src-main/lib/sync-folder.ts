import { closeSync, fsync, fsyncSync, openSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { Lanes } from './lanes.ts'

/**
 * Makes new names in a folder survive a power failure. Does nothing on Windows, which cannot open folders.
 * @throws as `fs` does
 */
export function syncFolder(folder: string): void {
  if (process.platform === 'win32') return
  const descriptor = openSync(folder, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Shares folder syncs: callers that arrive during a sync share the next one. */
export class FolderSyncs {
  readonly #syncs = new Lanes<string>()

  /** Resolves when all names given in the folder before the call survive a power failure. @throws as `fs` does */
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

/** Resolves when the file's data is on the disk. Does not block the thread. @throws as `fs` does */
export const synced = promisify(fsync)

/**
 * Replaces or creates a text file that only its owner can read. After a kill the file holds the old or the new text,
 * never a mix. After the call returns, the text survives a power failure.
 * @throws as `fs` does
 */
export function replaceFile(file: string, text: string): void {
  writeFileSync(`${file}.new`, text, { mode: 0o600, flush: true })
  renameSync(`${file}.new`, file)
  syncFolder(dirname(file))
}
