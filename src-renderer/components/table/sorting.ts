import type { ColumnSort } from '#shared/reports/query.ts'
import { limits } from '#shared/api/limits.ts'

/**
 * The sort after a header was clicked: that column alone, `begin` first, or the other way round where it was sorted
 * already. `adding` keeps the keys before it, as many as the service takes.
 * @param now the sort that holds
 */
export function sortAfterClick(
  now: readonly ColumnSort[],
  header: string,
  adding: boolean,
  begin: ColumnSort['direction'] = 'desc',
): ColumnSort[] {
  const before = now.find((key) => key.header === header)
  const turned = before?.direction === 'desc' ? 'asc' : 'desc'
  const key: ColumnSort = { header, direction: before ? turned : begin }
  if (!adding) return [key]
  if (before) return now.map((columnSort) => (columnSort === before ? key : columnSort))
  return [...now.slice(0, limits.sortKeys - 1), key]
}

const places = ['first', 'second', 'third']

/**
 * How a column takes part in the sort, in words for who does not see arrows and numbers.
 * @param rank which key it is, from 0; -1 for none
 */
export function sortWords(sort: readonly ColumnSort[], rank: number): string {
  const key = sort[rank]
  if (!key) return 'Not sorted by this column'
  const direction = key.direction === 'asc' ? 'ascending' : 'descending'
  return sort.length === 1 ? `Sorted ${direction}` : `Sorted ${places[rank] ?? 'last'}, ${direction}`
}
