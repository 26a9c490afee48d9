import type { Cell, TableRow } from '#shared/api/answers.ts'
import type { RowChanges } from '#shared/reports/change.ts'
import { labelText } from '#shared/reports/rows.ts'
import { clipboardForm, delimited, spreadsheetSafe } from '#shared/values/delimited.ts'
import { count } from '../formats.ts'
import type { Column } from './columns.ts'
import type { RowDrawing } from './row-element.ts'
import type { RowSource } from './row-pool.ts'
import { ALL_ROW, HEADER_ROW, areaOf, isOneCell } from './selection.ts'
import type { CellSelection } from './selection.ts'

/** Text for the clipboard, and the confirmation to show. */
export type Copy = { readonly text: string; readonly words: string }

type From = {
  readonly drawing: Pick<RowDrawing, 'columns' | 'changes'>
  readonly rows: RowSource
  readonly all: TableRow | null
}

/** Returns the text of a selection. Rows that are not loaded are left out, and the confirmation says so. */
export function copyOf(selection: CellSelection, { drawing, rows, all }: From): Copy {
  const { top, bottom, left, right } = areaOf(selection)
  const columns = drawing.columns.slice(left, right + 1)
  const found: CopiedRow[] = []
  const take = (row: TableRow | null) => row && found.push({ row, changes: drawing.changes(row) })
  if (top <= ALL_ROW && bottom >= ALL_ROW) take(all)
  for (let index = Math.max(0, top); index <= bottom; index += 1) take(rows.row(index))
  const [first] = found
  const [column] = columns
  if (isOneCell(selection) && column) {
    const text = first ? cellToCopy(first, column) : top === HEADER_ROW ? spreadsheetSafe(column.key) : ''
    return { text, words: 'Copied one cell.' }
  }
  const missing = bottom - Math.max(0, top) + 1 - found.filter(({ row }) => row !== all).length
  return {
    text: tabSeparated(columns, found, top === HEADER_ROW),
    words: wordsFor(found.length, columns, bottom >= 0 ? missing : 0),
  }
}

function wordsFor(rows: number, columns: readonly Column[], missing: number): string {
  const cells = `Copied ${count(rows)} ${rows === 1 ? 'row' : 'rows'} of ${count(columns.length)} ${columns.length === 1 ? 'column' : 'columns'}.`
  if (missing === 0) return cells
  return `${cells} ${count(missing)} not loaded were left out. Export includes all rows.`
}

type CopiedRow = { readonly row: TableRow; readonly changes: RowChanges }

/** Value of a cell, before escaping. */
function raw({ row, changes }: CopiedRow, column: Column): Cell {
  switch (column.kind) {
    case 'label':
      return labelText(row.label)
    case 'change':
      return changes(column)?.difference ?? null
    case 'points':
      return changes(column)?.points ?? null
    case 'count':
    case 'text':
    case 'course':
    case 'rate':
      return row.cells[column.place] ?? null
  }
}

/** Copied header of a column; changes per day say so. */
function headerOf(column: Column, rows: readonly CopiedRow[]): string {
  const isDaily = column.kind === 'change' && rows.some(({ changes }) => changes(column)?.perDay)
  return isDaily ? `${column.key} per day` : column.key
}

/** Returns a single cell without quotes, safe from being read as a formula. */
export function cellToCopy(row: CopiedRow, column: Column): string {
  const cell = raw(row, column)
  return typeof cell === 'string' ? spreadsheetSafe(cell) : String(cell ?? '')
}

/**
 * Returns rows as tab-separated text for a spreadsheet: raw numbers, and text quoted if needed and never a formula.
 * @param headers whether the first line has the headers
 */
export function tabSeparated(
  columns: readonly Column[],
  rows: readonly CopiedRow[],
  headers: boolean,
): string {
  const cells = rows.map((row) => columns.map((column) => raw(row, column)))
  const lines = headers ? [columns.map((column) => headerOf(column, rows)), ...cells] : cells
  // Without the last line end, which would clear the row below the pasted ones.
  return delimited(lines, clipboardForm).slice(0, -clipboardForm.lineEnd.length)
}
