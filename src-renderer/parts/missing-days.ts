import type { Day } from '../../src-shared/values/day.ts'
import { addDays } from '../../src-shared/values/day.ts'
import { count, days } from './formats.ts'

/** More runs of days than this are counted, not named. */
const MOST_RUNS = 6

/** Names the holes: `27 of 31 days; missing: Nov 3 – 6, 2026`. `missing` is in order of the calendar. */
export function missingDays(missing: readonly Day[], all: number): string {
  const runs: { start: Day; end: Day }[] = []
  for (const day of missing) {
    const last = runs.at(-1)
    if (last && addDays(last.end, 1) === day) last.end = day
    else runs.push({ start: day, end: day })
  }
  const more = runs.length - MOST_RUNS
  const named = runs.slice(0, MOST_RUNS).map(days).join(', ')
  const rest = more > 0 ? ` and ${count(more)} more ${more === 1 ? 'run' : 'runs'} of days` : ''
  return `${count(all - missing.length)} of ${count(all)} days; missing: ${named}${rest}`
}
