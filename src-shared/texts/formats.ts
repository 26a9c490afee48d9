import type { Count } from '../api/answers.ts'
import type { Day, DayRange } from '../values/day.ts'

/** What stands where the service knows no figure. Null is not zero. */
export const NOTHING = '–'

/** How values are written where a text stands: the window follows the way of writing that a person chose. */
export type Formats = {
  /** A count; a dash for null and for what is no number. */
  readonly count: (value: Count | undefined) => string
  /** A share between 0 and 1 as a percentage; a dash where it is unknown. */
  readonly share: (value: number | null) => string
  /** A size in bytes: `1.2 MB`. */
  readonly size: (bytes: number) => string
  /** A moment: the time, and the date too unless it is today's; both in milliseconds since 1970. */
  readonly moment: (time: number, now: number) => string
  /** The same where there is little room. */
  readonly momentBriefly: (time: number, now: number) => string
  /** A run of days: `Nov 13 – 19, 2026`. */
  readonly days: (range: DayRange) => string
  /** A day in full, with its weekday. */
  readonly dayInFull: (day: Day) => string
  /** The days of a zone from one moment to another, in milliseconds since 1970. */
  readonly daysIn: (first: number, last: number, zone: string) => string
}
