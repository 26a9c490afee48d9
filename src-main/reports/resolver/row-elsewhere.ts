import { offers } from '#shared/api/dimensions.ts'
import type { CallArgument } from '#shared/bridge/calls.ts'
import type { BeforeAnswer, OverviewReport, RowsOfLabels, TrendAnswer } from '#shared/reports/answer.ts'
import { plainTable } from '#shared/reports/query.ts'
import type { OverviewQuery, ReportQuery, TableQuery } from '#shared/reports/query.ts'
import { labelKey } from '#shared/reports/rows.ts'
import { computeFrom } from '../coverage/plan.ts'
import { chartOf, sumOfDays, trendFrom } from '../engine/totals.ts'
import type { RowOfDay } from '../engine/table-calls.ts'
import type { DayTotals } from '../engine/totals.ts'
import { chartedQuery, overRange, provenanceOf } from './figures-of-query.ts'
import type { ResolverContext } from './resolver-context.ts'
import { rowsBefore } from './rows-of-query.ts'
import { computedElsewhere, needOf, tableBeyondRow, totalOfRow, totalsAnywhere } from './saved-elsewhere.ts'
import type { AwayService } from './saved-elsewhere.ts'

/** A row of a table, by its key (rows.ts: labelKey). */
type RowOfTable = { readonly table: TableQuery; readonly key: string }

/**
 * Reads one row of a table day by day.
 * @param read figures of a day
 * @returns null if no single day is stored
 */
export async function rowByDay<F>(
  context: ResolverContext,
  { table, key }: RowOfTable,
  away: AwayService,
  read: (row: RowOfDay) => F,
): ReturnType<typeof computedElsewhere<readonly F[]>> {
  const need = needOf(context, away.account, table, 'whole days')
  const found = await computedElsewhere(context, need, away, ([plan], ending) =>
    context.engine.call('rowByDay', { tables: plan?.tables ?? [], key }, ending),
  )
  return found && { ...found, figures: found.figures.map(read) }
}

/** Totals of a day. A day whose table lacks the row counts as zero. */
const totalsOfDay =
  (table: TableQuery) =>
  ({ day, headers, all, cells }: RowOfDay): DayTotals => {
    const columns = headers.slice(1)
    // A column that the service does not count is null, not zero.
    const nothing = columns.map((_, place) => (all?.[place] === null ? null : 0))
    return { range: { start: day, end: day }, total: totalOfRow(table, columns, cells ?? nothing) }
  }

/** The only row that a table query is limited to, with the unlimited table. */
export function requestedRow(query: ReportQuery): RowOfTable | null {
  const table = tableBeyondRow(query)
  const [text] = query.kind === 'table' ? Object.values(query.filters) : []
  return table && text !== undefined ? { table, key: labelKey({ kind: 'text', text }) } : null
}

/**
 * Answers a daily chart from stored tables of another query: a row from the whole table, or everything from any table with the
 * same totals. Sends no requests.
 * @returns null if no table has any of the days
 */
export async function trendElsewhere(
  context: ResolverContext,
  request: ReportQuery,
  away: AwayService,
): Promise<TrendAnswer | null> {
  const query = chartedQuery(request)
  if (query.kind === 'overview') return await trendOfTotals(context, query, away)
  const row = requestedRow(query)
  const found = row && (await rowByDay(context, row, away, totalsOfDay(row.table)))
  if (!found) return null
  const chart = chartOf(found.figures, query.family, query.dimension)
  return { chart: overRange(chart, query.range), provenance: found.provenance }
}

async function trendOfTotals(
  context: ResolverContext,
  query: OverviewQuery,
  away: AwayService,
): Promise<TrendAnswer | null> {
  const catalogued = totalsAnywhere(context, away.account, query)
  const need = { catalogued, range: query.range, asSeen: true }
  const found = await computedElsewhere(context, need, away, ([plan]) =>
    Promise.resolve(trendFrom(plan?.tables ?? [], query)),
  )
  return found && { chart: overRange(found.figures, query.range), provenance: found.provenance }
}

/** Answers what a single row is compared with, from the whole table. Sends no requests. */
export async function beforeElsewhere(
  context: ResolverContext,
  request: CallArgument<'reports/before'>,
  { failure, signal }: AwayService,
): Promise<BeforeAnswer | null> {
  const row = requestedRow(request.query)
  if (row === null) return null
  const labels = [row.key, ...request.labels]
  const { needs, shows, compute, show } = rowsBefore(context, { ...request, query: row.table, labels })
  const { figures, plans } = await computeFrom(context, needs, compute, signal)
  const [plan] = plans
  if (figures === null || !plan) return null
  const { sides, ...rest } = figures
  const shown = sides && { now: sides.now && onlyFirst(sides.now), before: onlyFirst(sides.before) }
  const needed = { needs, ...(shows && { shows }), isOther: true }
  return show({ ...rest, sides: shown }, await provenanceOf(context, needed, plans, failure))
}

/** Takes the first row as the total. */
const onlyFirst = ({ headers, rows: [first, ...rows] }: RowsOfLabels): RowsOfLabels => ({
  headers,
  all: first ?? null,
  rows,
})

/** Answers the overview of one instance from stored tables of all instances. Sends no requests. */
export async function overviewOfInstance(
  context: ResolverContext,
  query: OverviewQuery,
  away: AwayService,
): Promise<OverviewReport | null> {
  const { family, range, instance: id, source, campaign } = query
  if (id === null || !offers(family, 'sessions')) return null
  const table: TableQuery = { ...plainTable, family, dimension: 'sessions', range, source, campaign }
  const key = labelKey({ kind: 'instance', id, name: '' })
  const found = await rowByDay(context, { table, key }, away, totalsOfDay(table))
  if (!found) return null
  const { figures: days, provenance } = found
  return {
    kind: 'overview',
    query,
    figures: {
      total: sumOfDays(days.map(({ total }) => total)),
      chart: query.chart ? chartOf(days, family) : null,
      query: {},
      unknown: {},
    },
    provenance,
  }
}
