/** A calendar day in the account's day zone, written `2026-11-20`. Text, so that nobody adds one to it. */
export type Day = string & { readonly __brand: 'Day' }

/** An inclusive run of days; `start` is never after `end`. */
export type DayRange = { readonly start: Day; readonly end: Day }

const MILLISECONDS_OF_A_DAY = 86_400_000

/** Reads `2026-11-20`; undefined where the text is no day of the calendar. */
export function parseDay(text: string): Day | undefined {
  const parts = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text)
  if (!parts) return undefined
  const time = Date.UTC(Number(parts[1]), Number(parts[2]) - 1, Number(parts[3]))
  return new Date(time).toISOString().slice(0, 10) === text ? (text as Day) : undefined
}

/** Like `parseDay`, for days that are known to be right; throws a RangeError otherwise. */
export function day(text: string): Day {
  const parsed = parseDay(text)
  if (parsed === undefined) throw new RangeError(`Not a day of the calendar: ${text}`)
  return parsed
}

/** The service's form, an integer YYYYMMDD (specification: conventions for values). */
export function dayToWire(value: Day): number {
  return Number(value.replaceAll('-', ''))
}

/** Reads YYYYMMDD as the service sends it: an integer, and in some listings a string. Anything else is no day. */
export function dayFromWire(value: unknown): Day | undefined {
  if (typeof value !== 'number' && typeof value !== 'string') return undefined
  const parts = /^(\d{4})(\d{2})(\d{2})$/.exec(String(value))
  return parts ? parseDay(`${parts[1]}-${parts[2]}-${parts[3]}`) : undefined
}

/** The day `count` days later (earlier where negative). */
export function addDays(value: Day, count: number): Day {
  return new Date(Date.parse(value) + count * MILLISECONDS_OF_A_DAY).toISOString().slice(0, 10) as Day
}

/** How many days lie from `from` to `to`; 0 for the same day, negative where `to` is earlier. */
export function daysBetween(from: Day, to: Day): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / MILLISECONDS_OF_A_DAY)
}

/** Whether two runs of days are the same. */
export const isSameRange = (one: DayRange, other: DayRange): boolean =>
  one.start === other.start && one.end === other.end

/** How many days a range has. */
export const lengthOf = ({ start, end }: DayRange): number => daysBetween(start, end) + 1

/** The last days of a range, at most so many. */
export const lastDays = (range: DayRange, maxDays: number): DayRange =>
  lengthOf(range) <= maxDays ? range : { start: addDays(range.end, 1 - maxDays), end: range.end }

/** Every day of a range, first to last. */
export function daysOf(range: DayRange): Day[] {
  return Array.from({ length: lengthOf(range) }, (_, index) => addDays(range.start, index))
}

/** By zone: making one takes far longer than using it, and there are few. */
const calendars = new Map<string, Intl.DateTimeFormat>()

function calendarOf(zone: string): Intl.DateTimeFormat {
  const known = calendars.get(zone)
  if (known) return known
  const made = new Intl.DateTimeFormat('en-CA', {
    timeZone: zone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  })
  calendars.set(zone, made)
  return made
}

/** The day it is at `now` (milliseconds since 1970) in an IANA time zone such as `UTC` or `Europe/Berlin`. */
export function dayAt(now: number, zone: string): Day {
  // The first calendar that a process makes takes it 10 ms, and the first view waits for this.
  if (zone === 'UTC') return new Date(now).toISOString().slice(0, 10) as Day
  const parts = calendarOf(zone).formatToParts(now)
  const part = (type: string) =>
    parts.find((dateTimeFormatPart) => dateTimeFormatPart.type === type)?.value ?? ''
  return day(`${part('year')}-${part('month')}-${part('day')}`)
}

/** The day of the week as calendars of business count: 1 is Monday, 7 is Sunday. */
export function weekdayOf(value: Day): 1 | 2 | 3 | 4 | 5 | 6 | 7 {
  const names = [7, 1, 2, 3, 4, 5, 6] as const
  return names[new Date(value).getUTCDay()] ?? 7
}
