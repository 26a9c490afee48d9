import type { Day } from '../../src-shared/values/day.ts'
import { addDays } from '../../src-shared/values/day.ts'
import { days } from './formats.ts'

/** Names the holes: `27 of 31 days. Missing: Nov 3 – 6, 2026`. `missing` is in order of the calendar. */
export function missingDays(missing: readonly Day[], all: number): string {
  const runs: { start: Day; end: Day }[] = []
  for (const day of missing) {
    const last = runs.at(-1)
    if (last && addDays(last.end, 1) === day) last.end = day
    else runs.push({ start: day, end: day })
  }
  return `${all - missing.length} of ${all} days. Missing: ${runs.map(days).join(', ')}`
}
