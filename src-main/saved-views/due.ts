import { dayAt } from '#shared/values/day.ts'
import type { JobRecord } from '#main/lib/jobs.ts'
import { isResting, pauseAfter } from '#main/lib/retry.ts'

/** Minimum interval between checks in milliseconds, whatever the clock does. */
const shortestRest = 1000

/** Last refresh of a pinned view, and the zone of its account's days. */
type Refreshed = { readonly record: JobRecord | null; readonly zone: string }

/** Whether a view is due: after an hour, on another day, or if the clock was set back. */
export function isDue({ record, zone }: Refreshed, now: number): boolean {
  if (!record || !isResting('view', record.last?.endedAt ?? undefined, now)) return true
  // The day of the start determines the days that the view shows.
  return dayAt(now, zone) !== dayAt(record.startedAt, zone)
}

/** Milliseconds until the first view is due, at most an hour. */
export function untilDue(views: readonly Refreshed[], now: number): number {
  const hour = pauseAfter('view', 1)
  const days = [...new Set(views.map(({ zone }) => zone))].map((zone) => untilNextDay(now, zone))
  const hours = views.map(({ record }) => (record?.last?.endedAt ?? now) + hour - now)
  return Math.max(shortestRest, Math.min(hour, ...days, ...hours))
}

/** Longer than any day in milliseconds, including the end of summer time. */
const longestDay = 26 * 3_600_000
const exact = 1000

/** Milliseconds until the next day starts in a zone, at most a second too many. */
export function untilNextDay(now: number, zone: string): number {
  const today = dayAt(now, zone)
  let before = 0
  let after = longestDay
  while (after - before > exact) {
    const between = Math.floor((before + after) / 2)
    if (dayAt(now + between, zone) === today) before = between
    else after = between
  }
  return after
}
