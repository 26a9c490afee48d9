import { headersOf } from '../service/dimensions.ts'
import type { ArgumentsFor } from '../service/endpoints.ts'
import { limits } from '../service/limits.ts'
import type { SortKey } from '../service/parameters.ts'
import { tablePath } from '../service/report-endpoints.ts'
import type { OverviewPath, TablePath } from '../service/report-endpoints.ts'
import type { ReportQuery, TableQuery } from './query.ts'
import { normalise, usualSort } from './query.ts'

/**
 * The number that a service gives the first of a table's standard headers, the label's. The specification shows
 * column numbers in its default alone (`1:desc`) and does not say what they count from.
 */
export type FirstColumn = 0 | 1

/** The call that answers a query: its path and its arguments, defaults left out. */
export type ReportCall =
  | { readonly path: OverviewPath; readonly arguments: ArgumentsFor<OverviewPath> }
  | { readonly path: TablePath; readonly arguments: ArgumentsFor<TablePath> }

/** Whether the service can sort so: by columns of the specification, which alone have numbers. */
export function isSortOfService({ family, dimension, sort }: TableQuery): boolean {
  const standard = headersOf(family, dimension)
  return sort.every(({ header }) => standard.includes(header))
}

/** The sort by the service's numbers; none where that means the same. */
function sortFor(query: TableQuery, first: FirstColumn): SortKey[] {
  const standard = headersOf(query.family, query.dimension)
  // Counted from 1 the service's own default is the label, so the usual sort has to be said.
  const sort = query.sort.length > 0 || first === 0 ? query.sort : [usualSort(query.family, query.dimension)]
  return sort.map(({ header, direction }) => {
    const place = standard.indexOf(header)
    if (place < 0) throw new RangeError(`The service cannot sort by ${header}`)
    return { column: place + first, direction }
  })
}

/**
 * The call for a query.
 * @param first what this account's service counts columns from
 * @throws RangeError where the family does not offer the dimension, or the service cannot sort so
 */
export function callFor(asked: ReportQuery, first: FirstColumn = 0): ReportCall {
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
  const sort = sortFor(query, first)
  return {
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
