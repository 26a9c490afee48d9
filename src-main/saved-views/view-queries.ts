import * as v from 'valibot'
import { range as rangeSchema } from '#shared/bridge/schemas.ts'
import type { OverviewQuery, ReportQuery, TableQuery } from '#shared/reports/query.ts'
import { explaining } from '#shared/reports/explain-answer.ts'
import { isComposed, plainTable, queryKey, ruleMixQuery, subjectOf } from '#shared/reports/query.ts'
import { invalid } from '#shared/api/failure.ts'
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

const pathOf = (address: string) => address.split('?', 1)[0]

/** Whether an address names a view of this version. Another path, such as a report of a newer version, is parsed as another view. */
export const isKnownView = (address: string): boolean =>
  pathOf(writeAddress(readAddress(address))) === pathOf(address)

/**
 * Returns the queries to store so that a view can be read offline: the subjects of everything it shows, over its days and the compared
 * days. `today` is the day in the account's zone. Days of a subject that overlap or touch are one query, so that no day counts twice. Empty
 * for a view without figures.
 * @param depth number of last days to store as well
 * @throws DeskFailure if this version does not know the view
 */
export function queriesOf(address: string, today: Day, depth: Depth = null): readonly ReportQuery[] {
  const view = readAddress(address)
  if (!isKnownView(address))
    throw invalid(
      "This version does not know this view's report. Nothing is saved for it. Change or delete the view.",
      'address',
    )
  switch (view.kind) {
    case 'overview':
      return overAll(behindOverview(view, today), [beforeAt(view, today), lastDaysAt(depth, today)])
    case 'reports':
      return overAll(behindReport(view, today), [beforeAt(view, today), lastDaysAt(depth, today)])
    case 'today':
    case 'accounts':
    case 'findings':
    case 'raw':
    case 'rows':
    case 'cases':
    case 'schedules':
    case 'downloads':
    case 'settings':
    case 'connect':
    case 'help':
      return []
  }
}

/** Ends yesterday, as periods do. */
const lastDaysAt = (depth: Depth, today: Day): DayRange | null =>
  depth === null ? null : { start: addDays(today, -depth), end: addDays(today, -1) }

/** Overviews of both families, and the tables of their movers. */
function behindOverview(view: OverviewAddress, today: Day): ReportQuery[] {
  const { movers = 'sessions' } = view
  const moved = familyNames.filter((family) => beforeAt(view, today) && offers(family, movers))
  return [
    ...familyNames.map((family): OverviewQuery => overviewQueryAt(view, family, today)),
    ...moved.map((family) => tableBehind(view, family, movers, today)),
  ]
}

/**
 * Returns the tables of an Overview's workbook that the service has, over the view's days and the compared days. Composed tables
 * are left out: they take a request for each source or campaign.
 */
export function workbookTables(view: OverviewAddress, today: Day): readonly ReportQuery[] {
  const tables = familyNames.flatMap((family) =>
    explaining({ query: overviewQueryAt(view, family, today) }).map((dimension) =>
      tableBehind(view, family, dimension, today),
    ),
  )
  return overAll(
    tables.filter((query) => !isComposed(query)),
    [beforeAt(view, today)],
  )
}

/** The table, and that of its chart: a trend has no rule sets, and their mix nothing else. */
function behindReport(view: ReportAddress, today: Day): ReportQuery[] {
  const query = tableQueryAt(view, today)
  const kind = view.chart?.kind ?? 'top'
  if (kind === 'rules') return [query, ruleMixQuery(query)]
  return query.rules && kind !== 'top' ? [query, { ...query, rules: false }] : [query]
}

/** The whole table, which answers any search, sort or page. */
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

/** Subjects of the queries, each over its own days and the additional ranges. */
function overAll(queries: readonly ReportQuery[], besides: readonly (DayRange | null)[]): ReportQuery[] {
  const whole = queries.map(wholeOf)
  const subjects = new Map(whole.map((query) => [subjectOf(query), query]))
  return [...subjects.values()].flatMap((query) => {
    // An address comes from the disk: its days are checked before they are counted.
    const ranges = [query.range, ...besides]
      .filter((beside) => beside !== null)
      .filter((beside) => v.is(rangeSchema, beside))
    return joined(ranges).map((range) => ({ ...query, range }))
  })
}

/**
 * Maximum days of a look, because each day takes a request or more. More days are saved only on request, after showing the cost. A month is
 * the longest period that is viewed every day.
 */
const longestLook = 31

/** Reduces an address to the days and tables that it shows; null for a view without figures. */
export function lookAddress(text: string): string | null {
  const view = readAddress(text)
  if (view.kind !== 'overview' && view.kind !== 'reports') return null
  const { period, compare, instance, source, campaign } = view
  const shared = { period, compare, instance, source, campaign }
  if (view.kind === 'overview') {
    const { movers } = view
    return writeAddress({ ...plainOverview, ...shared, ...(movers && { movers }) })
  }
  const { family, dimension, filters, rules } = view
  return writeAddress({ ...plainReport, ...shared, family, dimension, filters, rules })
}

/**
 * Returns the queries that are saved day by day for a look: its tables and the compared ones. An overview is saved as tables of instances,
 * which contain each instance too. Composed tables are omitted: they are already fetched by day.
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

/** Merges ranges that overlap or touch. Newest first. */
export function joined(ranges: readonly DayRange[]): DayRange[] {
  const runs: DayRange[] = []
  for (const range of ranges.toSorted((a, b) => (a.start < b.start ? -1 : 1))) {
    const last = runs.at(-1)
    if (!last || range.start > addDays(last.end, 1)) runs.push(range)
    else if (range.end > last.end) runs[runs.length - 1] = { start: last.start, end: range.end }
  }
  return runs.reverse()
}
