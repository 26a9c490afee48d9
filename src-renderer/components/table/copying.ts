import type { App } from '#renderer/stores/app.ts'
import type { Cell, TableRow } from '#shared/api/answers.ts'
import type { RowChanges } from '#shared/reports/change.ts'
import { labelText } from '#shared/reports/rows.ts'
import { clipboardForm, delimited, spreadsheetSafe } from '#shared/values/delimited.ts'
import { count } from '../formats.ts'
import type { Column } from './columns.ts'
import type { Drawing } from './row-element.ts'
import type { RowSource } from './row-pool.ts'
import { ALL_ROW, HEADER_ROW, areaOf, isOneCell } from './selection.ts'
import type { Selection } from './selection.ts'

/** What is copied, and what to say of it. */
export type Copy = { readonly text: string; readonly words: string }

type From = {
  readonly drawing: Pick<Drawing, 'columns' | 'changes'>
  readonly rows: RowSource
  readonly all: TableRow | null
}

/** What a selection holds, as text for the clipboard. Rows that are not loaded are left out, and that is said. */
export function copyOf(selection: Selection, { drawing, rows, all }: From): Copy {
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

/** What a row of a selection is made of; `changes` are looked up by its columns of changes. */
type CopiedRow = { readonly row: TableRow; readonly changes: RowChanges }

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

/** The bridge takes no longer text. */
const LONGEST_COPY = 20_000_000

/** Puts text into the clipboard, and says what became of it. */
export async function copyText(
  { bridge, messages }: Pick<App, 'bridge' | 'messages'>,
  text: string,
  words: string,
): Promise<void> {
  if (text.length > LONGEST_COPY) {
    messages.show('Too much for the clipboard. Export includes all rows.')
    return
  }
  const outcome = await bridge.call('desk/copy', { text })
  messages.show(outcome.ok ? words : outcome.failure.message)
}
