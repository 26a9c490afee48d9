import { spawnSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A folder on a file system that never answers; `release` takes it away, and whoever waits for it hears an error. */
export type HungFolder = { readonly path: string; readonly release: () => void }

/**
 * Mounts a FUSE file system behind which nobody is, so that the system waits for it for ever.
 * @returns null where this machine lets nobody mount one
 */
export function hungFolder(): HungFolder | null {
  const path = mkdtempSync(join(tmpdir(), 'hung-'))
  let device: number
  try {
    device = openSync('/dev/fuse', 'r+')
  } catch {
    rmdirSync(path)
    return null
  }
  const options = 'fd=3,rootmode=40000,user_id=0,group_id=0'
  const { status } = spawnSync('mount', ['-i', '-t', 'fuse', '-o', options, 'nobody', path], {
    stdio: ['ignore', 'ignore', 'ignore', device],
  })
  const release = () => {
    if (status === 0) spawnSync('umount', ['-l', path])
    closeSync(device)
    rmdirSync(path)
  }
  if (status === 0) return { path, release }
  release()
  return null
}
