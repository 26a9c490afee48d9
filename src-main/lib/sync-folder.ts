import { closeSync, fsync, fsyncSync, openSync, renameSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
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
    return this.#syncs.join(folder, () => syncedFolder(folder))
  }
}

/** As `syncFolder`, but does not block the thread. */
export async function syncedFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Resolves when the file's data is on the disk. Does not block the thread. @throws as `fs` does */
export const synced = promisify(fsync)

/** Renames a synced file or a folder, which survives a power failure. Replaces a file of that name. @throws as `fs` does */
export function renameSynced(from: string, to: string): void {
  renameSync(from, to)
  syncFolder(dirname(to))
}

/**
 * Replaces or creates a text file that only its owner can read. After a kill the file holds the old or the new text,
 * never a mix. After the call returns, the text survives a power failure.
 * @throws as `fs` does
 */
export function replaceFile(file: string, text: string): void {
  writeFileSync(`${file}.new`, text, { mode: 0o600, flush: true })
  renameSynced(`${file}.new`, file)
}
