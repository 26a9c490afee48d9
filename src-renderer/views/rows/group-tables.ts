import type { TableRow } from '#shared/api/answers.ts'
import type { RowsGroups, Cluster, GroupKey } from '#shared/archives/rows.ts'
import type { ColumnSort } from '#shared/reports/query.ts'
import { rateOf } from '#shared/reports/rows.ts'
import {
  groupHeader,
  resultHeaders,
  chanceWords,
  clusterKindWords,
  timesWords,
} from '#shared/texts/archives.ts'
import type { ColumnLayout } from '#shared/views/saved-views.ts'
import type { CellKind } from '../../components/table/columns.ts'
import { formatTag } from '../../stores/format-tag.svelte.ts'
import { valueWords } from './conditions.ts'

export const ROWS = 'Rows'
export const BAD_SHARE = 'Bad rate'
const OVER_TIME = 'Over time'

/** Headers of a table of groups: the keys, the number of rows, counts by result, and the course over time. */
export function headersOfGroups(by: readonly GroupKey[], { results }: RowsGroups): string[] {
  const judged = resultHeaders(results)
  return [...by.map(groupHeader), ROWS, ...judged, ...(judged.length > 0 ? [BAD_SHARE] : []), OVER_TIME]
}

/** Default layout, for a window of 1280 pixels. Beside three keys there is no room for the course over time. */
export const usualGroupLayout = (by: readonly GroupKey[]): ColumnLayout | null =>
  by.length < 3 ? null : { order: [], hidden: [OVER_TIME], widths: {} }

/** Kind of the cells below a header of groups. */
export function kindOfGroups(header: string, by: readonly GroupKey[]): CellKind {
  if (by.some((key) => groupHeader(key) === header)) return 'text'
  if (header === OVER_TIME) return 'course'
  return header === BAD_SHARE ? 'rate' : 'count'
}

/** Converts a group to a table row, labelled by its first key. Shares are in percent, as in reports. */
export function groupRow(
  { keys, rows, bad, counts, series }: RowsGroups['groups'][number],
  results: readonly string[],
): TableRow {
  const [first = '', ...others] = keys
  return {
    label: { kind: 'text', text: valueWords(first) },
    cells: [
      ...others.map(valueWords),
      rows,
      ...(resultHeaders(results).length > 0 ? [...counts, rateOf(bad, rows)] : []),
      series.join(','),
    ],
  }
}

const [VALUE, TYPE, BAD, EXPECTED, SHARE, TIMES, CHANCE] = [
  'Value',
  'Type',
  'Bad rows',
  'Expected',
  'Bad rate',
  'Times expected',
  'By chance',
] as const

export const clusterHeaders = [VALUE, TYPE, ROWS, BAD, EXPECTED, SHARE, TIMES, CHANCE] as const
type Header = (typeof clusterHeaders)[number]

const isHeader = (text: string): text is Header =>
  clusterHeaders.some((clusterHeader) => clusterHeader === text)

/** Kind of the cells below a header of clusters. */
export const kindOfClusters = (header: string): CellKind =>
  header === ROWS || header === BAD || header === EXPECTED ? 'count' : header === SHARE ? 'rate' : 'text'

/** Converts a cluster to a table row, labelled by its value. */
export function clusterRow(cluster: Cluster): TableRow {
  const { kind, value, rows, bad, expected, chance } = cluster
  const tag = formatTag()
  return {
    label: { kind: 'text', text: valueWords(value) },
    cells: [
      clusterKindWords[kind],
      // Small expected counts need a decimal.
      ...[
        rows,
        bad,
        Number(expected < 10 ? expected.toPrecision(2) : expected.toFixed(0)),
        rateOf(bad, rows),
      ],
      timesWords(cluster, tag),
      chanceWords(chance, tag),
    ],
  }
}

/** Default layout, for a window of 1280 pixels. The last column has room for `less than 1 in a million`. */
export const usualClusterLayout: ColumnLayout = {
  order: [],
  hidden: [EXPECTED],
  widths: { [TYPE]: 112, [TIMES]: 88, [CHANCE]: 172 },
}

/** Default sort: the least probable first, as the clusters are returned. */
export const usualClusterSort: ColumnSort = { header: CHANCE, direction: 'asc' }

/** Sort key of each column. */
const keyOf: Readonly<Record<Header, (cluster: Cluster) => number | string>> = {
  [VALUE]: ({ value }) => value,
  [TYPE]: ({ kind }) => clusterKindWords[kind],
  [ROWS]: ({ rows }) => rows,
  [BAD]: ({ bad }) => bad,
  [EXPECTED]: ({ expected }) => expected,
  [SHARE]: ({ bad, rows }) => bad / rows,
  [TIMES]: ({ bad, expected }) => bad / expected,
  [CHANCE]: ({ chance }) => chance,
}

/** Sorts clusters by a column. The sort is stable. */
export function sortClusters(
  clusters: readonly Cluster[],
  { header, direction }: ColumnSort,
): readonly Cluster[] {
  const key = keyOf[isHeader(header) ? header : CHANCE]
  const way = direction === 'asc' ? 1 : -1
  return clusters.toSorted((one, other) => {
    const [a, b] = [key(one), key(other)]
    return a === b ? 0 : way * (a < b ? -1 : 1)
  })
}

/** Returns the sort after a click on a header. A second click reverses it; figures start with the highest. */
export function nextSort(now: ColumnSort, header: string): ColumnSort {
  if (now.header === header) return { header, direction: now.direction === 'asc' ? 'desc' : 'asc' }
  const rises = header === VALUE || header === TYPE || header === CHANCE
  return { header, direction: rises ? 'asc' : 'desc' }
}
