import { labelText } from '#shared/reports/rows.ts'
import type { Count, Table } from '#shared/api/answers.ts'
import { inOrder, isPart, looksOf } from './series.ts'
import type { Look } from './series.ts'

/** As many rows as can be read as bars. */
export const MAX_BARS = 10

/** The first rows of a table as bars: for each measure a count for each row. */
export type Top = {
  readonly labels: readonly string[]
  readonly sets: readonly (Look & { readonly header: string; readonly values: readonly Count[] })[]
  /** Measures that add up stand on each other; otherwise they stand side by side. */
  readonly stacked: boolean
}

/** What is drawn of a table's first rows. Measures that the table has not are left out; cells that are no counts are gaps. */
export function topOf(table: Table, measures: readonly string[]): Top {
  const rows = table.rows.slice(0, MAX_BARS)
  const looks = looksOf(table.headers.slice(1))
  const shown = inOrder(measures.filter((header) => looks.has(header)))
  const sets = shown.flatMap((header) => {
    const look = looks.get(header)
    const place = table.headers.indexOf(header, 1) - 1
    const values = rows.map(({ cells }): Count => {
      const cell = cells[place]
      return typeof cell === 'number' && Number.isFinite(cell) ? cell : null
    })
    return look ? [{ header, ...look, values }] : []
  })
  return { labels: rows.map(({ label }) => labelText(label)), sets, stacked: shown.every(isPart) }
}
