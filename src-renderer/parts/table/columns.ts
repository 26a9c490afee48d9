import type { Cell, Label, TableRow } from '../../../src-shared/service/answers.ts'
import type { SortKey } from '../../../src-shared/service/parameters.ts'
import { NOTHING, count } from '../formats.ts'

/** A column after the label's. `position` is its number in a sort: the first after the label's is 1. */
export type Column = {
  readonly header: string
  readonly position: number
  readonly kind: 'count' | 'rate'
}

const RATE = / Rate$/

/** The columns after the label's; a rate is known by its header, beside the count it belongs to. */
export function columnsOf(headers: readonly string[]): Column[] {
  return headers.slice(1).map((header, index) => ({
    header,
    position: index + 1,
    kind: RATE.test(header) && headers.includes(header.replace(RATE, '')) ? 'rate' : 'count',
  }))
}

const rate = new Intl.NumberFormat(undefined, {
  style: 'percent',
  minimumFractionDigits: 1,
  maximumFractionDigits: 2,
})

/** A cell as it is read: rates are percentages, and come as numbers or as text; null and what is no number is a dash. */
export function cellText(cell: Cell | undefined, kind: Column['kind']): string {
  if (cell === null || cell === undefined || cell === '') return NOTHING
  if (kind === 'count') return typeof cell === 'number' ? count(cell) : cell
  const value = typeof cell === 'number' ? cell : Number(cell)
  if (Number.isFinite(value)) return rate.format(value / 100)
  return typeof cell === 'number' ? NOTHING : cell
}

/** What names a row, in words. */
export function labelText(label: Label): string {
  switch (label.kind) {
    case 'all':
      return label.name ?? 'All'
    case 'text':
      return label.text
    case 'instance':
      return label.name
  }
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
  columns.map(({ kind, position }) => cellText(row.cells[position - 1], kind))

/** The sort that holds: the service's own where none is asked for. */
export const effectiveSort = (sort: readonly SortKey[]): readonly SortKey[] =>
  sort.length > 0 ? sort : [{ column: 1, direction: 'desc' }]

/**
 * The sort after a header was clicked: that column alone, largest first, or the other way round where it was so
 * already. `adding` keeps the columns before it as the first keys, as far as the service takes them.
 */
export function sortAfterClick(
  sort: readonly SortKey[],
  column: number,
  adding: boolean,
  mostKeys: number,
): SortKey[] {
  const now = effectiveSort(sort)
  const before = now.find((key) => key.column === column)
  const key: SortKey = { column, direction: before?.direction === 'desc' ? 'asc' : 'desc' }
  if (!adding) return [key]
  if (before) return now.map((each) => (each === before ? key : each))
  return [...now.slice(0, mostKeys - 1), key]
}
