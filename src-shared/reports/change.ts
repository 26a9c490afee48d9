import type { Cell, Count } from '../api/answers.ts'
import { isPerDay } from './compared-periods.ts'
import type { Lengths } from './compared-periods.ts'
import { rateOf } from './rates.ts'

/** A count of some days, and that of which its rate is a share; `of` is null where it has no rate. */
export type Measured = { readonly count: Cell | undefined; readonly of: Cell | undefined }

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
  /** Rates in percent, with two decimals. */
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
export const isJudged = (header: string): boolean => better.has(header) || worse.has(header)

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

export type HowCompared = {
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
    const base = numberIn(side?.of)
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

/** A difference as it is written: per day with at most two decimals, else as it is. */
export const roundedChange = ({ difference, perDay }: Change): Count =>
  perDay && difference !== null ? Math.round(difference * 100) / 100 : difference

/** The difference of two rates in percentage points, with two decimals as rates have; null where either is not known. */
export function pointsBetween(rate: number | null, before: number | null): number | null {
  return rate === null || before === null ? null : Math.round((rate - before) * 100) / 100
}

const CHANGE = / change$/

/** What a column is called that tells by how much another one has changed. */
export const changeHeader = (header: string): string => `${header} change`

/** The header of the column whose change a header names; null where it names none. */
export const changedHeader = (header: string): string | null =>
  CHANGE.test(header) ? header.replace(CHANGE, '') : null
