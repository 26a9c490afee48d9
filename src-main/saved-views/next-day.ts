import { dayAt } from '#shared/values/day.ts'

/** No day is longer, not even the one on which summer ends. In milliseconds. */
const longestDay = 26 * 3_600_000
const exact = 1000

/** Milliseconds until another day has begun in a zone, at most a second too many. */
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
