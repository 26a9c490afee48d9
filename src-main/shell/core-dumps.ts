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

/** What a process has started so far; nothing where the kernel does not say. */
function childrenOf(pid: number, files: string): readonly number[] {
  try {
    const named = readFileSync(`${files}/${pid}/task/${pid}/children`, 'utf8').trim()
    return named === '' ? [] : named.split(' ').map(Number)
  } catch {
    return []
  }
}
