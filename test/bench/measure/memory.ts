import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'

/** Reads a file of /proc; undefined where the process has ended meanwhile. */
function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

/** A process and all that it started, by their ids. */
export function family(root: number): number[] {
  const parents = new Map<number, number>()
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const parent = /^PPid:\s+(\d+)$/m.exec(read(`/proc/${name}/status`) ?? '')
    if (parent) parents.set(Number(name), Number(parent[1]))
  }
  const found = new Set([root])
  for (let before = 0; before !== found.size;) {
    before = found.size
    for (const [child, parent] of parents) if (found.has(parent)) found.add(child)
  }
  return [...found]
}

/** The sum of some lines of /proc/…/smaps_rollup over processes, in MiB. */
function sizeOf(processes: readonly number[], line: RegExp): number {
  const kilobytes = processes.flatMap((pid) =>
    [...(read(`/proc/${pid}/smaps_rollup`) ?? '').matchAll(line)].map(([, size]) => Number(size)),
  )
  return kilobytes.reduce((sum, each) => sum + each, 0) / 1024
}

/** Proportional set size of a process and all that it started, in MiB. */
export const proportionalSize = (root: number): number => sizeOf(family(root), /^Pss:\s+(\d+) kB$/gm)

/** The same of these processes alone. */
export const proportionalSizeOf = (processes: readonly number[]): number =>
  sizeOf(processes, /^Pss:\s+(\d+) kB$/gm)

/** What of that they have written themselves, in MiB: pages of files weigh less the more programs have them open. */
export const writtenSize = (root: number): number => writtenSizeOf(family(root))

/** The same of these processes alone. */
export const writtenSizeOf = (processes: readonly number[]): number =>
  sizeOf(processes, /^Pss_(?:Anon|Shmem):\s+(\d+) kB$/gm)

/** How often memory is looked at, in milliseconds: each look holds the processes up for a moment. */
const LOOK = 250

/**
 * Begins to watch how much more memory a process and all that it started have at the most, in MiB: those too that begin
 * and end meanwhile.
 */
export function watchPeak(root: number): () => number {
  const before = proportionalSize(root)
  let highest = before
  const looking = setInterval(() => (highest = Math.max(highest, proportionalSize(root))), LOOK)
  return () => {
    clearInterval(looking)
    return highest - before
  }
}

/** A size once it has come to rest: two readings a second apart differ by less than one per cent. */
export async function settledSize(root: number, sizeNow = proportionalSize): Promise<number> {
  let before = sizeNow(root)
  for (let second = 0; second < 30; second += 1) {
    await setTimeout(1000)
    const now = sizeNow(root)
    if (Math.abs(now - before) < before * 0.01) return now
    before = now
  }
  return before
}
