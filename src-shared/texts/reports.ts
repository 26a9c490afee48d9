import type { Cell } from '../api/answers.ts'
import type { DayAge, Provenance, RatesBy, ReportAnswer, UnsettledDays } from '../reports/answer.ts'
import { comparedLengths, isPerDay } from '../reports/change.ts'
import type { ComparedDays, ComparedPeriods } from '../reports/change.ts'
import type { WaysToWrite } from '../reports/figure-facts.ts'
import { nameOf } from '../reports/query.ts'
import type { ColumnSort } from '../reports/query.ts'
import { rateHeader } from '../reports/rows.ts'
import type { BaseOf } from '../reports/rows.ts'
import { addDays, daysBetween } from '../values/day.ts'
import type { Day, DayRange } from '../values/day.ts'
import type { ChartKind } from '../views/view-address.ts'
import type { Formats } from './formats.ts'

/** What is compared: all whole days of two periods, or some pairs of them where days are missing. */
type Compared = {
  readonly periods: ComparedPeriods
  readonly compared: ComparedDays | null
  /** Whether the figures to compare are of another moment than those shown. */
  readonly isOfOtherMoment?: boolean
}

/** How a run of days, several runs, and a number are written where the words stand. */
type Written = {
  readonly days: (range: DayRange) => string
  readonly count: (value: number) => string
}

/**
 * What has to be said of a comparison beside its figures, a sentence each; nothing where all days of two periods of one length
 * are compared.
 */
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

/** The same in one text. */
export const comparedWords = (compared: Compared, written: Written): string =>
  comparedSentences(compared, written).join(' ')

/** Over which days two periods are compared of which some are missing: `Compares 4 of 7 days: those saved for both periods.` */
function pairWords({ days, total, against }: ComparedDays, count: (value: number) => string): string {
  if (days === 0) return 'Nothing is compared: no day is saved for both periods.'
  if (against)
    return `Compares ${count(days)} of ${count(total)} days with ${count(against.days)} of ${count(against.total)}: those saved.`
  return `Compares ${count(days)} of ${count(total)} days: those saved for both periods.`
}

/** More runs of days than this are counted, not named. */
const MAX_RUNS = 6

/** Days as runs of days; they are in order of the calendar. */
function runsOf(some: readonly Day[]): readonly DayRange[] {
  const runs: { start: Day; end: Day }[] = []
  for (const day of some) {
    const last = runs.at(-1)
    if (last && addDays(last.end, 1) === day) last.end = day
    else runs.push({ start: day, end: day })
  }
  return runs
}

/** Names the holes: `27 of 31 days; missing: Nov 3 – 6, 2026`. `missing` is in order of the calendar. */
export function missingDays(missing: readonly Day[], all: number, { days, count }: Written): string {
  const runs = runsOf(missing)
  const more = runs.length - MAX_RUNS
  const named = runs.slice(0, MAX_RUNS).map(days).join(', ')
  const rest = more > 0 ? ` and ${count(more)} more ${more === 1 ? 'run' : 'runs'} of days` : ''
  return `${count(all - missing.length)} of ${count(all)} days; missing: ${named}${rest}`
}

/** While the service cannot be asked, only saved days can be compared with. */
export const notComparedOffline = (range: DayRange, { days }: Written): string =>
  `Can't compare with ${days(range)}: these days are not saved.`

/** Where figures come from, in a line of words: nobody has to guess who added or divided. */
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
        : `Combined from ${count(stored)} saved days, the oldest updated ${fetched}`
    }
  }
}

/** Of what figures are made that were not saved day by day: `Combined from Nov 13 – 16, 2026, saved as one, and 3 saved days`. */
function spanWords(spans: readonly DayRange[], stored: number, { days, count }: Written): string {
  const single = stored - spans.reduce((all, { start, end }) => all + daysBetween(start, end) + 1, 0)
  const runs = `${spans.map(days).join(' and ')}, ${spans.length === 1 ? 'saved as one' : 'each saved as one'}`
  if (single <= 0) return `${spans.length === 1 ? 'Computed' : 'Combined'} from ${runs}`
  return `Combined from ${runs}, and ${count(single)} saved ${single === 1 ? 'day' : 'days'}`
}

/** When the figures of which days were fetched, the newest days first. */
export const agesOf = ({ ages, fetchedAt }: Provenance, range: DayRange): readonly DayAge[] =>
  ages ? ages.toReversed() : [{ range, fetchedAt }]

/** Days in words: `Nov 18, 2026, Nov 20 – 22, 2026`. They are in order of the calendar. */
export const daysInWords = (some: readonly Day[], { days }: Pick<Written, 'days'>): string =>
  runsOf(some).map(days).join(', ')

/** That days are not over: `Nov 22, 2026 is still in progress (counted to 6:42 AM).` Null where all are. */
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

/** How what is known of figures is written. @param now 0 where nobody looks at it today, as on pages */
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

/** Of what a table's rates are shares, and who computed them; empty where it has none. */
export function ratesWords(ratesBy: RatesBy, headers: readonly string[], baseOf: BaseOf): string[] {
  const words = ratesAre[ratesBy]
  if (words === null) return []
  const rated = headers.filter((header) => headers.includes(rateHeader(header)))
  const bases = [...new Set(rated.flatMap((header) => baseOf(header) ?? []))]
  return [...(bases.length > 0 ? [`Rates are of ${bases.join(' or ')}`] : []), words]
}

/**
 * What came, for those who do not see the table change: how many rows of which report, in which order, which page.
 * @param sort the order that holds, also where nobody chose one
 */
export function rowsInWords(
  { query, figures }: Pick<Extract<ReportAnswer, { kind: 'table' }>, 'query' | 'figures'>,
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

/** How a chart is drawn. */
export const chartKindWords: Readonly<Record<ChartKind, string>> = {
  rate: 'Rate',
  stacked: 'Parts',
  share: 'Shares',
  lines: 'Counts',
  top: 'Top rows',
}

/** Why there is no share where a dash stands: `no requests`; nothing where both counts give one. @param whole of what, by its name */
export function noShareWords(part: Cell | undefined, all: Cell | undefined, whole: string): string {
  const name = whole.toLowerCase()
  if (typeof part === 'string') return 'not a number'
  if (typeof part !== 'number') return 'not reported'
  if (part < 0) return 'below zero'
  if (typeof all !== 'number') return `${name} not known`
  return all > 0 ? '' : all === 0 ? `no ${name}` : `${name} below zero`
}
