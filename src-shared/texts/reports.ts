import type { Cell } from '../api/answers.ts'
import type { DayAge, Provenance, RatesBy, TableReport, UnsettledDays } from '../reports/answer.ts'
import { comparedLengths, isPerDay } from '../reports/change.ts'
import type { ComparedDays, ComparedPeriods } from '../reports/change.ts'
import type { WaysToWrite } from '../reports/figure-facts.ts'
import { nameOf } from '../reports/query.ts'
import type { ColumnSort } from '../reports/query.ts'
import { rateHeader } from '../reports/rows.ts'
import type { BaseOf } from '../reports/rows.ts'
import { dayRuns, daysBetween } from '../values/day.ts'
import type { Day, DayRange } from '../values/day.ts'
import type { ChartKind } from '../views/view-address.ts'
import type { Formats } from './formats.ts'

/** A comparison of two periods, with the number of compared days if some are missing. */
type Compared = {
  readonly periods: ComparedPeriods
  readonly compared: ComparedDays | null
  /** Whether the compared figures were fetched at another time than those shown. */
  readonly isOfOtherMoment?: boolean
}

/** Formatters for days and numbers. */
type Written = {
  readonly days: (range: DayRange) => string
  readonly count: (value: number) => string
}

/** Returns the limits of a comparison as sentences. Empty if all days of two equally long periods are compared. */
export function comparedSentences(
  { periods, compared, isOfOtherMoment = false }: Compared,
  { days, count }: Written,
): string[] {
  const open = periods.leftOut.map((day) => days({ start: day, end: day })).join(', ')
  const isOne = periods.leftOut.length === 1
  if (periods.kind === 'nothing')
    return [`Nothing is compared: ${open} ${isOne ? 'is' : 'are'} still in progress.`]
  if (isOfOtherMoment)
    return ['Nothing is compared: the figures to compare are from another time than those shown.']
  const lengths = comparedLengths(periods, compared)
  return [
    ...(open === ''
      ? []
      : [
          `Compares ${days(periods.now)} with ${days(periods.before)}. Left out: ${open}, still in progress.`,
        ]),
    ...(compared ? [pairWords(compared, count)] : []),
    ...(isPerDay(lengths)
      ? [`Changes are per day: ${count(lengths.now)} days against ${count(lengths.before)}.`]
      : []),
  ]
}

/** Returns the same sentences as one text. */
export const comparedWords = (compared: Compared, written: Written): string =>
  comparedSentences(compared, written).join(' ')

/** Returns the number of compared days if some are missing: `Compares 4 of 7 days: those saved for both periods.` */
function pairWords({ days, total, against }: ComparedDays, count: (value: number) => string): string {
  if (days === 0) return 'Nothing is compared: no day is saved for both periods.'
  if (against)
    return `Compares ${count(days)} of ${count(total)} days with ${count(against.days)} of ${count(against.total)}: those saved.`
  return `Compares ${count(days)} of ${count(total)} days: those saved for both periods.`
}

/** Says how many of the days shown a change is of; empty if of all. */
export const changeDaysWords = (
  compared: number,
  shown: number,
  { count }: Pick<Written, 'count'>,
): string => (compared === shown || compared === 0 ? '' : `over ${count(compared)} of ${count(shown)} days`)

/** Maximum number of runs of days that are named. */
const MAX_RUNS = 6

/** Names the missing days: `27 of 31 days; missing: Nov 3 – 6, 2026`. `missing` is in calendar order. */
export function missingDays(missing: readonly Day[], all: number, { days, count }: Written): string {
  const runs = dayRuns(missing)
  const more = runs.length - MAX_RUNS
  const named = runs.slice(0, MAX_RUNS).map(days).join(', ')
  const rest = more > 0 ? ` and ${count(more)} more ${more === 1 ? 'run' : 'runs'} of days` : ''
  return `${count(all - missing.length)} of ${count(all)} days; missing: ${named}${rest}`
}

/** Without a connection, only saved days can be compared. */
export const notComparedOffline = (range: DayRange, { days }: Written): string =>
  `Can't compare with ${days(range)}: these days are not saved.`

/** Returns the origin of figures in one line. */
export function originWords(
  { from, fetchedAt, missing, spans = [] }: Provenance,
  total: number,
  now: number,
  formats: Formats,
): string {
  const { count, moment } = formats
  const fetched = moment(fetchedAt, now)
  switch (from) {
    case 'service':
      return `Updated ${fetched}`
    case 'stored':
      return `Saved, updated ${fetched}`
    case 'computed': {
      const stored = total - missing.length
      if (spans.length > 0) return `${spanWords(spans, stored, formats)}, updated ${fetched}`
      return stored === 1
        ? `Computed from a saved day, updated ${fetched}`
        : `Combined from ${count(stored)} saved days, updated ${fetched}`
    }
  }
}

/** `Combined from Nov 13 – 16, 2026, saved as one, and 3 saved days`. */
function spanWords(spans: readonly DayRange[], stored: number, { days, count }: Written): string {
  const single = stored - spans.reduce((all, { start, end }) => all + daysBetween(start, end) + 1, 0)
  const runs = `${spans.map(days).join(' and ')}, ${spans.length === 1 ? 'saved as one' : 'each saved as one'}`
  if (single <= 0) return `${spans.length === 1 ? 'Computed' : 'Combined'} from ${runs}`
  return `Combined from ${runs}, and ${count(single)} saved ${single === 1 ? 'day' : 'days'}`
}

/** Returns fetch times by run of days, newest days first. */
export const agesOf = ({ ages, fetchedAt }: Provenance, range: DayRange): readonly DayAge[] =>
  ages ? ages.toReversed() : [{ range, fetchedAt }]

/** Returns days as text: `Nov 18, 2026, Nov 20 – 22, 2026`. The days are in calendar order. */
export const daysInWords = (some: readonly Day[], { days }: Pick<Written, 'days'>): string =>
  dayRuns(some).map(days).join(', ')

/** Names unfinished days: `Nov 22, 2026 is still in progress (counted to 6:42 AM).` Null if there are none. */
export function openWords(
  { open }: Pick<UnsettledDays, 'open'>,
  fetchedAt: number,
  now: number,
  formats: Formats,
): string | null {
  if (open.length === 0) return null
  const are = open.length === 1 ? 'is' : 'are'
  return `${daysInWords(open, formats)} ${are} still in progress (counted to ${formats.moment(fetchedAt, now)}).`
}

/** Returns the formatters for figure facts. @param now 0 to always include the date, as in print */
export const waysToWrite = (formats: Formats, now: number): WaysToWrite => ({
  days: formats.days,
  someDays: (some) => daysInWords(some, formats),
  moment: (instant) => formats.moment(instant, now),
  count: formats.count,
})

const ratesAre: Readonly<Record<RatesBy, string | null>> = {
  service: 'Rates from the service',
  desk: 'Rates computed by Traffic Desk',
  nobody: null,
}

/** Returns the bases and the source of a table's rates; empty without rates. */
export function ratesWords(ratesBy: RatesBy, headers: readonly string[], baseOf: BaseOf): string[] {
  const words = ratesAre[ratesBy]
  if (words === null) return []
  const rated = headers.filter((header) => headers.includes(rateHeader(header)))
  const bases = [...new Set(rated.flatMap((header) => baseOf(header) ?? []))]
  return [...(bases.length > 0 ? [`Percent of ${bases.join(' or ').toLowerCase()}`] : []), words]
}

/**
 * Returns a table's content for screen readers: number of rows, report, order and page.
 * @param sort the effective order, also if it is the default
 */
export function rowsInWords(
  { query, figures }: Pick<TableReport, 'query' | 'figures'>,
  sort: readonly ColumnSort[],
  { count }: Pick<Written, 'count'>,
): string {
  const { results, pages } = figures.query
  const rows = `${count(results)} ${results === 1 ? 'row' : 'rows'} of ${nameOf(query)}`
  const order = sort.map(
    ({ header, direction }) => `${header} ${direction === 'asc' ? 'ascending' : 'descending'}`,
  )
  const sorted = results > 1 ? `, by ${order.join(', then ')}` : ''
  const page = !query.whole && pages > 1 ? `, page ${count(query.page)} of ${count(pages)}` : ''
  return `${rows}${sorted}${page}`
}

/** Labels of the chart kinds. */
export const chartKindWords: Readonly<Record<ChartKind, string>> = {
  rate: 'Rate',
  stacked: 'Parts',
  share: 'Shares',
  lines: 'Counts',
  rules: 'Rule sets',
  top: 'Top rows',
}

/** Returns why there is no share: `no requests`; empty if there is one. @param whole name of the base */
export function noShareWords(part: Cell | undefined, all: Cell | undefined, whole: string): string {
  const name = whole.toLowerCase()
  if (typeof part === 'string') return 'not a number'
  if (typeof part !== 'number') return 'not reported'
  if (part < 0) return 'below zero'
  if (typeof all !== 'number') return `${name} not known`
  return all > 0 ? '' : all === 0 ? `no ${name}` : `${name} below zero`
}
