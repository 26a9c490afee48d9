import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Where this machine's kernel puts what it writes of a crash: null where that is beside the process, else another program or
 * folder, which tests do not look into.
 */
export function coreFilesElsewhere(): string | null {
  const pattern = readFileSync('/proc/sys/kernel/core_pattern', 'utf8').trim()
  return /^core(\.%p)?$/.test(pattern) ? null : pattern
}

/** Has a running process leave a whole core file behind where it crashes, as a developer's settings or a server's do. */
export function allowCoreFile(pid: number): void {
  execFileSync('prlimit', [`--core=unlimited`, '--pid', String(pid)])
}

/** The core file in the folder where a process ran. */
export function coreFileIn(folder: string): string | undefined {
  const name = readdirSync(folder).find((each) => /^core(\.\d+)?$/.test(each))
  return name === undefined ? undefined : join(folder, name)
}

/** Which pages of its memory a process would leave in a core file, as the kernel writes it; `00000000` for none. */
export const coreFilterOf = (pid: number): string =>
  readFileSync(`/proc/${pid}/coredump_filter`, 'utf8').trim()
