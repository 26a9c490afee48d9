import type { RawListColumn, RawListSort } from '#shared/raw/list.ts'
import type { ColumnSort } from '#shared/reports/query.ts'
import { sortAfterClick } from '#renderer/components/table/columns.ts'

/** The columns of the list, in their order, each with its header. */
export const listHeaders: Readonly<Record<RawListColumn, string>> = {
  name: 'Name',
  instance: 'Instance',
  type: 'Type',
  status: 'Status',
  requested: 'Requested',
  created: 'Created',
  expires: 'Expires',
  failed: 'Failed',
  timed_out: 'Timed out',
  cancelled: 'Cancelled',
}

export const listColumns = Object.keys(listHeaders) as readonly RawListColumn[]

/** Those that few reports have: they take no room where none has them. */
export const rareColumns = ['failed', 'timed_out', 'cancelled'] as const satisfies RawListColumn[]

const texts: readonly RawListColumn[] = ['name', 'instance', 'type', 'status']

/** The sort that holds: the newest first, where none is asked for (specification: raw/table). */
export const sortThatHolds = (sort: readonly RawListSort[]): readonly RawListSort[] =>
  sort.length > 0 ? sort : [{ column: 'requested', direction: 'desc' }]

export const asColumnSort = (sort: readonly RawListSort[]): ColumnSort[] =>
  sort.map(({ column, direction }) => ({ header: column, direction }))

/** The sort after a header was clicked; `adding` keeps the keys before it. Text begins with A, times with the newest. */
export function listSortAfterClick(
  now: readonly RawListSort[],
  column: RawListColumn,
  adding: boolean,
): RawListSort[] {
  const begin = texts.includes(column) ? 'asc' : 'desc'
  return sortAfterClick(asColumnSort(sortThatHolds(now)), column, adding, begin).flatMap(
    ({ header, direction }) => {
      const known = listColumns.find((listColumn) => listColumn === header)
      return known ? [{ column: known, direction }] : []
    },
  )
}
