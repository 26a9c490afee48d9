import { closeSync, fsync, fsyncSync, openSync } from 'node:fs'
import { promisify } from 'node:util'

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
  readonly #running = new Map<string, Promise<void>>()
  readonly #next = new Map<string, Promise<void>>()

  /** Done when every name that was given in the folder before the call outlives a power cut. @throws as `fs` does */
  named(folder: string): Promise<void> {
    if (process.platform === 'win32') return Promise.resolve()
    const running = this.#running.get(folder)
    if (!running) return this.#begin(folder)
    const next = this.#next.get(folder) ?? running.then(noMatter, noMatter).then(() => this.#begin(folder))
    this.#next.set(folder, next)
    return next
  }

  #begin(folder: string): Promise<void> {
    this.#next.delete(folder)
    const sync = syncedFolder(folder).finally(() => {
      if (this.#running.get(folder) === sync) this.#running.delete(folder)
    })
    this.#running.set(folder, sync)
    return sync
  }
}

const noMatter = () => undefined

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
