import { spawnSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A folder on a file system that never answers; `release` takes it away, and whoever waits for it hears an error. */
export type HungFolder = { readonly path: string; readonly release: () => void }

/**
 * Mounts a FUSE file system behind which nobody is, so that the system waits for it for ever.
 * @param over a folder that hangs from now on; what is open in it goes on. A new one where left out
 * @returns null where this machine lets nobody mount one
 */
export function hungFolder(over?: string): HungFolder | null {
  const path = over ?? mkdtempSync(join(tmpdir(), 'hung-'))
  const remove = () => (over === undefined ? rmdirSync(path) : undefined)
  let device: number
  try {
    device = openSync('/dev/fuse', 'r+')
  } catch {
    remove()
    return null
  }
  const options = 'fd=3,rootmode=40000,user_id=0,group_id=0'
  const { status } = spawnSync('mount', ['-i', '-t', 'fuse', '-o', options, 'nobody', path], {
    stdio: ['ignore', 'ignore', 'ignore', device],
  })
  const release = () => {
    if (status === 0) spawnSync('umount', ['-l', path])
    closeSync(device)
    remove()
  }
  if (status === 0) return { path, release }
  release()
  return null
}

/** How many threads of a process, this one unless given, wait for a disk at this moment (Linux). */
export function threadsOnDisk(pid: number | 'self' = 'self'): number {
  const states = readdirSync(`/proc/${pid}/task`).map((id) => {
    try {
      return /^State:\s+(\w)/m.exec(readFileSync(`/proc/${pid}/task/${id}/status`, 'utf8'))?.[1]
    } catch {
      // It has ended meanwhile.
      return undefined
    }
  })
  return states.filter((state) => state === 'D').length
}
