import type { Dimension } from '../service/dimensions.ts'
import { dimensionEntry, offers, reportName } from '../service/dimensions.ts'
import type { ArgumentsFor } from '../service/endpoints.ts'
import type { Family } from '../service/families.ts'
import { limits } from '../service/limits.ts'
import type { SortKey } from '../service/parameters.ts'
import { tablePath } from '../service/report-endpoints.ts'
import type { OverviewPath, TablePath } from '../service/report-endpoints.ts'
import { dayToWire } from '../values/day.ts'
import type { DayRange } from '../values/day.ts'
import type { InstanceId } from '../values/ids.ts'

/** What both kinds of query ask for; null where nothing limits. */
type Common = {
  readonly family: Family
  readonly range: DayRange
  readonly instance: InstanceId | null
  readonly source: string | null
  readonly campaign: string | null
  readonly chart: boolean
}

export type OverviewQuery = Common & { readonly kind: 'overview' }

export type TableQuery = Common & {
  readonly kind: 'table'
  readonly dimension: Dimension
  /** The dimension's own filters by parameter name, such as `browser_version`. */
  readonly filters: Readonly<Record<string, string>>
  readonly rates: boolean
  readonly rules: boolean
  readonly search: string | null
  readonly startsWith: boolean
  /** At most three keys; empty means the service's own default, `1:desc`. */
  readonly sort: readonly SortKey[]
  readonly page: number
  readonly limit: number
}

/** What is asked, in one form on both sides of the bridge. */
export type ReportQuery = OverviewQuery | TableQuery

/** A table query with every default, for the caller to spread over. */
export const plainTable = {
  kind: 'table',
  instance: null,
  source: null,
  campaign: null,
  chart: false,
  filters: {},
  rates: false,
  rules: false,
  search: null,
  startsWith: false,
  sort: [],
  page: 1,
  limit: limits.rowsPerPageByDefault,
} as const

const blankToNull = <T extends string>(value: T | null): T | null => (value === '' ? null : value)

/** Filters that the dimension has, whose parents are set, in the catalogue's order. */
function usableFilters(query: TableQuery): Record<string, string> {
  const usable: Record<string, string> = {}
  for (const [name, { needs }] of Object.entries(dimensionEntry(query.dimension).filters)) {
    const value = query.filters[name]
    if (value && (needs ?? []).every((parent) => usable[parent] !== undefined)) usable[name] = value
  }
  return usable
}

/** The default sort is left out, and a column that stands twice counts where it stood first. */
function usableSort(sort: readonly SortKey[]): SortKey[] {
  const keys = sort.filter((key, index) => sort.findIndex((each) => each.column === key.column) === index)
  const [first] = keys
  const plain = keys.length === 1 && first?.column === 1 && first.direction === 'desc'
  return plain ? [] : keys.slice(0, limits.sortKeys)
}

/**
 * One form for one question: two queries that the service would answer alike become equal. A filter whose parent
 * is unset is dropped (the service would not apply it), `startsWith` without a search too.
 */
export function normalise(query: ReportQuery): ReportQuery {
  const { family, range, chart } = query
  const common = {
    family,
    range: { start: range.start, end: range.end },
    instance: blankToNull(query.instance),
    source: blankToNull(query.source),
    campaign: blankToNull(query.campaign),
    chart,
  }
  if (query.kind === 'overview') return { kind: 'overview', ...common }
  const search = blankToNull(query.search)
  return {
    kind: 'table',
    ...common,
    dimension: query.dimension,
    filters: usableFilters(query),
    rates: query.rates,
    rules: query.rules,
    search,
    startsWith: search !== null && query.startsWith,
    sort: usableSort(query.sort),
    page: query.page,
    limit: query.limit,
  }
}

/** The call that answers a query: its path and its arguments, defaults left out. */
export type ReportCall =
  | { readonly path: OverviewPath; readonly arguments: ArgumentsFor<OverviewPath> }
  | { readonly path: TablePath; readonly arguments: ArgumentsFor<TablePath> }

/**
 * The call for a query.
 * @throws RangeError where the family does not offer the dimension
 */
export function callFor(asked: ReportQuery): ReportCall {
  const query = normalise(asked)
  const common = {
    start: query.range.start,
    end: query.range.end,
    ...(query.instance !== null && { instance: query.instance }),
    ...(query.source !== null && { source: query.source }),
    ...(query.campaign !== null && { campaign: query.campaign }),
    ...(query.chart && { chart: true }),
  }
  if (query.kind === 'overview') return { path: `${query.family}/overview`, arguments: common }
  const path = tablePath(query.family, query.dimension)
  if (path === undefined) throw new RangeError(`${query.family} has no table ${query.dimension}`)
  return {
    path,
    arguments: {
      ...common,
      ...query.filters,
      ...(query.rates && { rates: true }),
      ...(query.rules && { rules: true }),
      ...(query.search !== null && { search: query.search }),
      ...(query.startsWith && { startswith: true }),
      ...(query.sort.length > 0 && { sort: query.sort }),
      ...(query.page !== 1 && { page: query.page }),
      ...(query.limit !== limits.rowsPerPageByDefault && { limit: query.limit }),
    },
  }
}

/** Text that is equal for two queries exactly where they ask the same; the name under which an answer is kept. */
export function queryKey(asked: ReportQuery): string {
  const call = callFor(asked)
  const { start, end, sort, ...others } = call.arguments as ArgumentsFor<TablePath>
  const written: [string, string][] = [
    ['start', String(dayToWire(start))],
    ['end', String(dayToWire(end))],
    ...Object.entries(others).map(([name, value]): [string, string] => [name, String(value)]),
  ]
  if (sort) written.push(['sort', sort.map((key) => `${key.column}:${key.direction}`).join(',')])
  return `${call.path}?${new URLSearchParams(written)}`
}

/** The report's name in words, as its table is called. */
export function nameOf(query: ReportQuery): string {
  return reportName(query.family, query.kind === 'table' ? query.dimension : undefined)
}

/** Whether a query can be asked at all: the family offers the dimension. */
export function isOffered(query: ReportQuery): boolean {
  return query.kind === 'overview' || offers(query.family, query.dimension)
}
