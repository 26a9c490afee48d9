import type { StoredTable } from '#main/database/cache/catalogue-repository.ts'
import type { Cell, Count, TableAnswer, TableRow, Totals } from '#shared/api/answers.ts'
import {
  composedOf,
  dimensionEntry,
  headersOf,
  totalsOf,
  offers,
  serviceDimensions,
} from '#shared/api/dimensions.ts'
import type { Failure } from '#shared/api/failure.ts'
import { failureMeanings } from '#shared/api/failure-meanings.ts'
import type { CallArgument } from '#shared/bridge/calls.ts'
import type {
  Provenance,
  ReportAnswer,
  RowsOfLabels,
  ComparedSide,
  PairedAnswer,
  TableReport,
  OverviewReport,
} from '#shared/reports/answer.ts'
import { headerOf } from '#shared/reports/overview-figures.ts'
import { plainTable } from '#shared/reports/query.ts'
import type { TableQuery, OverviewQuery, ReportQuery } from '#shared/reports/query.ts'
import { rateHeader, labelKey } from '#shared/reports/rows.ts'
import { lengthOf } from '#shared/values/day.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { pairsOf } from '../coverage/comparison.ts'
import { computeFrom, doubtIn } from '../coverage/plan.ts'
import type { Catalogued, Compute, Kind, Need } from '../coverage/plan.ts'
import type { Computed } from '../engine/table-calls.ts'
import { overviewFrom } from '../engine/totals.ts'
import { tableOfQuery, kindFor, overviewOfQuery, provenanceOf } from './figures-of-query.ts'
import type { ResolverContext } from './resolver-context.ts'
import { snapshotOfQuery } from './snapshot-of-query.ts'
import type { SnapshotAnswer, SnapshotOptions, SnapshotRequest } from './snapshot-of-query.ts'

/** Whether stored tables of other queries may help after a failure: also while the service itself has a problem. */
export const isAway = (failure: Failure | null): boolean =>
  failure !== null && (failureMeanings[failure.kind].away || isOfService(failure))

const isOfService = ({ kind }: Failure): boolean => kind === 'timed-out' || kind === 'server-trouble'

/** Why the service does not answer an account's query; null if it is not asked. Saved tables are searched in its place until `signal`. */
export type AwayService = {
  readonly account: AccountId
  readonly failure: Failure | null
  readonly signal: AbortSignal
}

/** Computes from stored tables of another query. Null if no table has any of the days. */
export async function computedElsewhere<F>(
  context: ResolverContext,
  need: Need,
  { failure, signal }: AwayService,
  compute: Compute<F>,
): Promise<{ readonly figures: F; readonly provenance: Provenance } | null> {
  const { figures, plans } = await computeFrom(context, [need], compute, signal)
  if (figures === null) return null
  return {
    figures,
    provenance: await provenanceOf(context, { needs: [need], isOther: true }, plans, failure),
  }
}

/**
 * Answers a table query from stored tables of another query: from tables with rule sets if it has none, or from the whole table
 * if it is limited to one row. Sends no requests.
 * @returns the answer with the fewest missing days; null if no table has any of the days
 */
export async function savedElsewhere(
  context: ResolverContext,
  query: TableQuery,
  away: AwayService,
): Promise<TableReport | null> {
  if (composedOf(query.dimension) !== null) return null
  const row = onlyRowOf(query)
  const found = [
    query.rules || query.before ? null : await withoutRules(context, query, away),
    row === null ? null : await rowOf(context, query, row, away),
  ]
  return fewestMissing(found)
}

/**
 * Writes all rows from stored tables of another query. Comparisons are not supported.
 * @returns null if no other stored table has any of the days
 */
export async function snapshotElsewhere(
  context: ResolverContext,
  request: SnapshotRequest,
  away: AwayService,
  options: SnapshotOptions,
): Promise<SnapshotAnswer | null> {
  const { account, query, before } = request
  if (composedOf(query.dimension) !== null || before || query.before) return null
  const row = onlyRowOf(query)
  const report = row === null ? null : await rowOf(context, query, row, away)
  if (report) return { kind: 'page', report }
  if (query.rules) return null
  const from = needOf(context, account, query)
  const params = { ...request, query: { ...query, rules: true } }
  const { compute, show } = snapshotOfQuery(context, params, { ...options, from, standardOnly: true })
  const found = await computedElsewhere(context, from, away, compute)
  if (!found) return null
  const answer = show(found.figures, found.provenance)
  return { ...answer, report: { ...answer.report, query } }
}

/** The answer with the fewest missing days. */
export const fewestMissing = <A extends Pick<ReportAnswer, 'provenance'>>(
  found: readonly (A | null)[],
): A | null =>
  found
    .filter((item) => item !== null)
    .toSorted((one, other) => one.provenance.missing.length - other.provenance.missing.length)[0] ?? null

/** The unlimited table of a query that is limited to one row; null for other queries. */
export function tableBeyondRow(query: ReportQuery): TableQuery | null {
  return query.kind === 'table' && onlyRowOf(query) !== null ? { ...query, filters: {} } : null
}

/** The only row that a query is limited to; null for other queries. */
function onlyRowOf({ dimension, filters, search, where, without }: TableQuery): string | null {
  const [first] = Object.keys(dimensionEntry(dimension).filters)
  const [[name, value], ...more] = [...Object.entries(filters), [null, ''] as const]
  const alone = more.length === 1 && name === first
  // The order of a single row does not matter.
  return alone && search === null && (where?.length ?? 0) === 0 && (without?.length ?? 0) === 0 ? value : null
}

/** Need that accepts tables with rule sets, and tables without if the query has none. */
export function needOf(
  { catalogue }: ResolverContext,
  account: AccountId,
  query: TableQuery,
  kind: Extract<Kind, 'whole' | 'whole days'> = 'whole',
): Need {
  const catalogued = catalogue.subject(account, { ...query, rules: true }, kind)
  const others = query.rules ? [] : [catalogue.subject(account, query, kind)]
  return { catalogued: together(catalogued, [...others, catalogued]), range: query.range, asSeen: true }
}

/** A subject with the tables of several subjects. */
const together = (catalogued: Catalogued, all: readonly Catalogued[]): Catalogued => ({
  ...catalogued,
  list: async () => (await Promise.all(all.map((subject) => subject.list()))).flat(),
  provisional: async () => (await Promise.all(all.map((subject) => subject.provisional()))).flat(),
})

/** Places of the wanted columns in a table: rule sets only if the query has them. */
function placesIn({ family, dimension, rules }: TableQuery, headers: readonly string[]): readonly number[] {
  const standard = headersOf(family, dimension).slice(1)
  const named = new Set(standard.flatMap((header) => [header, rateHeader(header)]))
  return headers.flatMap((header, place) => (place > 0 && (rules || named.has(header)) ? [place] : []))
}

/** A table without rule-set columns, which are all columns that the specification does not name. */
async function withoutRules(
  context: ResolverContext,
  query: TableQuery,
  away: AwayService,
): Promise<TableReport | null> {
  const { account } = away
  const request: TableQuery = { ...query, rules: true }
  const { compute, show } = tableOfQuery(context, { account, query: request, force: false }, request)
  const found = await computedElsewhere(context, needOf(context, account, query), away, compute)
  const answer = found && show(found.figures, found.provenance)
  if (answer?.kind !== 'table') return null
  const { table } = answer.figures
  const places = placesIn(query, table.headers)
  const taken = (row: TableRow): TableRow => ({
    ...row,
    cells: places.map((place) => row.cells[place - 1] ?? null),
  })
  return {
    ...answer,
    query,
    ...(answer.matching && { matching: taken(answer.matching) }),
    figures: {
      ...answer.figures,
      table: {
        ...table,
        headers: [table.headers[0] ?? '', ...places.map((place) => table.headers[place] ?? '')],
        all: table.all && taken(table.all),
        rows: table.rows.map(taken),
      },
    },
  }
}

/** A table limited to one row, whose totals are those of the row. */
async function rowOf(
  context: ResolverContext,
  query: TableQuery,
  text: string,
  away: AwayService,
): Promise<TableReport | null> {
  const { account } = away
  const request: TableQuery = { ...query, filters: {} }
  const bases = context.accounts.account(account).rateBases?.[query.family] ?? null
  const labels = [labelKey({ kind: 'text', text })]
  const found = await computedElsewhere(context, needOf(context, account, request), away, ([plan], ending) =>
    context.engine.call('rowsOf', { tables: plan?.tables ?? [], query: request, labels, bases }, ending),
  )
  return (
    found && {
      kind: 'table',
      query,
      ratesBy: query.rates ? 'desk' : 'nobody',
      figures: tableOfRow(query, found.figures, text),
      provenance: found.provenance,
    }
  )
}

function tableOfRow(query: TableQuery, { headers, rows }: RowsOfLabels, text: string): TableAnswer {
  const places = placesIn(query, headers)
  const [found] = rows
  const cells = found ? places.map((place) => found[place - 1] ?? null) : null
  const columns = places.map((place) => headers[place] ?? '')
  return {
    total: totalOfRow(query, columns, cells),
    table: {
      headers: [headers[0] ?? '', ...columns],
      all: cells && { label: { kind: 'all', name: null }, cells },
      rows: cells ? [{ label: { kind: 'text', text }, cells }] : [],
    },
    chart: null,
    query: { results: cells ? 1 : 0, pages: 1, echo: {} },
    unknown: {},
  }
}

/** Totals of a row, from its cells; null for counts without a cell. Drops are requests without a response. */
export function totalOfRow(
  { family, dimension }: Pick<TableQuery, 'family' | 'dimension'>,
  columns: readonly string[],
  cells: readonly Cell[] | null,
): Totals {
  const countOf = (header: string): Count => {
    const cell = cells?.[columns.indexOf(header)]
    return typeof cell === 'number' ? cell : null
  }
  const [requests, responses] = [countOf('Requests'), countOf('Responses')]
  const drops = requests === null || responses === null ? null : requests - responses
  return Object.fromEntries(
    totalsOf(family, dimension).map((name) => [
      name,
      name === 'drops' ? drops : countOf(headerOf(family, name)),
    ]),
  )
}

/** Stored tables of an overview and of all tables with the same totals, for the same range and filters. */
export function totalsAnywhere(
  { catalogue }: ResolverContext,
  account: AccountId,
  query: OverviewQuery,
): Catalogued {
  const { family, range, instance, source, campaign } = query
  const own = catalogue.subject(account, query, kindFor(query))
  const names = totalsOf(family)
  const tables = serviceDimensions
    .filter(
      (serviceDimension) =>
        offers(family, serviceDimension) && totalsOf(family, serviceDimension).length === names.length,
    )
    .map((dimension) => ({ ...plainTable, family, dimension, range, instance, source, campaign }))
    .map((table) => catalogue.subject(account, table, own.kind))
  return together(own, [own, ...tables])
}

/**
 * Answers an overview from stored tables of the same days. Sends no requests.
 * @returns null if no table has any of the days
 */
export async function overviewElsewhere(
  context: ResolverContext,
  query: OverviewQuery,
  away: AwayService,
): Promise<OverviewReport | null> {
  const { account } = away
  const { compute, show } = overviewOfQuery(context, { account, query, force: false }, query)
  const need = { catalogued: totalsAnywhere(context, account, query), range: query.range, asSeen: true }
  const found = await computedElsewhere(context, need, away, compute)
  const answer = found && show(found.figures, found.provenance)
  return answer?.kind === 'overview' ? answer : null
}

/** Totals of two ranges over the days that are stored for both, for display with partial figures. Sends no requests. */
export async function pairedFigures(
  context: ResolverContext,
  { account, query, before }: CallArgument<'reports/paired'>,
  signal: AbortSignal,
): Promise<PairedAnswer> {
  const catalogued =
    query.kind === 'overview'
      ? totalsAnywhere(context, account, query)
      : context.catalogue.subject(account, query, kindFor(query))
  const [here, there] = [
    { catalogued, range: query.range },
    { catalogued, range: before },
  ]
  const { figures } = await computeFrom(
    context,
    [here, there],
    async (): Promise<Computed<PairedAnswer>> => {
      const pairs = await pairsOf(context, here, there)
      const { compared, fetchedAt } = pairs
      const doubt = doubtIn([...pairs.now, ...pairs.before], 'totals')
      if (compared.days === 0)
        return { kind: 'computed', figures: { compared, sides: null, fetchedAt, doubt: null } }
      const [now, then] = [sideOf(query, pairs.now), sideOf(query, pairs.before)]
      if (now.kind === 'lacking') return now
      if (then.kind === 'lacking') return then
      const sides = { now: now.figures, before: then.figures }
      return { kind: 'computed', figures: { compared, sides, fetchedAt, doubt } }
    },
    signal,
  )
  const total = lengthOf(query.range)
  return figures ?? { compared: { days: 0, total }, sides: null, fetchedAt: null, doubt: null }
}

function sideOf(query: ReportQuery, tables: readonly StoredTable[]): Computed<ComparedSide> {
  const { family, range, instance, source, campaign } = query
  const totals = { kind: 'overview', family, range, instance, source, campaign, chart: false } as const
  const computed = overviewFrom(tables, totals)
  return computed.kind === 'lacking' ? computed : { ...computed, figures: { total: computed.figures.total } }
}
