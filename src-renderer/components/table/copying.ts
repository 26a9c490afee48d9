import { count } from '../formats.ts'
import type { Column } from './columns.ts'
import type { Drawing } from './row-element.ts'
import type { RowSource } from './row-source.ts'
import { ALL_ROW, HEADER_ROW, areaOf, isOneCell } from './selection.ts'
import type { Selection } from './selection.ts'
import { cellToCopy, tabSeparated } from './tab-separated.ts'
import type { CopiedRow } from './tab-separated.ts'
import type { TableRow } from '#shared/api/answers.ts'
import { spreadsheetSafe } from '#shared/values/spreadsheet-text.ts'

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
  return `${cells} ${count(missing)} that are not loaded were left out; Export takes all rows.`
}
