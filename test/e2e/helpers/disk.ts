import { execFileSync } from 'node:child_process'
import { appendFileSync, statfsSync } from 'node:fs'
import { onTestFinished } from 'vitest'
import { temporaryFolder } from './folders.ts'

/** Disks of memory can be made by root alone. */
export const canMakeDisks = process.platform === 'linux' && process.getuid?.() === 0

/** A small disk of its own, gone with the test. `size` as `mount` takes it, such as `16m`. */
export function mountDisk(size: string): string {
  const folder = temporaryFolder('disk')
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder])
  onTestFinished(() => {
    execFileSync('umount', ['--lazy', folder])
  })
  return folder
}

export function makeReadOnly(disk: string): void {
  execFileSync('mount', ['-o', 'remount,ro', disk])
}

/** Writes to a file until nothing fits on its disk any more. */
export function fill(file: string): void {
  for (const block of [Buffer.alloc(64 * 1024), Buffer.alloc(512)]) {
    while (statfsSync(file.replace(/[^/]*$/, '')).bavail > 0) {
      try {
        appendFileSync(file, block)
      } catch {
        break
      }
    }
  }
}
