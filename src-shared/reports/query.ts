import { composedOf, dimensionEntry, headersOf, offers, reportName } from '../api/dimensions.ts'
import type { ComposedOf, Dimension, ServiceDimension, Family } from '../api/dimensions.ts'
import { limits } from '../api/parameters.ts'
import { dayToWire } from '../values/day.ts'
import type { DayRange } from '../values/day.ts'
import type { InstanceId, AccountId } from '../values/ids.ts'

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

/** One key of a sort: a column by its header, decoded. What a service numbers it by, whoever asks it knows. */
export type ColumnSort = { readonly header: string; readonly direction: 'asc' | 'desc' }

/** Rows of which the figure under a header is at least, or at most, so much: a count, a rate in percent, a difference, or points. */
export type FigureLimit = {
  readonly header: string
  readonly is: 'at-least' | 'at-most'
  readonly value: number
}

export type TableQuery = Common & {
  readonly kind: 'table'
  readonly dimension: Dimension
  /** The dimension's own filters by parameter name, such as `browser_version`. */
  readonly filters: Readonly<Record<string, string>>
  readonly rates: boolean
  readonly rules: boolean
  readonly search: string | null
  readonly startsWith: boolean
  /** At most three keys; empty means the first count, largest first (specification: sort, `1:desc`). */
  readonly sort: readonly ColumnSort[]
  /** Which rows are left in by their figures; all of these hold. The desk looks at it: the service knows no such thing. */
  readonly where?: readonly FigureLimit[]
  /** Rows that are left out, by their keys (rows.ts: labelKey). The desk looks at it: the service knows no such thing. */
  readonly without?: readonly string[]
  /** The days with which rows are compared, where a sort or a limit is by a change. Days that are not over are left out. */
  readonly before?: DayRange
  readonly page: number
  readonly limit: number
  /** Answered from the whole table alone, which is fetched and kept for it: every page is then a moment away. */
  readonly whole: boolean
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
  whole: false,
} as const

const CHANGE = / change$/

/** What a column is called that tells by how much another one has changed. */
export const changeHeader = (header: string): string => `${header} change`

/** The header of the column whose change a header names; null where it names none. */
export const changedHeader = (header: string): string | null =>
  CHANGE.test(header) ? header.replace(CHANGE, '') : null

const blankToNull = <T extends string>(value: T | null): T | null => (value === '' ? null : value)

/** Filters that the dimension has, whose parents are set, in the catalogue's order. */
function usableFilters(query: Pick<TableQuery, 'dimension' | 'filters'>): Record<string, string> {
  const usable: Record<string, string> = {}
  for (const [name, { needs }] of Object.entries(dimensionEntry(query.dimension).filters)) {
    const value = query.filters[name]
    if (value && (needs ?? []).every((parent) => usable[parent] !== undefined)) usable[name] = value
  }
  return usable
}

/** The sort that holds where none is asked for: the first count, largest first. */
export function usualSort(family: Family, dimension: Dimension): ColumnSort {
  return { header: headersOf(family, dimension)[1] ?? '', direction: 'desc' }
}

/** Whether a column can be told of: changes only where something is compared. */
const isReported =
  (before: DayRange | undefined) =>
  ({ header }: { readonly header: string }): boolean =>
    before !== undefined || changedHeader(header) === null

/** The usual sort is left out, and a column that stands twice counts where it stood first. */
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
 * One form for one question: two queries that the service would answer alike become equal. A filter whose parent
 * is unset is dropped (the service would not apply it), `startsWith` without a search too.
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
    // Overviews know nothing of rule sets.
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

/** What limits both kinds of query, by name. */
const selected = ({ instance, source, campaign }: Common): [name: string, value: string][] =>
  Object.entries({ instance, source, campaign }).flatMap(([name, value]) =>
    value === null ? [] : [[name, value]],
  )

/** Text that is equal for two queries exactly where they ask the same; the name under which an answer is kept. */
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

/** The report's name in words, as its table is called. */
export function nameOf(query: ReportQuery): string {
  return reportName(query.family, query.kind === 'table' ? query.dimension : undefined)
}

/** Whether a query can be asked at all: the family offers the dimension. */
export function isOffered(query: ReportQuery): boolean {
  return query.kind === 'overview' || offers(query.family, query.dimension)
}

/**
 * What a query is about, whatever days, order and part of it are looked at: family, dimension, and every filter. Tables of
 * one subject add up over days. Rule sets belong to it, because a table fetched without them knows nothing of them.
 */
export function subjectOf(request: ReportQuery): string {
  const query = normalise(request)
  const written = new URLSearchParams(selected(query))
  if (query.kind === 'overview') return `${query.family}/overview?${written}`
  for (const [name, value] of Object.entries(query.filters)) written.set(name, value)
  if (query.rules) written.set('rules', '1')
  return `${query.family}/${query.dimension}?${written}`
}

/** The key of `reports/ask`: by such keys questions are told apart, by progress, by changes, and by giving up. */
export const answerKey = (query: ReportQuery): string => queryKey(query)

/** The key of `reports/trend`: the days and the subject alone decide. */
export function trendKey(query: ReportQuery): string {
  const { start, end } = query.range
  return `trend ${dayToWire(start)} ${dayToWire(end)} ${subjectOf(plain(query))}`
}

/** The key of `reports/before`. Which rows are asked about does not matter: the whole table is needed in any case. */
export const beforeKey = (query: TableQuery, before: DayRange): string =>
  `before ${wholeKey(query)} ${wholeKey({ ...query, range: before })}`

/** By what rows are said to have moved: by how many, or by their rate; of at least so much, which rates choose by themselves. */
export type MovedBy = { readonly by?: 'count' | 'rate'; readonly min?: number }

/** The key of `reports/movers`. */
export function moversKey(
  query: TableQuery,
  before: DayRange,
  header: string,
  { by = 'count', min }: MovedBy = {},
): string {
  const how = by === 'count' && min === undefined ? '' : ` ${by} ${min ?? 'auto'}`
  return `movers ${wholeKey(query)} ${wholeKey({ ...query, range: before })} ${header}${how}`
}

/** One name for a whole table over a range, whatever is searched or sorted in it. */
function wholeKey(query: TableQuery): string {
  const { start, end } = query.range
  return `${dayToWire(start)} ${dayToWire(end)} ${subjectOf(query)}`
}

/** Rule sets are no part of a trend. */
function plain(query: ReportQuery): ReportQuery {
  return query.kind === 'overview' ? query : normalise({ ...query, rules: plainTable.rules })
}

/** The filter of whose values the table of a query is composed; null where the service has that table. */
const composedOfQuery = (query: ReportQuery): ComposedOf | null =>
  query.kind === 'table' ? composedOf(query.dimension) : null

/** A query for a table that the desk composes. */
type ComposedQuery = TableQuery & { readonly dimension: Exclude<Dimension, ServiceDimension> }

export const isComposed = (query: ReportQuery): query is ComposedQuery => composedOfQuery(query) !== null

/** What an account's rule set is called by the people who read its figures; the service has a code for it alone. */
export type RuleName = { readonly account: AccountId; readonly code: string; readonly name: string }

/** A rule set that a column counts. */
export type NamedRule = {
  readonly code: string
  /** Null where nobody named it. */
  readonly name: string | null
  /** What its column is called: by its name where it has one. */
  readonly header: string
}

const RATE = / Rate$/

/** The rule set that stands under a header of a query's table; null where that is something else. */
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

/** The names with another one for a rule set; an empty name takes its name off. */
export function withRuleName(names: readonly RuleName[], { account, code, name }: RuleName): RuleName[] {
  const others = names.filter((ruleName) => ruleName.account !== account || ruleName.code !== code)
  return name === '' ? others : [...others, { account, code, name }]
}
