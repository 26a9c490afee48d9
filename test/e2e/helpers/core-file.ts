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

/**
 * The memory in a core file: what it holds besides its notes, in which the registers stand
 * (elf(5): a table of segments, of which those of type 1 are memory).
 */
export function memoryIn(core: Buffer): Buffer {
  const [table, size, count] = [
    Number(core.readBigUInt64LE(32)),
    core.readUInt16LE(54),
    core.readUInt16LE(56),
  ]
  const segments = Array.from({ length: count }, (_, nth) => core.subarray(table + nth * size))
  return Buffer.concat(
    segments
      .filter((segment) => segment.readUInt32LE(0) === 1)
      .map((segment) => {
        const [from, length] = [Number(segment.readBigUInt64LE(8)), Number(segment.readBigUInt64LE(32))]
        return core.subarray(from, from + length)
      }),
  )
}

/** How large a core file a process may leave, in bytes. */
export const coreLimitOf = (pid: number): string =>
  /^Max core file size +(\S+)/m.exec(readFileSync(`/proc/${pid}/limits`, 'utf8'))?.[1] ?? ''

/** Which pages of its memory a process would leave in a core file, as the kernel writes it; `00000000` for none. */
export const coreFilterOf = (pid: number): string =>
  readFileSync(`/proc/${pid}/coredump_filter`, 'utf8').trim()
