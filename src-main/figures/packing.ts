import { isRate } from '../../src-shared/reports/rates.ts'
import type { OverviewAnswer, Table, TableAnswer } from '../../src-shared/service/answers.ts'
import type { Instant } from '../../src-shared/values/ids.ts'
import type { TableToKeep } from './cache/tables-repository.ts'
import { packHead } from './engine/packed-head.ts'
import { packRows } from './engine/packed-rows.ts'

/** A table ready to be kept; whose it is and of which days is said when it is. */
export type PackedTable = Omit<TableToKeep, 'owner' | 'subject' | 'range'>

/** Packs one page of rows. */
export const packPage = ({ table }: TableAnswer): Uint8Array => packRows(table.rows, table.headers.length - 1)

/** A whole table, of whose pages `first` is one. */
export function packWhole(
  first: TableAnswer,
  rows: number,
  pages: readonly Uint8Array[],
  fetchedAt: Instant,
): PackedTable {
  return { ...totalsOf(first), whole: true, rows, pages, fetchedAt }
}

/** The totals of a table or an overview alone. */
export function packTotals(answer: TableAnswer | OverviewAnswer, fetchedAt: Instant): PackedTable {
  return { ...totalsOf(answer), whole: false, rows: 0, pages: [], fetchedAt }
}

function totalsOf(answer: TableAnswer | OverviewAnswer): Pick<PackedTable, 'head'> {
  const { headers, all } = 'table' in answer ? answer.table : { headers: [], all: null }
  return { head: packHead({ headers, all, total: answer.total }) }
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
