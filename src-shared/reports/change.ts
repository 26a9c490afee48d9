import type { Cell, Count, TableRow } from '../api/answers.ts'
import { addDays, daysBetween, daysOf, lengthOf } from '../values/day.ts'
import type { Day, DayRange } from '../values/day.ts'
import { rateOf } from './rows.ts'
import type { BaseOf } from './rows.ts'

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
  readonly total: number
  readonly against?: { readonly days: number; readonly total: number }
}

/** How many of a range's days are over on the day `today`. */
const over = (range: DayRange, today: Day): number =>
  Math.max(0, Math.min(lengthOf(range), daysBetween(range.start, today)))

const firstOf = ({ start }: DayRange, days: number): DayRange => ({ start, end: addDays(start, days - 1) })

/** The days of a range that are not over on the day `today`, in order of the calendar. */
const daysNotOver = (range: DayRange, today: Day): readonly Day[] =>
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

/** What is compared of a range and the days compared with at this moment; null where nothing is. */
export const periodsOf = (range: DayRange, before: DayRange | null, today: Day): ComparedPeriods | null =>
  before && comparedPeriods(range, before, today)

/** Whether a chart lays the days compared with beside the days it shows: only where they are as many, day by day. */
export const canBeDrawn = (periods: Periods | null): periods is Periods =>
  periods !== null && !isPerDay(lengthsOf(periods))

/** A count of some days, and that of which its rate is a share; `of` is null where it has no rate. */
export type Measured = { readonly count: Cell | undefined; readonly base: Cell | undefined }

/** Whether a change is for the better. `none`: it is not judged, or nothing changed. */
export type News = 'good' | 'bad' | 'none'

/** A count of two periods beside each other. Null is what nobody knows. */
export type Change = {
  readonly before: Count
  /** Whether its row was not there before. */
  readonly isNew: boolean
  /** Now less before; per day where `perDay` is set. */
  readonly difference: Count
  /** The difference as a part of before: 0.125 for an eighth more; null where nothing was counted before. */
  readonly proportion: number | null
  /** Whether the sides are of unequal numbers of days, so that the difference and its proportion are per day. */
  readonly perDay: boolean
  /** Rates in percent, not rounded. */
  readonly rate: number | null
  readonly rateBefore: number | null
  /** Rate now less rate before, in percentage points. */
  readonly points: number | null
  readonly news: News
  /** The same of the count beside it: none where the count went the other way than its rate. */
  readonly countNews: News
}

/** Where nothing can be compared. */
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

/** Counts of which more is better, or worse. More of any other is neither. */
const better = new Set(['Good', 'Non-Suspect'])
const worse = new Set(['Bad', 'Suspect', 'Warning'])

/** Whether a count is judged at all. */
const isJudged = (header: string): boolean => better.has(header) || worse.has(header)

const numberIn = (cell: Cell | undefined): Count =>
  typeof cell === 'number' && Number.isFinite(cell) ? cell : null

function minus(now: Count, before: Count): Count {
  return now === null || before === null ? null : numberIn(now - before)
}

/** By the rate where there is one: fewer good requests with a larger share are no bad news. */
function newsOf(header: string, difference: Count, points: number | null): News {
  const grown = Math.sign(points ?? difference ?? 0)
  if (grown === 0 || !isJudged(header)) return 'none'
  return grown > 0 === better.has(header) ? 'good' : 'bad'
}

type HowCompared = {
  /** Of how much a rate has to be to count; a share of less says little. */
  readonly min?: number
  /** How many days either side is of; by default as many. */
  readonly lengths?: Lengths | null
}

/**
 * How a count and its rate have changed. It is the one place where two periods are compared. Counts of unequal numbers of
 * days are compared per day; rates do not depend on how many days they are of.
 * @param before null where there was no such row
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
 * The difference of two rates in percentage points, without what binary fractions add behind the last digit; null where either is not
 * known.
 */
export function pointsBetween(rate: number | null, before: number | null): number | null {
  return rate === null || before === null ? null : Number((rate - before).toPrecision(15))
}

/** What stood in the rows of a table before. */
export type RowsBefore = {
  /** The cells of a row: null where there was no such row, undefined while that is not known. */
  readonly cellsOf: (row: TableRow) => readonly Cell[] | null | undefined
  /** Where a header stands among them; -1 where it does not. */
  readonly placeOf: (header: string) => number
  /** What is compared of a row under a header: its cell that is shown, or where other days are compared another. */
  readonly nowOf: (row: TableRow, header: string, shown: Cell | undefined) => Cell | undefined
  /** How many days either side is of; null while that is not known. */
  readonly lengths: Lengths | null
}

/** A figure of a table: `cells[place]` stands in it. */
export type TableFigure = { readonly header: string; readonly place: number }

/** A count that is compared, and what its rate is a share of; null where it has none that says something. */
export type ComparedFigure = { readonly count: TableFigure; readonly base: TableFigure | null }

/** A count of a table that is compared, by its header. */
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

/** The changes of one row, by figure; undefined while they are not known. */
export type RowChanges = (figure: ComparedFigure) => Change | undefined

const waiting: RowChanges = () => undefined

/** How a row has changed. */
export function changesOf(row: TableRow, before: RowsBefore | null): RowChanges {
  const then = before?.cellsOf(row)
  if (!before || then === undefined) return waiting
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
