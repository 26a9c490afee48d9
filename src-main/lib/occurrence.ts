import { CalendarDateTime, toZoned } from '@internationalized/date'
import { addDays, dayAt, weekdayOf } from '#shared/values/day.ts'
import type { Day } from '#shared/values/day.ts'
import type { ScheduleDays, ScheduleRule } from '#shared/watch/schedules.ts'

/** An occurrence of a rule: its day in the rule's zone, and its time in milliseconds since 1970. */
export type Occurrence = { readonly day: Day; readonly time: number }

/** Maximum number of days between occurrences: at most a month, since a missing day is replaced by the month's last. */
const maxDaysBetween = 32

/** Time of a clock in a zone. A skipped time is after the gap, a repeated one the first time. */
export function timeOf(
  day: Day,
  { hour, minute = 0, zone }: { readonly hour: number; readonly minute?: number; readonly zone: string },
): number {
  const [year, month, date] = day.split('-').map(Number)
  if (year === undefined || month === undefined || date === undefined) throw new RangeError(`No day: ${day}`)
  return toZoned(new CalendarDateTime(year, month, date, hour, minute), zone, 'compatible')
    .toDate()
    .getTime()
}

const isLastOfMonth = (day: Day) => addDays(day, 1).endsWith('-01')

/** Whether a rule has an occurrence on a day. In shorter months, the last day replaces a missing one. */
function occursOn(days: ScheduleDays, day: Day): boolean {
  switch (days.kind) {
    case 'week':
      return days.weekdays.includes(weekdayOf(day))
    case 'month': {
      const date = Number(day.slice(8))
      return date === days.day || (date < days.day && isLastOfMonth(day))
    }
  }
}

/** Returns the first matching occurrence from a day on, forwards or backwards. */
function firstFrom(
  rule: ScheduleRule,
  start: Day,
  step: 1 | -1,
  isWanted: (time: number) => boolean,
): Occurrence | null {
  for (let count = 0; count < maxDaysBetween + 3; count += 1) {
    const day = addDays(start, count * step)
    if (!occursOn(rule.days, day)) continue
    const time = timeOf(day, rule)
    if (isWanted(time)) return { day, time }
  }
  return null
}

/**
 * Latest occurrence at or before `now`. The search begins a day later, because a clock that goes back over midnight returns to
 * a day before.
 */
export const latestOccurrence = (rule: ScheduleRule, now: number): Occurrence | null =>
  firstFrom(rule, addDays(dayAt(now, rule.zone), 1), -1, (time) => time <= now)

/**
 * First occurrence after `now`. The search begins a day earlier, because a gap at midnight moves a time to the next day.
 * Of days whose occurrences a gap moves to one moment, the last one counts.
 */
export function nextOccurrence(rule: ScheduleRule, now: number): Occurrence | null {
  const next = firstFrom(rule, addDays(dayAt(now, rule.zone), -1), 1, (time) => time > now)
  return next && latestOccurrence(rule, next.time)
}

/** Occurrences after `since`, up to and including `now`, the latest first; at most `most`. */
export function occurrencesBetween(
  rule: ScheduleRule,
  { since, now }: { readonly since: number; readonly now: number },
  most = Infinity,
): readonly Occurrence[] {
  const found: Occurrence[] = []
  let next = latestOccurrence(rule, now)
  for (
    ;
    next !== null && next.time > since && found.length < most;
    next = latestOccurrence(rule, next.time - 1)
  )
    found.push(next)
  return found
}
