/** A calendar day in the account's zone, as `2026-11-20`. A string, to prevent arithmetic on it. */
export type Day = string & { readonly __brand: 'Day' }

/** An inclusive range of days; `start` is never after `end`. */
export type DayRange = { readonly start: Day; readonly end: Day }

const MILLISECONDS_OF_A_DAY = 86_400_000

/** Parses `2026-11-20`. Returns undefined if the text is not a calendar day. */
export function parseDay(text: string): Day | undefined {
  const parts = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text)
  if (!parts) return undefined
  const time = Date.UTC(Number(parts[1]), Number(parts[2]) - 1, Number(parts[3]))
  return new Date(time).toISOString().slice(0, 10) === text ? (text as Day) : undefined
}

/** Parses a day that is known to be valid; throws a RangeError otherwise. */
export function day(text: string): Day {
  const parsed = parseDay(text)
  if (parsed === undefined) throw new RangeError(`Not a day of the calendar: ${text}`)
  return parsed
}

/** Returns the service's form, an integer YYYYMMDD (specification: conventions for values). */
export function dayToWire(value: Day): number {
  return Number(value.replaceAll('-', ''))
}

/** Parses YYYYMMDD from the service: an integer, or a string in some listings. Returns undefined otherwise. */
export function dayFromWire(value: unknown): Day | undefined {
  if (typeof value !== 'number' && typeof value !== 'string') return undefined
  const parts = /^(\d{4})(\d{2})(\d{2})$/.exec(String(value))
  return parts ? parseDay(`${parts[1]}-${parts[2]}-${parts[3]}`) : undefined
}

/** Returns the day `count` days later, or earlier if negative. */
export function addDays(value: Day, count: number): Day {
  return new Date(Date.parse(value) + count * MILLISECONDS_OF_A_DAY).toISOString().slice(0, 10) as Day
}

/** Returns the number of days from `from` to `to`: 0 for the same day, negative if `to` is earlier. */
export function daysBetween(from: Day, to: Day): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / MILLISECONDS_OF_A_DAY)
}

/** Whether two ranges have a day in common. */
export const overlap = (one: DayRange, other: DayRange): boolean =>
  one.start <= other.end && other.start <= one.end

/** Whether two ranges are the same. */
export const isSameRange = (one: DayRange, other: DayRange): boolean =>
  one.start === other.start && one.end === other.end

/** Returns the number of days in a range. */
export const lengthOf = ({ start, end }: DayRange): number => daysBetween(start, end) + 1

/** Groups days into runs. The days are in calendar order. */
export function dayRuns(some: readonly Day[]): readonly DayRange[] {
  const runs: { start: Day; end: Day }[] = []
  for (const value of some) {
    const last = runs.at(-1)
    if (last && addDays(last.end, 1) === value) last.end = value
    else runs.push({ start: value, end: value })
  }
  return runs
}

/** Returns the last days of a range, at most `maxDays`. */
export const lastDays = (range: DayRange, maxDays: number): DayRange =>
  lengthOf(range) <= maxDays ? range : { start: addDays(range.end, 1 - maxDays), end: range.end }

/** Returns every day of a range, first to last. */
export function daysOf(range: DayRange): Day[] {
  return Array.from({ length: lengthOf(range) }, (_, index) => addDays(range.start, index))
}

/** Formatters by zone. Creating one is far slower than using it, and there are few zones. */
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

/** Whether a text is an IANA zone that this system knows. */
export function isZone(text: string): boolean {
  try {
    return text === 'UTC' || calendarOf(text).format(0) !== ''
  } catch {
    return false
  }
}

/** Zone in which days are shown if a stored zone may be unknown to this system. */
export const knownZone = (zone: string): string => (isZone(zone) ? zone : 'UTC')

/** Returns the day at `now` (milliseconds since 1970) in an IANA time zone such as `UTC` or `Europe/Berlin`. */
export function dayAt(now: number, zone: string): Day {
  // The first formatter of a process takes 10 ms to create, which would delay the first view.
  if (zone === 'UTC') return new Date(now).toISOString().slice(0, 10) as Day
  const parts = calendarOf(zone).formatToParts(now)
  const part = (type: string) =>
    parts.find((dateTimeFormatPart) => dateTimeFormatPart.type === type)?.value ?? ''
  return day(`${part('year')}-${part('month')}-${part('day')}`)
}

/** Returns the ISO weekday: 1 is Monday, 7 is Sunday. */
export function weekdayOf(value: Day): 1 | 2 | 3 | 4 | 5 | 6 | 7 {
  const names = [7, 1, 2, 3, 4, 5, 6] as const
  return names[new Date(value).getUTCDay()] ?? 7
}
