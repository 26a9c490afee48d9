import type { Cell, Table, TableAnswer } from '../service/answers.ts'
import type { Dimension } from '../service/dimensions.ts'
import { headersOf } from '../service/dimensions.ts'
import type { Family } from '../service/families.ts'

/** What a count's rate is called (field notes: additions to tables). */
export const rateHeader = (header: string): string => `${header} Rate`

/** Whether a header is that of a rate of another one of the same table. */
export function isRate(header: string, headers: readonly string[]): boolean {
  return headers.some((each) => rateHeader(each) === header)
}

/** Whether a table has rates that the service gave. */
export function hasRates({ headers }: Pick<Table, 'headers'>): boolean {
  const all = new Set(headers)
  return headers.some((header) => all.has(rateHeader(header)))
}

/** What a family's rates are shares of: Requests, or Responses where a dimension has no Requests. */
export const rateBase = (family: Family, dimension: Dimension): string =>
  headersOf(family, dimension)[1] ?? ''

/** The share of a count in another, in percent with two decimals; null where either is not known or there is nothing to share. */
export function rateOf(count: Cell | undefined, of: Cell | undefined): number | null {
  if (typeof count !== 'number' || typeof of !== 'number' || of === 0) return null
  return Math.round((count * 10_000) / of) / 100
}

/**
 * A table with the desk's own rates: a `"<Column> Rate"` directly after each count of the specification, of Requests
 * (of Responses for referrers). For a table whose counts are summed already, and to which the service gave no rates.
 */
export function withRates(table: Table, family: Family, dimension: Dimension): Table {
  const counts = new Set(headersOf(family, dimension).slice(1))
  const base = table.headers.indexOf(rateBase(family, dimension)) - 1
  const headers = table.headers.flatMap((header, place) =>
    place > 0 && counts.has(header) ? [header, rateHeader(header)] : [header],
  )
  const rated = table.headers.slice(1).map((header) => counts.has(header))
  const cellsWith = (cells: readonly Cell[]): Cell[] =>
    cells.flatMap((cell, column) => (rated[column] ? [cell, rateOf(cell, cells[base])] : [cell]))
  return {
    headers,
    all: table.all && { ...table.all, cells: cellsWith(table.all.cells) },
    rows: table.rows.map((row) => ({ ...row, cells: cellsWith(row.cells) })),
  }
}

/** An answer without the rates that the service gave: rates do not add up. */
export function withoutRates(answer: TableAnswer): TableAnswer {
  const { headers, all, rows } = answer.table
  const stays = headers.map((header) => !isRate(header, headers))
  if (stays.every(Boolean)) return answer
  const cellsOf = <C>(cells: readonly C[]) => cells.filter((_, column) => stays[column + 1])
  const table: Table = {
    headers: headers.filter((_, place) => stays[place]),
    all: all && { ...all, cells: cellsOf(all.cells) },
    rows: rows.map((row) => ({ ...row, cells: cellsOf(row.cells) })),
  }
  return { ...answer, table }
}
