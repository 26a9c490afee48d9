import { roundedChange } from '#shared/reports/change.ts'
import type { Change } from '#shared/reports/change.ts'
import { labelText } from '#shared/reports/rows.ts'
import type { Cell, TableRow } from '#shared/api/answers.ts'
import { clipboardForm, delimited } from '#shared/values/delimited.ts'
import { spreadsheetSafe } from '#shared/values/spreadsheet-text.ts'
import type { Column } from './columns.ts'
import type { RowChanges } from '#shared/reports/row-changes.ts'

/** What a row of a selection is made of; `changes` are looked up by its columns of changes. */
export type CopiedRow = { readonly row: TableRow; readonly changes: RowChanges }

const roundedIn = (change: Change | undefined): Cell => (change ? roundedChange(change) : null)

/** A cell as it is copied, before anything is done for its surroundings. */
function raw({ row, changes }: CopiedRow, column: Column): Cell {
  switch (column.kind) {
    case 'label':
      return labelText(row.label)
    case 'change':
      return roundedIn(changes(column))
    case 'points':
      return changes(column)?.points ?? null
    case 'count':
    case 'text':
    case 'course':
    case 'rate':
      return row.cells[column.place] ?? null
  }
}

/** What a column is called where it is copied: changes per day say so. */
function headerOf(column: Column, rows: readonly CopiedRow[]): string {
  const isDaily = column.kind === 'change' && rows.some(({ changes }) => changes(column)?.perDay)
  return isDaily ? `${column.key} per day` : column.key
}

/** One cell without quotes: it may be pasted anywhere, and nowhere becomes a formula. */
export function cellToCopy(row: CopiedRow, column: Column): string {
  const cell = raw(row, column)
  return typeof cell === 'string' ? spreadsheetSafe(cell) : String(cell ?? '')
}

/**
 * Rows as tab-separated text for a spreadsheet: numbers raw, text quoted where it must be and never a formula.
 * @param headers whether a line with the columns' headers comes first
 */
export function tabSeparated(
  columns: readonly Column[],
  rows: readonly CopiedRow[],
  headers: boolean,
): string {
  const cells = rows.map((row) => columns.map((column) => raw(row, column)))
  const lines = headers ? [columns.map((column) => headerOf(column, rows)), ...cells] : cells
  // Without the end of the last line: it would empty the line below where it is pasted.
  return delimited(lines, clipboardForm).slice(0, -clipboardForm.lineEnd.length)
}
