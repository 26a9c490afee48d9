import { addDays, dayAt, daysBetween, daysOf } from '../values/day.ts'
import type { Day, DayRange } from '../values/day.ts'
import type { Provenance } from './answer.ts'

/** From so many days after its end on, a range does not change any more. */
const settledAfterDays = 3

/** Whether a range does not change any more on the day `today`. */
export const isSettledOn = ({ end }: DayRange, today: Day): boolean =>
  daysBetween(end, today) >= settledAfterDays

/** The days of a range of which figures can still become others. Both in order of the calendar. */
export type UnsettledDays = {
  /** Not over when they were fetched: counted in part. */
  readonly open: readonly Day[]
  /** Over, and counted anew for some days to come. */
  readonly moving: readonly Day[]
}

/** Which days of a range were not settled on `fetchedOn`, the day on which their figures were fetched. */
export function unsettledDays({ start, end }: DayRange, fetchedOn: Day): UnsettledDays {
  const first = addDays(fetchedOn, 1 - settledAfterDays)
  if (end < first) return { open: [], moving: [] }
  const days = daysOf({ start: start > first ? start : first, end })
  return { open: days.filter((day) => day >= fetchedOn), moving: days.filter((day) => day < fetchedOn) }
}

/** What is to be known of figures for whoever asks which of their days can still become others. */
type Fetched = Pick<Provenance, 'ages' | 'fetchedAt' | 'missing'>

/**
 * Which days of figures can still become others; those that are missing are told of as such.
 * @param zone the IANA zone in which the account's days begin
 */
export function unsettledOf(
  { ages, fetchedAt, missing }: Fetched,
  range: DayRange,
  zone: string,
): UnsettledDays {
  const found = (ages ?? [{ range, fetchedAt }]).map((age) =>
    unsettledDays(age.range, dayAt(age.fetchedAt, zone)),
  )
  const there = (day: Day) => !missing.includes(day)
  return {
    open: found.flatMap(({ open }) => open).filter(there),
    moving: found.flatMap(({ moving }) => moving).filter(there),
  }
}

/** Whether figures have every day of a range, and each was over when it was fetched: such figures can be compared as they are. */
export const areWhole = (figures: Fetched, range: DayRange, zone: string): boolean =>
  figures.missing.length === 0 && unsettledOf(figures, range, zone).open.length === 0
