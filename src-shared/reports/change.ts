import type { Failure } from '../api/failure.ts'
import type { Cell, Count, TableRow } from '../api/answers.ts'
import { addDays, daysBetween, daysOf, lengthOf } from '../values/day.ts'
import type { Day, DayRange } from '../values/day.ts'
import { rateOf } from './rows.ts'
import type { BaseOf } from './rows.ts'

/** Two compared runs of days. All days are over. */
export type Periods = { readonly now: DayRange; readonly before: DayRange }

/** Number of days on each side. If the numbers differ, counts are compared per day. */
export type Lengths = { readonly now: number; readonly before: number }

/** Comparable part of two periods. Days that are not over would look like a fall and are left out. */
export type ComparedPeriods =
  | ({ readonly kind: 'periods'; readonly leftOut: readonly Day[] } & Periods)
  /** One of the periods has no day that is over. */
  | { readonly kind: 'nothing'; readonly leftOut: readonly Day[] }

/**
 * Number of compared days. Periods of equal length compare day k with day k, if both days are complete. `total` is
 * the number of pairs. Periods of unequal length have no pairs; `against` counts the earlier period's days.
 */
export type ComparedDays = {
  readonly days: number
  readonly total: number
  readonly against?: { readonly days: number; readonly total: number }
}

/** Returns how many of a range's days are over on the day `today`. */
const over = (range: DayRange, today: Day): number =>
  Math.max(0, Math.min(lengthOf(range), daysBetween(range.start, today)))

const firstOf = ({ start }: DayRange, days: number): DayRange => ({ start, end: addDays(start, days - 1) })

/** Returns the days of a range that are not over on the day `today`, in calendar order. */
const daysNotOver = (range: DayRange, today: Day): readonly Day[] =>
  range.end < today ? [] : daysOf({ start: range.start > today ? range.start : today, end: range.end })

/**
 * Returns the comparable part of two periods on the day `today`. In periods of equal length, a day that is not over
 * is left out together with its counterpart.
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

/** Returns the number of days of two periods. */
export const lengthsOf = ({ now, before }: Periods): Lengths => ({
  now: lengthOf(now),
  before: lengthOf(before),
})

/** Returns the number of compared days on each side, also if days are missing. */
export const comparedLengths = (periods: Periods, compared: ComparedDays | null): Lengths =>
  compared ? { now: compared.days, before: compared.against?.days ?? compared.days } : lengthsOf(periods)

/** Whether counts must be divided by days before they are compared. */
export const isPerDay = ({ now, before }: Lengths): boolean => now !== before

/** Returns the comparable part of a range and its comparison; null without a comparison. */
export const periodsOf = (range: DayRange, before: DayRange | null, today: Day): ComparedPeriods | null =>
  before && comparedPeriods(range, before, today)

/** Whether a chart can overlay the comparison: only for periods of equal length. */
export const canBeDrawn = (periods: Periods | null): periods is Periods =>
  periods !== null && !isPerDay(lengthsOf(periods))

/** A count and the base of its rate; a null `base` means no rate. */
export type Measured = { readonly count: Cell | undefined; readonly base: Cell | undefined }

/** Judgement of a change. `none`: the count is not judged, or did not change. */
export type Judgement = 'good' | 'bad' | 'none'

/** Comparison of a count in two periods. Null means unknown. */
export type Change = {
  readonly before: Count
  /** Whether the row is missing from the earlier period. */
  readonly isNew: boolean
  /** Count now minus count before; per day if `perDay` is set. */
  readonly difference: Count
  /** Difference relative to the earlier count: 0.125 is an eighth more. Null if that count is zero or unknown. */
  readonly proportion: number | null
  /** Whether the sides have unequal numbers of days, so that `difference` and `proportion` are per day. */
  readonly perDay: boolean
  /** Rates in percent, not rounded. */
  readonly rate: number | null
  readonly rateBefore: number | null
  /** Rate now minus rate before, in percentage points. */
  readonly points: number | null
  readonly news: Judgement
  /** Judgement to show at the count: `none` if the count moved the other way than its rate. */
  readonly countNews: Judgement
}

/** Change if nothing can be compared. */
export const unknownChange: Change = {
  before: null,
  isNew: false,
  difference: null,
  proportion: null,
  perDay: false,
  rate: null,
  rateBefore: null,
  points: null,
  news: 'none',
  countNews: 'none',
}

/** Counts for which more is better, or worse. Other counts are not judged. */
const better = new Set(['Good', 'Non-Suspect'])
const worse = new Set(['Bad', 'Suspect', 'Warning'])

const isJudged = (header: string): boolean => better.has(header) || worse.has(header)

const numberIn = (cell: Cell | undefined): Count =>
  typeof cell === 'number' && Number.isFinite(cell) ? cell : null

function minus(now: Count, before: Count): Count {
  return now === null || before === null ? null : numberIn(now - before)
}

/** Judges by the rate if there is one: fewer good requests with a larger share are no bad news. */
function newsOf(header: string, difference: Count, points: number | null): Judgement {
  const grown = Math.sign(points ?? difference ?? 0)
  if (grown === 0 || !isJudged(header)) return 'none'
  return grown > 0 === better.has(header) ? 'good' : 'bad'
}

type HowCompared = {
  /** Minimum base of a rate. Rates of smaller bases are ignored. */
  readonly min?: number
  /** Number of days on each side; by default the sides are equally long. */
  readonly lengths?: Lengths | null
}

/**
 * Compares a count and its rate in two periods. All changes on screen and in files come from here; the engine computes the same in SQL to sort by them (`ranking.ts`). Counts of unequal
 * numbers of days are compared per day; rates are independent of the number of days.
 * @param before null if there was no such row
 */
export function changeOf(
  header: string,
  now: Measured,
  before: Measured | null,
  { min = 0, lengths = null }: HowCompared = {},
): Change {
  const [count, then] = [numberIn(now.count), numberIn(before?.count)]
  const rateIn = (side: Measured | null): number | null => {
    const base = numberIn(side?.base)
    return base !== null && base >= min ? rateOf(numberIn(side?.count), base) : null
  }
  const [rate, rateBefore] = [rateIn(now), rateIn(before)]
  const perDay = lengths !== null && isPerDay(lengths)
  const measure = (value: Count, days: number): Count => (value === null ? null : value / days)
  const [here, there] = perDay ? [measure(count, lengths.now), measure(then, lengths.before)] : [count, then]
  const difference = minus(here, there)
  const points = pointsBetween(rate, rateBefore)
  const news = newsOf(header, difference, points)
  return {
    before: then,
    isNew: before === null && count !== null,
    difference,
    proportion: difference !== null && there !== null && there > 0 ? difference / there : null,
    perDay,
    rate,
    rateBefore,
    points,
    news,
    countNews: newsOf(header, difference, null) === news ? news : 'none',
  }
}

/**
 * Returns the difference of two rates in percentage points, without binary rounding noise. Null if a rate is unknown.
 */
export function pointsBetween(rate: number | null, before: number | null): number | null {
  return rate === null || before === null ? null : Number((rate - before).toPrecision(15))
}

/** Earlier rows of a table. */
export type RowsBefore = {
  /** Returns the earlier cells of a row; null if there was no such row, undefined while unknown. */
  readonly cellsOf: (row: TableRow) => readonly Cell[] | null | undefined
  /** Returns the index of a header in those cells; -1 if it is not there. */
  readonly placeOf: (header: string) => number
  /** Returns the cell to compare: the shown cell, or another cell if fewer days are compared. */
  readonly nowOf: (row: TableRow, header: string, shown: Cell | undefined) => Cell | undefined
  /** Number of days on each side; null while unknown. */
  readonly lengths: Lengths | null
  /** Why earlier cells are not on their way; null or absent while they may still come. */
  readonly failure?: Failure | null
}

/** A column with figures: its value is `cells[place]`. */
export type TableFigure = { readonly header: string; readonly place: number }

/** A compared count and the base of its rate; null without a meaningful rate. */
export type ComparedFigure = { readonly count: TableFigure; readonly base: TableFigure | null }

/** Finds a count and its base in a table, by header. */
export function comparedFigure(headers: readonly string[], header: string, baseOf: BaseOf): ComparedFigure {
  const figureOf = (wanted: string): TableFigure => ({
    header: wanted,
    place: headers.indexOf(wanted, 1) - 1,
  })
  const base = baseOf(header)
  return {
    count: figureOf(header),
    base: base !== null && headers.includes(base, 1) ? figureOf(base) : null,
  }
}

/** Returns the change of a figure in one row; undefined while its figures are on their way. */
export type RowChanges = (figure: ComparedFigure) => Change | undefined

const waiting: RowChanges = () => undefined

/** Compares a row with its earlier cells. */
export function changesOf(row: TableRow, before: RowsBefore | null): RowChanges {
  const then = before?.cellsOf(row)
  if (!before || then === undefined) return before?.failure ? () => unknownChange : waiting
  const nowAt = ({ header, place }: TableFigure) => before.nowOf(row, header, row.cells[place])
  const thenAt = ({ header }: TableFigure) => then?.[before.placeOf(header)]
  return ({ count, base }) =>
    changeOf(
      count.header,
      { count: nowAt(count), base: base ? nowAt(base) : null },
      then && { count: thenAt(count), base: base ? thenAt(base) : null },
      { lengths: before.lengths },
    )
}
