import { CalendarDateTime, toZoned } from '@internationalized/date'
import type { RawEvery } from '#shared/raw/asking.ts'
import { addDays, dayAt, weekdayOf } from '#shared/values/day.ts'
import type { Day } from '#shared/values/day.ts'

/** One time at which a schedule is due: the day that names it, and the moment from which it is due, in milliseconds since 1970. */
export type Occurrence = { readonly day: Day; readonly at: number }

/** From one occurrence to the next there are never more days: monthly ones come on its last day at the latest. */
const maxDaysBetween = 32

/**
 * When an hour of a day begins in a zone. An hour that the clocks skip begins when they have skipped it; one that they
 * have twice begins with the first.
 */
export function hourOf(day: Day, hour: number, zone: string): number {
  const [year, month, date] = day.split('-').map(Number)
  if (year === undefined || month === undefined || date === undefined) throw new RangeError(`No day: ${day}`)
  return toZoned(new CalendarDateTime(year, month, date, hour), zone, 'compatible')
    .toDate()
    .getTime()
}

const isLastOfMonth = (day: Day) => addDays(day, 1).endsWith('-01')

/** Whether a schedule is due on a day. In a month without that day, it is the month's last. */
function occursOn(when: RawEvery, day: Day): boolean {
  switch (when.kind) {
    case 'day':
      return true
    case 'week':
      return weekdayOf(day) === when.weekday
    case 'month': {
      const date = Number(day.slice(8))
      return date === when.day || (date < when.day && isLastOfMonth(day))
    }
  }
}

/** The first occurrence among some days, in the order given, whose moment is as wanted. */
function firstOf(
  when: RawEvery,
  zone: string,
  days: readonly Day[],
  isWanted: (at: number) => boolean,
): Occurrence | null {
  for (const day of days.filter((item) => occursOn(when, item))) {
    const at = hourOf(day, when.hour, zone)
    if (isWanted(at)) return { day, at }
  }
  return null
}

const daysFrom = (day: Day, step: 1 | -1) =>
  Array.from({ length: maxDaysBetween + 2 }, (_, count) => addDays(day, count * step))

/** The occurrence that came last by `now`; it may come this very moment. */
export function latestOccurrence(when: RawEvery, zone: string, now: number): Occurrence | null {
  return firstOf(when, zone, daysFrom(dayAt(now, zone), -1), (at) => at <= now)
}

/** The occurrence that comes next, later than `now`. */
export function nextOccurrence(when: RawEvery, zone: string, now: number): Occurrence | null {
  return firstOf(when, zone, daysFrom(dayAt(now, zone), 1), (at) => at > now)
}
