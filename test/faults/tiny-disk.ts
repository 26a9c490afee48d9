import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

const mountPoint = () => mkdtempSync(join(tmpdir(), 'traffic-desk-tiny-'))

/** Why no small disk can be made here; null where it can. */
export function whyNoTinyDisk(): string | null {
  if (process.platform !== 'linux') return 'only Linux makes a disk in memory by mount'
  if (process.getuid?.() !== 0) return 'only root may mount'
  const folder = mountPoint()
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder], { stdio: 'pipe' })
    execFileSync('umount', [folder])
    return null
  } catch {
    return 'mounting is not allowed here'
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** An empty disk of so many kibibytes, in memory; gone when the test is. */
export function tinyDisk(kibibytes: number): string {
  const folder = mountPoint()
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${kibibytes}k`, 'tmpfs', folder])
  onTestFinished(() => {
    execFileSync('umount', ['--lazy', folder])
    rmSync(folder, { recursive: true, force: true })
  })
  return folder
}

export function makeReadOnly(folder: string): void {
  execFileSync('mount', ['-o', 'remount,ro', folder])
}

export function makeWritable(folder: string): void {
  execFileSync('mount', ['-o', 'remount,rw', folder])
}

/** Fills what is left of a disk to the last byte. @returns the file that is to be deleted for room */
export function fillUp(folder: string): string {
  const filler = join(folder, 'filler')
  const zeros = Buffer.alloc(1 << 20)
  for (let size = zeros.length; size >= 1; size = Math.floor(size / 2)) {
    try {
      for (;;) writeFileSync(filler, zeros.subarray(0, size), { flag: 'a' })
    } catch {
      // Smaller pieces may still fit.
    }
  }
  return filler
}
