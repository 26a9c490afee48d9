import { closeSync, fsync, fsyncSync, openSync } from 'node:fs'
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
