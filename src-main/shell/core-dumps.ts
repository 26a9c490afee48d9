import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'

/**
 * Keeps memory out of the files that Linux writes of programs that crash: the main process holds the token while it is in use, the
 * others hold figures. Such a file is still written where a person or a system asks for it; it tells where threads stood,
 * and has no page of memory in it.
 *
 * What a process starts goes by the same. Two helpers of Chromium, which all pages' processes come from, have begun before
 * any code of ours runs: they are told too. Has to happen before anything else, and takes 0.2 ms.
 *
 * @param files Linux's own files about processes; another place in tests
 */
export function emptyCoreDumps(platform: NodeJS.Platform, pid: number, files = '/proc'): void {
  if (platform !== 'linux') return
  try {
    writeFileSync(`${files}/${pid}/coredump_filter`, '0')
  } catch {
    // A process that may not be told writes no such file either, or the kernel writes none of anybody.
  }
  for (const child of childrenOf(pid, files)) emptyCoreDumps(platform, child, files)
}

/**
 * Has Linux write no such file of a process at all: even without memory, the file holds the processor's registers, and they may
 * still hold the text that was copied last. In the main process, that may be the token.
 *
 * The limit is 1 byte. No file is that small; and it is the only limit by which the kernel does not hand the dump to a program
 * instead, as 0 would. Node cannot set limits, so the system's `prlimit` does. Where it is missing or refuses, such a file
 * still has no memory in it. It is the soft limit: this person's programs can raise it again, those that the app opens too.
 */
export function refuseCoreDumps(platform: NodeJS.Platform, pid: number): void {
  if (platform !== 'linux') return
  const told = spawn('/usr/bin/prlimit', ['--core=1:', '--pid', String(pid)], { stdio: 'ignore' })
  told.on('error', () => undefined)
  told.unref()
}

/** What a process has started so far; nothing where the kernel does not say. */
function childrenOf(pid: number, files: string): readonly number[] {
  try {
    const named = readFileSync(`${files}/${pid}/task/${pid}/children`, 'utf8').trim()
    return named === '' ? [] : named.split(' ').map(Number)
  } catch {
    return []
  }
}
