import { addDays, daysBetween, daysOf, lengthOf } from '../values/day.ts'
import type { Day, DayRange } from '../values/day.ts'

/** Two runs of days that are compared, each of days that are over. */
export type Periods = { readonly now: DayRange; readonly before: DayRange }

/** How many days the counts of either side are of. Where they differ, counts are compared per day. */
export type Lengths = { readonly now: number; readonly before: number }

/** What is compared of two periods. A day that is not over would look like a fall, so it is left out. */
export type ComparedPeriods =
  | ({ readonly kind: 'periods'; readonly leftOut: readonly Day[] } & Periods)
  /** None of their days is over in one of them. */
  | { readonly kind: 'nothing'; readonly leftOut: readonly Day[] }

/**
 * How many days of two periods are compared, day k of one with day k of the other: those that are kept whole of both; and
 * how many such pairs the periods have. Periods of unequal length have no pairs: `against` are the days of the one compared with.
 */
export type ComparedDays = {
  readonly days: number
  readonly of: number
  readonly against?: { readonly days: number; readonly of: number }
}

/** How many of a range's days are over on the day `today`. */
const over = (range: DayRange, today: Day): number =>
  Math.max(0, Math.min(lengthOf(range), daysBetween(range.start, today)))

const firstOf = ({ start }: DayRange, days: number): DayRange => ({ start, end: addDays(start, days - 1) })

/** The days of a range that are not over on the day `today`, in order of the calendar. */
export const daysNotOver = (range: DayRange, today: Day): readonly Day[] =>
  range.end < today ? [] : daysOf({ start: range.start > today ? range.start : today, end: range.end })

/**
 * What is compared of two periods on the day `today`. Periods of one length stand day by day beside each other, so a day that
 * is not over leaves with its counterpart.
 * @param today in the account's zone
 */
export function comparedPeriods(now: DayRange, before: DayRange, today: Day): ComparedPeriods {
  const leftOut = [...new Set([...daysNotOver(before, today), ...daysNotOver(now, today)])].sort()
  const [here, there] = [over(now, today), over(before, today)]
  const [days, daysBefore] =
    lengthOf(now) === lengthOf(before) ? [Math.min(here, there), Math.min(here, there)] : [here, there]
  if (days === 0 || daysBefore === 0) return { kind: 'nothing', leftOut }
  return { kind: 'periods', leftOut, now: firstOf(now, days), before: firstOf(before, daysBefore) }
}

/** How many days each of two periods has. */
export const lengthsOf = ({ now, before }: Periods): Lengths => ({
  now: lengthOf(now),
  before: lengthOf(before),
})

/** How many days each side is of, where some days may be missing. */
export const comparedLengths = (periods: Periods, compared: ComparedDays | null): Lengths =>
  compared ? { now: compared.days, before: compared.against?.days ?? compared.days } : lengthsOf(periods)

/** Whether counts of two sides have to be divided by their days before they are compared. */
export const isPerDay = ({ now, before }: Lengths): boolean => now !== before

/** Whether two runs of days are the same. */
export const isSameRange = (one: DayRange, other: DayRange): boolean =>
  one.start === other.start && one.end === other.end

/** What is compared of a range and the days compared with at this moment; null where nothing is. */
export const periodsOf = (range: DayRange, before: DayRange | null, today: Day): ComparedPeriods | null =>
  before && comparedPeriods(range, before, today)

/** Whether a chart lays the days compared with beside the days it shows: only where they are as many, day by day. */
export const canBeDrawn = (periods: Periods | null): periods is Periods =>
  periods !== null && !isPerDay(lengthsOf(periods))
