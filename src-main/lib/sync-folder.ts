import { closeSync, fsyncSync, openSync } from 'node:fs'

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
