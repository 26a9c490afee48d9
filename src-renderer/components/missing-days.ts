import type { Day, DayRange } from '#shared/values/day.ts'
import { addDays } from '#shared/values/day.ts'
import { count, days } from './formats.ts'

/** More runs of days than this are counted, not named. */
const MAX_RUNS = 6

/** Days as runs of days; they are in order of the calendar. */
export function runsOf(some: readonly Day[]): readonly DayRange[] {
  const runs: { start: Day; end: Day }[] = []
  for (const day of some) {
    const last = runs.at(-1)
    if (last && addDays(last.end, 1) === day) last.end = day
    else runs.push({ start: day, end: day })
  }
  return runs
}

/** Names the holes: `27 of 31 days; missing: Nov 3 – 6, 2026`. `missing` is in order of the calendar. */
export function missingDays(missing: readonly Day[], all: number): string {
  const runs = runsOf(missing)
  const more = runs.length - MAX_RUNS
  const named = runs.slice(0, MAX_RUNS).map(days).join(', ')
  const rest = more > 0 ? ` and ${count(more)} more ${more === 1 ? 'run' : 'runs'} of days` : ''
  return `${count(all - missing.length)} of ${count(all)} days; missing: ${named}${rest}`
}
