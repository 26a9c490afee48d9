import type { RawListColumn, RawListSort } from '#shared/raw/list.ts'
import type { ColumnSort } from '#shared/reports/query.ts'
import { sortAfterClick } from '#renderer/components/table/columns.ts'

/** Headers of the list's columns, in display order. */
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

/** Columns that few reports fill. Hidden unless the list is sorted by one or the window is wide. */
export const rareColumns = ['failed', 'timed_out', 'cancelled'] as const satisfies RawListColumn[]

const texts: readonly RawListColumn[] = ['name', 'instance', 'type', 'status']

/** The effective sort. Defaults to the newest first (specification: raw/table). */
export const sortThatHolds = (sort: readonly RawListSort[]): readonly RawListSort[] =>
  sort.length > 0 ? sort : [{ column: 'requested', direction: 'desc' }]

export const asColumnSort = (sort: readonly RawListSort[]): ColumnSort[] =>
  sort.map(({ column, direction }) => ({ header: column, direction }))

/** Returns the sort after a click on a header. Text starts ascending, times start with the newest. */
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
