import * as v from 'valibot'
import { range as rangeSchema } from '#shared/bridge/schemas.ts'
import type { OverviewQuery, ReportQuery, TableQuery } from '#shared/reports/query.ts'
import { isComposed, plainTable, queryKey, subjectOf } from '#shared/reports/query.ts'
import { offers, familyNames } from '#shared/api/dimensions.ts'
import { addDays, lengthOf } from '#shared/values/day.ts'
import type { Day, DayRange } from '#shared/values/day.ts'
import {
  beforeAt,
  overviewQueryAt,
  plainOverview,
  plainReport,
  readAddress,
  tableBehind,
  tableQueryAt,
  writeAddress,
} from '#shared/views/address.ts'
import { noComparison, rangeOf } from '#shared/views/period.ts'
import type { Depth } from '#shared/views/saved-views.ts'
import type { OverviewAddress, ReportAddress } from '#shared/views/view-address.ts'

/**
 * What has to be kept whole so that a view can be read offline, on the day that `today` is in the account's zone: the
 * subjects of everything it shows, over its days and those it compares with. Days of one subject that overlap or touch
 * are one query, so that none is counted twice. Nothing for what is no view of figures.
 * @param depth how many of the last days are kept as well
 */
export function queriesOf(address: string, today: Day, depth: Depth = null): readonly ReportQuery[] {
  const view = readAddress(address)
  switch (view.kind) {
    case 'overview':
      return overAll(behindOverview(view, today), [beforeAt(view, today), lastDaysAt(depth, today)])
    case 'reports':
      return overAll(behindReport(view, today), [beforeAt(view, today), lastDaysAt(depth, today)])
    case 'accounts':
    case 'raw':
    case 'rows':
    case 'cases':
    case 'downloads':
    case 'settings':
    case 'connect':
    case 'help':
      return []
  }
}

/** The last days end yesterday, as those of periods do. */
const lastDaysAt = (depth: Depth, today: Day): DayRange | null =>
  depth === null ? null : { start: addDays(today, -depth), end: addDays(today, -1) }

/** The days of both families, and the tables whose rows moved. */
function behindOverview(view: OverviewAddress, today: Day): ReportQuery[] {
  const moved = familyNames.filter((family) => beforeAt(view, today) && offers(family, view.movers))
  return [
    ...familyNames.map((family): OverviewQuery => overviewQueryAt(view, family, today)),
    ...moved.map((family) => tableBehind(view, family, view.movers, today)),
  ]
}

/** The table; and without its rule sets what its trend is drawn from, because they are no part of a trend. */
function behindReport(view: ReportAddress, today: Day): ReportQuery[] {
  const query = tableQueryAt(view, today)
  const drawn = query.rules && view.chart !== null && view.chart.kind !== 'top'
  return drawn ? [query, { ...query, rules: false }] : [query]
}

/** Whatever is searched, sorted or paged in it: the whole table answers it. */
function wholeOf(query: ReportQuery): ReportQuery {
  if (query.kind === 'overview') return query
  const { family, dimension, range, instance, source, campaign, filters, rules } = query
  const whole: TableQuery = {
    ...plainTable,
    family,
    dimension,
    range,
    instance,
    source,
    campaign,
    filters,
    rules,
    whole: true,
  }
  return whole
}

/** The subjects of these queries, each over its own days and these besides. */
function overAll(queries: readonly ReportQuery[], besides: readonly (DayRange | null)[]): ReportQuery[] {
  const whole = queries.map(wholeOf)
  const subjects = new Map(whole.map((query) => [subjectOf(query), query]))
  return [...subjects.values()].flatMap((query) => {
    // An address lies on the disk: what it says of days is checked before they are counted.
    const ranges = [query.range, ...besides]
      .filter((beside) => beside !== null)
      .filter((beside) => v.is(rangeSchema, beside))
    return joined(ranges).map((range) => ({ ...query, range }))
  })
}

/**
 * More days than this are saved by wish alone, with their cost said first: each is a request at least. A month is the longest
 * that is looked at every day.
 */
const longestLook = 31

/** An address as far as it says which days of which tables are looked at; null for what is no view of figures. */
export function lookAddress(text: string): string | null {
  const view = readAddress(text)
  if (view.kind !== 'overview' && view.kind !== 'reports') return null
  const { period, compare, instance, source, campaign } = view
  const shared = { period, compare, instance, source, campaign }
  if (view.kind === 'overview') return writeAddress({ ...plainOverview, ...shared, movers: view.movers })
  const { family, dimension, filters, rules } = view
  return writeAddress({ ...plainReport, ...shared, family, dimension, filters, rules })
}

/**
 * What is saved day by day of a view that was looked at: its tables, and those compared with. An overview's days are told by
 * the tables of its instances, which tell each instance too. Composed tables are left out: they come as days already.
 */
export function queriesOfLook(address: string, today: Day): readonly ReportQuery[] {
  const view = readAddress(address)
  if (view.kind !== 'overview' && view.kind !== 'reports') return []
  const isLong = (range: DayRange | null) => range !== null && lengthOf(range) > longestLook
  if (isLong(rangeOf(view.period, today))) return []
  const compare = isLong(beforeAt(view, today)) ? noComparison : view.compare
  const queries = queriesOf(writeAddress({ ...view, compare }), today)
    .filter((query) => !isComposed(query))
    .map((query) => (query.kind === 'overview' ? instancesOf(query) : query))
  return [...new Map(queries.map((query) => [queryKey(query), query])).values()]
}

const instancesOf = ({ family, range, source, campaign }: OverviewQuery): TableQuery => ({
  ...plainTable,
  ...{ family, dimension: 'sessions', range, source, campaign, whole: true },
})

/** The same days as runs that neither overlap nor touch, the newest first. */
export function joined(ranges: readonly DayRange[]): DayRange[] {
  const runs: DayRange[] = []
  for (const range of ranges.toSorted((a, b) => (a.start < b.start ? -1 : 1))) {
    const last = runs.at(-1)
    if (!last || range.start > addDays(last.end, 1)) runs.push(range)
    else if (range.end > last.end) runs[runs.length - 1] = { start: last.start, end: range.end }
  }
  return runs.reverse()
}
