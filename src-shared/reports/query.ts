import { composedOf, dimensionEntry, headersOf, offers, reportName } from '../api/dimensions.ts'
import type { ComposedOf, Dimension, ServiceDimension, Family } from '../api/dimensions.ts'
import { limits } from '../api/parameters.ts'
import { dayToWire } from '../values/day.ts'
import type { DayRange } from '../values/day.ts'
import type { InstanceId, AccountId } from '../values/ids.ts'

/** Members of both kinds of query. Null means no filter. */
type Common = {
  readonly family: Family
  readonly range: DayRange
  readonly instance: InstanceId | null
  readonly source: string | null
  readonly campaign: string | null
  readonly chart: boolean
}

export type OverviewQuery = Common & { readonly kind: 'overview' }

/** One sort key: a column by its decoded header. The client maps it to the service's column number. */
export type ColumnSort = { readonly header: string; readonly direction: 'asc' | 'desc' }

/** Limit on a column: a count, a rate in percent, a difference, or points. */
export type FigureLimit = {
  readonly header: string
  readonly is: 'at-least' | 'at-most'
  readonly value: number
}

export type TableQuery = Common & {
  readonly kind: 'table'
  readonly dimension: Dimension
  /** Filters of the dimension by parameter name, such as `browser_version`. */
  readonly filters: Readonly<Record<string, string>>
  readonly rates: boolean
  readonly rules: boolean
  readonly search: string | null
  readonly startsWith: boolean
  /** At most three keys; empty means the first count, largest first (specification: sort, `1:desc`). */
  readonly sort: readonly ColumnSort[]
  /** Limits that all rows meet. The desk applies the limits; the service has none. */
  readonly where?: readonly FigureLimit[]
  /** Excluded rows by key (rows.ts: labelKey). The desk excludes the rows; the service cannot. */
  readonly without?: readonly string[]
  /** Days of the comparison, if a sort or limit uses a change. Days that are not over are left out. */
  readonly before?: DayRange
  readonly page: number
  readonly limit: number
  /** Answer only from the whole table, which is fetched and stored. Every page is then available at once. */
  readonly whole: boolean
}

/** A report query, in the same form on both sides of the bridge. */
export type ReportQuery = OverviewQuery | TableQuery

/** A table query with default values, for spreading. */
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
  whole: false,
} as const

const CHANGE = / change$/

/** Returns the header of the column for the change of another column. */
export const changeHeader = (header: string): string => `${header} change`

/** Returns the column whose change a header names; null if the header names no change. */
export const changedHeader = (header: string): string | null =>
  CHANGE.test(header) ? header.replace(CHANGE, '') : null

const blankToNull = <T extends string>(value: T | null): T | null => (value === '' ? null : value)

/** Returns the dimension's filters whose parents are set, in the catalogue's order. */
function usableFilters(query: Pick<TableQuery, 'dimension' | 'filters'>): Record<string, string> {
  const usable: Record<string, string> = {}
  for (const [name, { needs }] of Object.entries(dimensionEntry(query.dimension).filters)) {
    const value = query.filters[name]
    if (value && (needs ?? []).every((parent) => usable[parent] !== undefined)) usable[name] = value
  }
  return usable
}

/** Returns the default sort: the first count, largest first. */
export function usualSort(family: Family, dimension: Dimension): ColumnSort {
  return { header: headersOf(family, dimension)[1] ?? '', direction: 'desc' }
}

/** Whether a column is available. Changes need a comparison. */
const isReported =
  (before: DayRange | undefined) =>
  ({ header }: { readonly header: string }): boolean =>
    before !== undefined || changedHeader(header) === null

/** Removes the default sort and repeated columns. */
function usableSort({ sort, family, dimension, before }: TableQuery): ColumnSort[] {
  const keys = sort
    .filter(isReported(before))
    .filter((key, index, all) => all.findIndex((columnSort) => columnSort.header === key.header) === index)
  const [first] = keys
  const usual = usualSort(family, dimension)
  const plain = keys.length === 1 && first?.header === usual.header && first.direction === usual.direction
  return plain ? [] : keys.slice(0, limits.sortKeys)
}

/**
 * Normalises a query, so that queries with the same answer are equal. A filter without its parent is dropped because
 * the service ignores it, as is `startsWith` without a search.
 */
export function normalise(query: TableQuery): TableQuery
export function normalise(query: OverviewQuery): OverviewQuery
export function normalise(query: ReportQuery): ReportQuery
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
  const sort = usableSort(query)
  const where = (query.where ?? []).filter(isReported(query.before))
  const without = [...new Set(query.without ?? [])].sort()
  const compares = [...sort, ...where].some(({ header }) => changedHeader(header) !== null)
  return {
    kind: 'table',
    ...common,
    dimension: query.dimension,
    filters: usableFilters(query),
    rates: query.rates,
    // Overviews have no rule sets.
    rules: query.rules && composedOf(query.dimension) === null,
    search,
    startsWith: search !== null && query.startsWith,
    sort,
    ...(where.length > 0 && { where: where.map(({ header, is, value }) => ({ header, is, value })) }),
    ...(without.length > 0 && { without }),
    ...(compares && query.before && { before: { start: query.before.start, end: query.before.end } }),
    page: query.page,
    limit: query.limit,
    whole: query.whole,
  }
}

/** Returns the set filters that both kinds of query have, by name. */
const selected = ({ instance, source, campaign }: Common): [name: string, value: string][] =>
  Object.entries({ instance, source, campaign }).flatMap(([name, value]) =>
    value === null ? [] : [[name, value]],
  )

/** Returns a text that is equal exactly for equivalent queries. Used as the cache key of an answer. */
export function queryKey(request: ReportQuery): string {
  const query = normalise(request)
  const written = new URLSearchParams([
    ['start', String(dayToWire(query.range.start))],
    ['end', String(dayToWire(query.range.end))],
    ...selected(query),
  ])
  if (query.chart) written.set('chart', '1')
  if (query.kind === 'overview') return `${query.family}/overview?${written}`
  for (const [name, value] of Object.entries(query.filters)) written.set(name, value)
  for (const name of ['rates', 'rules', 'startsWith', 'whole'] as const)
    if (query[name]) written.set(name, '1')
  if (query.search !== null) written.set('search', query.search)
  for (const { header, direction } of query.sort) written.append('sort', `${direction}:${header}`)
  for (const { header, is, value } of query.where ?? []) written.append('where', `${is}:${value}:${header}`)
  for (const key of query.without ?? []) written.append('without', key)
  if (query.before) written.set('before', `${dayToWire(query.before.start)} ${dayToWire(query.before.end)}`)
  if (query.page !== 1) written.set('page', String(query.page))
  if (query.limit !== limits.rowsPerPageByDefault) written.set('limit', String(query.limit))
  return `${query.family}/${query.dimension}?${written}`
}

/** Returns the report's name as text. */
export function nameOf(query: ReportQuery): string {
  return reportName(query.family, query.kind === 'table' ? query.dimension : undefined)
}

/** Whether the family has the query's dimension. */
export function isOffered(query: ReportQuery): boolean {
  return query.kind === 'overview' || offers(query.family, query.dimension)
}

/**
 * Returns the subject of a query: family, dimension and every filter. Days, order and page are no part of it. Tables
 * of one subject add up over days. Rule sets are included, because a table fetched without them lacks their columns.
 */
export function subjectOf(request: ReportQuery): string {
  const query = normalise(request)
  const written = new URLSearchParams(selected(query))
  if (query.kind === 'overview') return `${query.family}/overview?${written}`
  for (const [name, value] of Object.entries(query.filters)) written.set(name, value)
  if (query.rules) written.set('rules', '1')
  return `${query.family}/${query.dimension}?${written}`
}

/** Key of `reports/ask`. Progress, change events and cancelling refer to queries by such keys. */
export const answerKey = (query: ReportQuery): string => queryKey(query)

/** Key of `reports/trend`. Only days and subject matter. */
export function trendKey(query: ReportQuery): string {
  const { start, end } = query.range
  return `trend ${dayToWire(start)} ${dayToWire(end)} ${subjectOf(plain(query))}`
}

/**
 * Returns the query of the tables whose aggregate row counts the broken rule sets of a report. Composed tables have no rule
 * sets: tables of instances with the same filters count the same requests.
 */
export function ruleMixQuery(request: TableQuery): TableQuery {
  const { family, dimension, range, instance, source, campaign, filters } = normalise(request)
  const own = composedOf(dimension) === null ? { dimension, filters } : { dimension: 'sessions' as const }
  return { ...plainTable, family, range, instance, source, campaign, ...own, rules: true, whole: true }
}

/** Key of `reports/rule-mix`. Only days and subject matter. */
export const ruleMixKey = (query: TableQuery): string => `rule-mix ${wholeKey(ruleMixQuery(query))}`

/** Key of `reports/before`. The requested rows do not matter, because the whole table is needed anyway. */
export const beforeKey = (query: TableQuery, before: DayRange): string =>
  `before ${wholeKey(query)} ${wholeKey({ ...query, range: before })}`

/** Criterion of movers: count or rate, and the minimum number of requests, which rates choose by default. */
export type MovedBy = { readonly by?: 'count' | 'rate'; readonly min?: number }

/** Key of `reports/movers`. */
export function moversKey(
  query: TableQuery,
  before: DayRange,
  header: string,
  { by = 'count', min }: MovedBy = {},
): string {
  const how = by === 'count' && min === undefined ? '' : ` ${by} ${min ?? 'auto'}`
  return `movers ${wholeKey(query)} ${wholeKey({ ...query, range: before })} ${header}${how}`
}

/** Returns the key of a whole table over a range. Search and sort do not matter. */
function wholeKey(query: TableQuery): string {
  const { start, end } = query.range
  return `${dayToWire(start)} ${dayToWire(end)} ${subjectOf(query)}`
}

/** Trends have no rule sets. */
function plain(query: ReportQuery): ReportQuery {
  return query.kind === 'overview' ? query : normalise({ ...query, rules: plainTable.rules })
}

/** Returns the filter whose values compose a query's table; null if the service has the table. */
const composedOfQuery = (query: ReportQuery): ComposedOf | null =>
  query.kind === 'table' ? composedOf(query.dimension) : null

/** A query for a composed table. */
type ComposedQuery = TableQuery & { readonly dimension: Exclude<Dimension, ServiceDimension> }

export const isComposed = (query: ReportQuery): query is ComposedQuery => composedOfQuery(query) !== null

/** A user's name for an account's rule set. The service only has the code. */
export type RuleName = { readonly account: AccountId; readonly code: string; readonly name: string }

/** A rule set with a column. */
export type NamedRule = {
  readonly code: string
  /** Null if the rule set has no name. */
  readonly name: string | null
  /** Column header: the name if there is one, else the code. */
  readonly header: string
}

const RATE = / Rate$/

/** Returns the rule set behind a header of a query's table; null for other columns. */
export function ruleOf(
  names: readonly RuleName[],
  account: AccountId,
  { family, dimension, rules }: Pick<TableQuery, 'family' | 'dimension' | 'rules'>,
  header: string,
): NamedRule | null {
  const code = header.replace(RATE, '')
  if (!rules || headersOf(family, dimension).includes(code)) return null
  const name = names.find((ruleName) => ruleName.account === account && ruleName.code === code)?.name ?? null
  return { code, name, header: name === null ? header : header.replace(code, () => name) }
}

/** Sets the name of a rule set. An empty name removes the entry. */
export function withRuleName(names: readonly RuleName[], { account, code, name }: RuleName): RuleName[] {
  const others = names.filter((ruleName) => ruleName.account !== account || ruleName.code !== code)
  return name === '' ? others : [...others, { account, code, name }]
}
