import type { Cell, TableRow } from '../../../src-shared/service/answers.ts'
import { NOTHING, count, rate } from '../formats.ts'

/** A column after the label's; `cells[place]` stands in it. */
export type Column = {
  readonly header: string
  readonly place: number
  readonly kind: 'count' | 'rate'
}

const RATE = / Rate$/

/** The columns after the label's; a rate is known by its header, beside the count it belongs to. */
export function columnsOf(headers: readonly string[]): Column[] {
  return headers.slice(1).map((header, place) => ({
    header,
    place,
    kind: RATE.test(header) && headers.includes(header.replace(RATE, '')) ? 'rate' : 'count',
  }))
}

/** A cell as it is read: rates are percentages, and come as numbers or as text; null and what is no number is a dash. */
export function cellText(cell: Cell | undefined, kind: Column['kind']): string {
  if (cell === null || cell === undefined || cell === '') return NOTHING
  if (kind === 'count') return typeof cell === 'number' ? count(cell) : cell
  const value = typeof cell === 'number' ? cell : Number(cell)
  if (Number.isFinite(value)) return rate(value)
  return typeof cell === 'number' ? NOTHING : cell
}

/** Labels longer than this are cut, with a button to read them whole. */
export const LONGEST_LABEL = 160

/** The beginning of a long label, never ending inside a character. */
export function cut(label: string): string {
  return Array.from(label.slice(0, LONGEST_LABEL * 2))
    .slice(0, LONGEST_LABEL)
    .join('')
}

/** A row's cells under `columns`, as text. */
export const rowTexts = (row: TableRow, columns: readonly Column[]): string[] =>
  columns.map(({ kind, place }) => cellText(row.cells[place], kind))
