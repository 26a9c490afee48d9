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

/** The headers of a table of groups: what is grouped by, how many rows, those of each result, when. */
export function headersOfGroups(by: readonly GroupKey[], { results }: RowsGroups): string[] {
  const judged = resultHeaders(results)
  return [...by.map(groupHeader), ROWS, ...judged, ...(judged.length > 0 ? [BAD_SHARE] : []), OVER_TIME]
}

/** How the cells under a header of groups are read. */
export function kindOfGroups(header: string, by: readonly GroupKey[]): CellKind {
  if (by.some((key) => groupHeader(key) === header)) return 'text'
  if (header === OVER_TIME) return 'course'
  return header === BAD_SHARE ? 'rate' : 'count'
}

/** A group as a row: its first value names it. Shares are in per cent, as rates of reports are. */
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

const [VALUE, OF, BAD, EXPECTED, SHARE, TIMES, CHANCE] = [
  'Value',
  'Of',
  'Bad rows',
  'Expected',
  'Bad rate',
  'Times expected',
  'By chance',
] as const

/** The headers of a table of clusters. */
export const clusterHeaders = [VALUE, OF, ROWS, BAD, EXPECTED, SHARE, TIMES, CHANCE] as const
type Header = (typeof clusterHeaders)[number]

const isHeader = (text: string): text is Header =>
  clusterHeaders.some((clusterHeader) => clusterHeader === text)

/** How the cells under a header of clusters are read. */
export const kindOfClusters = (header: string): CellKind =>
  header === ROWS || header === BAD || header === EXPECTED ? 'count' : header === SHARE ? 'rate' : 'text'

/** A cluster as a row: its value names it. */
export function clusterRow(cluster: Cluster): TableRow {
  const { kind, value, rows, bad, expected, chance } = cluster
  const tag = formatTag()
  return {
    label: { kind: 'text', text: valueWords(value) },
    cells: [
      clusterKindWords[kind],
      // Small ones need a decimal.
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

/** Its words are longer than figures: `less than 1 in a million`. */
export const usualClusterLayout: ColumnLayout = { order: [], hidden: [], widths: { [CHANCE]: 190 } }

/** The least probable first, as they come. */
export const usualClusterSort: ColumnSort = { header: CHANCE, direction: 'asc' }

/** What is sorted by: figures by their size, and texts by their letters. */
const keyOf: Readonly<Record<Header, (cluster: Cluster) => number | string>> = {
  [VALUE]: ({ value }) => value,
  [OF]: ({ kind }) => clusterKindWords[kind],
  [ROWS]: ({ rows }) => rows,
  [BAD]: ({ bad }) => bad,
  [EXPECTED]: ({ expected }) => expected,
  [SHARE]: ({ bad, rows }) => bad / rows,
  [TIMES]: ({ bad, expected }) => bad / expected,
  [CHANCE]: ({ chance }) => chance,
}

/** Clusters in the order of a column; level ones stay as they came. */
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

/** A header again turns the order round; texts and chances begin with the first, figures with the most. */
export function nextSort(now: ColumnSort, header: string): ColumnSort {
  if (now.header === header) return { header, direction: now.direction === 'asc' ? 'desc' : 'asc' }
  const rises = header === VALUE || header === OF || header === CHANCE
  return { header, direction: rises ? 'asc' : 'desc' }
}
