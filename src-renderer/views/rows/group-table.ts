import type { RowsGroups, GroupKey } from '#shared/archives/rows.ts'
import { groupHeader, resultHeaders } from '#shared/texts/archives.ts'
import type { TableRow } from '#shared/api/answers.ts'
import type { CellKind } from '#renderer/components/table/columns.ts'
import { valueWords } from './conditions.ts'

export const ROWS = 'Rows'
export const BAD_SHARE = 'Bad share'
export const OVER_TIME = 'Over time'

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
  const share = bad === null || rows === 0 ? null : (bad / rows) * 100
  return {
    label: { kind: 'text', text: valueWords(first) },
    cells: [
      ...others.map(valueWords),
      rows,
      ...(resultHeaders(results).length > 0 ? [...counts, share] : []),
      series.join(','),
    ],
  }
}
