import { CalendarDateTime, toZoned } from '@internationalized/date'
import type { RawEvery } from '../../../src-shared/raw/asking.ts'
import { weekdayOf } from '../../../src-shared/raw/period.ts'
import { addDays, dayAt } from '../../../src-shared/values/day.ts'
import type { Day } from '../../../src-shared/values/day.ts'

/** A turn of a schedule: the day that names it, and the moment from which it is due, in milliseconds since 1970. */
export type Turn = { readonly day: Day; readonly at: number }

/** From one turn to the next there are never more days: turns of every month come on its last day at the latest. */
const mostDaysBetween = 32

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

/** Whether a schedule has a turn on a day. In a month without that day, it is the month's last. */
function hasTurnOn(when: RawEvery, day: Day): boolean {
  switch (when.every) {
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

/** The first turn among some days, in the order given, whose moment is as wanted. */
function firstOf(
  when: RawEvery,
  zone: string,
  days: readonly Day[],
  isWanted: (at: number) => boolean,
): Turn | null {
  for (const day of days.filter((each) => hasTurnOn(when, each))) {
    const at = hourOf(day, when.hour, zone)
    if (isWanted(at)) return { day, at }
  }
  return null
}

const daysFrom = (day: Day, step: 1 | -1) =>
  Array.from({ length: mostDaysBetween + 2 }, (_, count) => addDays(day, count * step))

/** The turn that came last by `now`; it may come this very moment. */
export function latestTurn(when: RawEvery, zone: string, now: number): Turn | null {
  return firstOf(when, zone, daysFrom(dayAt(now, zone), -1), (at) => at <= now)
}

/** The turn that comes next, later than `now`. */
export function nextTurn(when: RawEvery, zone: string, now: number): Turn | null {
  return firstOf(when, zone, daysFrom(dayAt(now, zone), 1), (at) => at > now)
}
