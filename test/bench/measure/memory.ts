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
function family(root: number): number[] {
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

/** Proportional set size of a process and all that it started, in MiB. */
export function proportionalSize(root: number): number {
  const kilobytes = family(root).map((pid) =>
    Number(/^Pss:\s+(\d+) kB$/m.exec(read(`/proc/${pid}/smaps_rollup`) ?? '')?.[1] ?? 0),
  )
  return kilobytes.reduce((sum, each) => sum + each, 0) / 1024
}

/** The size once it has come to rest: two readings a second apart differ by less than one per cent. */
export async function settledSize(root: number): Promise<number> {
  let before = proportionalSize(root)
  for (let second = 0; second < 30; second += 1) {
    await setTimeout(1000)
    const now = proportionalSize(root)
    if (Math.abs(now - before) < before * 0.01) return now
    before = now
  }
  return before
}
