import type { FirstColumn } from '../../src-shared/reports/call.ts'
import { labelText } from '../../src-shared/reports/labels.ts'
import type { Cell, Table, TableRow } from '../../src-shared/service/answers.ts'
import type { SortKey } from '../../src-shared/service/parameters.ts'

/** What the specification says that holds where no sort is asked for. */
const byDefault: SortKey = { column: 1, direction: 'desc' }

/** By what the order of rows can be told. The order of labels is left open, so any usual one will do. */
type Compare = (one: TableRow, other: TableRow) => number

const byLetters: Compare = (one, other) => order(labelText(one.label), labelText(other.label))
const byFoldedLetters: Compare = (one, other) =>
  order(labelText(one.label).toLowerCase(), labelText(other.label).toLowerCase())

/**
 * Learns from an answer what its service counts columns from: the only reading under which the rows stand in the
 * order that was asked for. Null where both readings fit, or neither.
 * @param standard the headers that a sort can name, the label's first
 * @param sort as it was sent; its first key tells
 */
export function firstColumnOf(
  table: Table,
  standard: readonly string[],
  sort: readonly SortKey[],
): FirstColumn | null {
  const { column, direction } = sort[0] ?? byDefault
  const fits = ([0, 1] as const).filter((first) => {
    const header = standard[column - first]
    const place = header === undefined ? -1 : table.headers.indexOf(header)
    return place >= 0 && comparesOf(place).some((compare) => isSorted(table.rows, compare, direction))
  })
  // One row, or rows that are all alike, stand in every order.
  return fits.length === 1 && table.rows.length > 1 ? (fits[0] ?? null) : null
}

const comparesOf = (place: number): readonly Compare[] =>
  place === 0
    ? [byLetters, byFoldedLetters]
    : [(one, other) => amount(one.cells[place - 1]) - amount(other.cells[place - 1])]

function isSorted(rows: readonly TableRow[], compare: Compare, direction: SortKey['direction']): boolean {
  const turn = direction === 'asc' ? 1 : -1
  return rows.every((row, index) => {
    const before = rows[index - 1]
    return before === undefined || turn * compare(before, row) <= 0
  })
}

const order = (one: string, other: string): number => (one < other ? -1 : Number(one > other))

/** Null is less than any count. */
const amount = (cell: Cell | undefined): number => (typeof cell === 'number' ? cell : -1)
