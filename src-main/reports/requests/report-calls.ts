import type { CallOptions, ServiceClient } from '#main/api/client.ts'
import type { OverviewAnswer, TableAnswer } from '#shared/api/answers.ts'
import { headersOf } from '#shared/api/dimensions.ts'
import { tablePath } from '#shared/api/endpoints.ts'
import type { AnswerFor, ArgumentsFor, EndpointPath, OverviewPath, TablePath } from '#shared/api/endpoints.ts'
import { limits } from '#shared/api/parameters.ts'
import type { SortKey } from '#shared/api/parameters.ts'
import { normalise, queryKey, usualSort } from '#shared/reports/query.ts'
import type { ReportQuery, TableQuery } from '#shared/reports/query.ts'
import type { DayRange } from '#shared/values/day.ts'
import type { Instant } from '#shared/values/ids.ts'

/**
 * Number of the label's column in sort keys. The specification only shows a column number in its default (`1:desc`) and does
 * not say which number is the first.
 */
export type FirstColumn = 0 | 1

/** The call that answers a query, with default arguments omitted. */
type ReportCall =
  | { readonly kind: 'overview'; readonly path: OverviewPath; readonly arguments: ArgumentsFor<OverviewPath> }
  | { readonly kind: 'table'; readonly path: TablePath; readonly arguments: ArgumentsFor<TablePath> }

/** Whether the service can sort by these columns: only columns of the specification have numbers. */
export function isSortOfService({ family, dimension, sort }: TableQuery): boolean {
  const standard = headersOf(family, dimension)
  return sort.every(({ header }) => standard.includes(header))
}

/**
 * Order of a table's rows across its pages.
 * - `by-sort`: by the query's sort only; the order of rows with equal counts is undefined
 * - `label-last`: rows with equal counts by label, so that no row is on two pages
 * - `by-label`: by label first, so that no row moves when its counts change
 */
export type RowOrder = 'by-sort' | 'label-last' | 'by-label'

/** The sort argument with the service's column numbers; empty if the service's default is the same. */
function sortFor(query: TableQuery, first: FirstColumn, order: RowOrder): SortKey[] {
  const standard = headersOf(query.family, query.dimension)
  // If numbering starts at 1, the service's default sorts by label, so the usual sort is sent explicitly.
  const isSaid = query.sort.length > 0 || (first === 0 && order === 'by-sort')
  const sort = (isSaid ? query.sort : [usualSort(query.family, query.dimension)]).map(
    ({ header, direction }): SortKey => {
      const place = standard.indexOf(header)
      if (place < 0) throw new RangeError(`The service cannot sort by ${header}`)
      return { column: place + first, direction }
    },
  )
  const byLabel: SortKey = { column: first, direction: 'asc' }
  switch (order) {
    case 'by-sort':
      return sort
    case 'label-last':
      return canEndWithLabel(query) ? [...sort, byLabel] : sort
    case 'by-label':
      return [byLabel, ...sort].slice(0, limits.sortKeys)
  }
}

/** Whether a query's sort leaves the order of some rows undefined and has room for another key. */
export function canEndWithLabel(query: ReportQuery): boolean {
  if (query.kind === 'overview') return false
  const [label] = headersOf(query.family, query.dimension)
  return query.sort.length < limits.sortKeys && query.sort.every(({ header }) => header !== label)
}

/**
 * Builds the call for a query.
 * @param first number of the service's first column
 * @throws RangeError if the family does not offer the dimension, or the service cannot sort by a column
 */
export function callFor(
  request: ReportQuery,
  first: FirstColumn = 0,
  order: RowOrder = 'by-sort',
): ReportCall {
  const query = normalise(request)
  const common = {
    start: query.range.start,
    end: query.range.end,
    ...(query.instance !== null && { instance: query.instance }),
    ...(query.source !== null && { source: query.source }),
    ...(query.campaign !== null && { campaign: query.campaign }),
    ...(query.chart && { chart: true }),
  }
  if (query.kind === 'overview')
    return { kind: 'overview', path: `${query.family}/overview`, arguments: common }
  const path = tablePath(query.family, query.dimension)
  if (path === undefined) throw new RangeError(`${query.family} has no table ${query.dimension}`)
  const sort = sortFor(query, first, order)
  return {
    kind: 'table',
    path,
    arguments: {
      ...common,
      ...query.filters,
      ...(query.rates && { rates: true }),
      ...(query.rules && { rules: true }),
      ...(query.search !== null && { search: query.search }),
      ...(query.startsWith && { startswith: true }),
      ...(sort.length > 0 && { sort }),
      ...(query.page !== 1 && { page: query.page }),
      ...(query.limit !== limits.rowsPerPageByDefault && { limit: query.limit }),
    },
  }
}

/** Parsed response to a call. */
export type Figures =
  | { readonly kind: 'overview'; readonly answer: OverviewAnswer }
  | { readonly kind: 'table'; readonly answer: TableAnswer }

export type ReportResponse = { readonly text: string; readonly fetchedAt: Instant; readonly figures: Figures }

/** A query as it is sent and stored. */
type ServiceRequest = {
  readonly key: string
  readonly path: OverviewPath | TablePath
  readonly range: DayRange
  /** The sort as sent. */
  readonly sort: readonly SortKey[]
  /** Sends the request. @throws the client's errors */
  readonly send: (client: ServiceClient, options: CallOptions) => Promise<ReportResponse>
}

/**
 * Builds the request for a query.
 * @param first number of the service's first column
 * @throws RangeError if the family does not offer the dimension, or the service cannot sort by a column
 */
export function requestFor(
  request: ReportQuery,
  first: FirstColumn,
  order: RowOrder = 'by-sort',
): ServiceRequest {
  const query = normalise(request)
  const call = callFor(query, first, order)
  const about = { key: queryKey(query), range: query.range, path: call.path }
  if (call.kind === 'overview') {
    const wrap = (answer: OverviewAnswer): Figures => ({ kind: 'overview', answer })
    return { ...about, sort: [], ...asking(call.path, call.arguments, wrap) }
  }
  const wrap = (answer: TableAnswer): Figures => ({ kind: 'table', answer })
  return { ...about, sort: call.arguments.sort ?? [], ...asking(call.path, call.arguments, wrap) }
}

function asking<P extends EndpointPath>(
  path: P,
  given: ArgumentsFor<P>,
  wrap: (answer: AnswerFor<P>) => Figures,
): Pick<ServiceRequest, 'send'> {
  return {
    send: async (client, options) => {
      const { answer, text, receivedAt } = await client.call(path, given, options)
      return { text, fetchedAt: receivedAt, figures: wrap(answer) }
    },
  }
}
