import { labelText } from '../../../src-shared/reports/rows.ts'
import type { Cell, TableRow } from '../../../src-shared/service/answers.ts'
import type { Column } from './columns.ts'
import type { RowChanges } from '../../../src-shared/reports/row-changes.ts'

/** What a row of a selection is made of; `changes` are looked up by its columns of changes. */
export type CopiedRow = { readonly row: TableRow; readonly changes: RowChanges }

/** What a spreadsheet would take for a formula when it is pasted. */
const FORMULA = /^[=+\-@\t\r]/

/** A field of tab-separated text: what would end it early stands in quotes. */
const quoted = (text: string) => (/[\t\n\r"]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

/** Text that stays text in a spreadsheet. */
export const asText = (text: string) => quoted(FORMULA.test(text) ? `'${text}` : text)

/** Figures as they are, without a thousands separator; nothing for null. */
function figure(cell: Cell | undefined): string {
  if (typeof cell === 'number') return String(cell)
  return cell === null || cell === undefined ? '' : cell
}

/** A cell as it is copied, before anything is done for its surroundings. */
function raw({ row, changes }: CopiedRow, column: Column): Cell {
  switch (column.kind) {
    case 'label':
      return labelText(row.label)
    case 'change':
      return changes(column)?.difference ?? null
    case 'points':
      return changes(column)?.points ?? null
    case 'count':
    case 'rate':
      return row.cells[column.place] ?? null
  }
}

/** One cell, exactly as it is: it may be pasted anywhere. */
export function cellToCopy(row: CopiedRow, column: Column): string {
  return figure(raw(row, column))
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
  const lines = rows.map((row) =>
    columns
      .map((column) => {
        const cell = raw(row, column)
        return typeof cell === 'string' ? asText(cell) : figure(cell)
      })
      .join('\t'),
  )
  return (headers ? [columns.map(({ key }) => asText(key)).join('\t'), ...lines] : lines).join('\n')
}
