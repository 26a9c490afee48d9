import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { family } from './memory.ts'

const ticksPerSecond = Number(execFileSync('getconf', ['CLK_TCK']).toString())

/** How long a process and all that it started have worked so far, in seconds. Those that have ended count no more. */
export function timeOfProcessors(root: number): number {
  const ticks = family(root).map((pid) => {
    // The second field is a name in brackets that may hold anything (proc(5), stat).
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
    return Number(fields[11]) + Number(fields[12])
  })
  return ticks.reduce((sum, each) => sum + each, 0) / ticksPerSecond
}
