import type { Count } from '../../src-shared/service/answers.ts'
import type { Day, DayRange } from '../../src-shared/values/day.ts'

/** What stands where the service knows no figure. Null is not zero. */
export const NOTHING = '–'

const whole = new Intl.NumberFormat(undefined, { maximumFractionDigits: 2 })
const percent = new Intl.NumberFormat(undefined, {
  style: 'percent',
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
})
const compact = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 })
const time = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' })
const dateAndTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const fullDay = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' })
const shortDay = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' })
const weekday = new Intl.DateTimeFormat(undefined, {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
})

/** A count in the locale's way; a dash for null and for what is no number. */
export function count(value: Count | undefined): string {
  return typeof value === 'number' && Number.isFinite(value) ? whole.format(value) : NOTHING
}

/** A count for an axis: `12K`. */
export const shortCount = (value: number): string => compact.format(value)

/** A share between 0 and 1 as a percentage; a dash where it is unknown. */
export function share(value: number | null): string {
  return value !== null && Number.isFinite(value) ? percent.format(value) : NOTHING
}

/** A part of a whole, 0 to 1; null where either is unknown or the whole is nothing. */
export function shareOf(part: Count | undefined, all: Count | undefined): number | null {
  return typeof part === 'number' && typeof all === 'number' && all > 0 ? part / all : null
}

/** A moment of this machine's clock: the time, and the date too unless it is today's. */
export function moment(at: number, now: number): string {
  const sameDay = new Date(at).toDateString() === new Date(now).toDateString()
  return (sameDay ? time : dateAndTime).format(at)
}

const asDate = (value: Day) => Date.parse(value)

/** A day for an axis: `13 Nov`. */
export const dayBriefly = (value: Day): string => shortDay.format(asDate(value))

/** A day in full, with its weekday. */
export const dayInFull = (value: Day): string => weekday.format(asDate(value))

/** A run of days: `Nov 13 – 19, 2026`. */
export const days = ({ start, end }: DayRange): string => fullDay.formatRange(asDate(start), asDate(end))
