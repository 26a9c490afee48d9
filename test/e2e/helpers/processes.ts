import { closeSync, openSync, readdirSync, readFileSync, readlinkSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { holds } from './traces.ts'

/** A process and all that it started, by /proc; those that end meanwhile are left out. */
export function familyOf(pid: number): number[] {
  const parents = new Map(readdirSync('/proc').flatMap((name) => parentOf(name)))
  const family = [pid]
  for (const member of family) {
    for (const [child, parent] of parents) if (parent === member) family.push(child)
  }
  return family
}

function parentOf(name: string): [number, number][] {
  if (!/^\d+$/.test(name)) return []
  try {
    // The name of the program, in brackets, may hold anything.
    const fields = readFileSync(`/proc/${name}/stat`, 'utf8').split(') ').at(-1)?.split(' ')
    return [[Number(name), Number(fields?.[1])]]
  } catch {
    return []
  }
}

/** The paths of all files that a process has open. */
export function filesOpenIn(pid: number): string[] {
  const folder = `/proc/${pid}/fd`
  return readdirSync(folder).flatMap((name) => {
    try {
      return [readlinkSync(join(folder, name))]
    } catch {
      // It was closed meanwhile.
      return []
    }
  })
}

/** The arguments and the environment of a process, as they can be read by others. */
export function outsideOf(pid: number): Buffer {
  return Buffer.concat([readFileSync(`/proc/${pid}/cmdline`), readFileSync(`/proc/${pid}/environ`)])
}

/** More than this of one piece of memory holds no text: caches of pictures and of code, mapped files. In bytes. */
const LARGEST_PIECE = 256 * 1024 * 1024

/** Whether a secret lies in what a process has written into its memory, as a core file would hold it. For root on Linux alone. */
export function remembers(pid: number, secret: string): boolean {
  for (const piece of memoryOf(pid)) if (holds(piece, secret)) return true
  return false
}

function* memoryOf(pid: number): Generator<Buffer> {
  const memory = openSync(`/proc/${pid}/mem`, 'r')
  try {
    for (const line of readFileSync(`/proc/${pid}/maps`, 'utf8').split('\n')) {
      const [, from, to] = /^([0-9a-f]+)-([0-9a-f]+) rw/.exec(line) ?? []
      if (from === undefined || to === undefined) continue
      const start = BigInt(`0x${from}`)
      const size = Number(BigInt(`0x${to}`) - start)
      if (size > LARGEST_PIECE) continue
      const piece = Buffer.allocUnsafe(size)
      try {
        yield piece.subarray(0, readSync(memory, piece, 0, size, start))
      } catch {
        // The process gave it back meanwhile, or the system keeps it.
      }
    }
  } finally {
    closeSync(memory)
  }
}

/** The command line of a process; nothing where it has ended. */
export function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}
