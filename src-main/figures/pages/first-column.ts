import type { FirstColumn } from '../../../src-shared/reports/call.ts'
import { labelText } from '../../../src-shared/reports/labels.ts'
import type { Table, TableRow } from '../../../src-shared/service/answers.ts'
import type { SortKey } from '../../../src-shared/service/parameters.ts'

/** What the specification says that holds where no sort is asked for. */
const byDefault: SortKey = { column: 1, direction: 'desc' }

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
    return place >= 0 && standInOrder(table.rows, place, direction)
  })
  // One row, or rows that are all alike, stand in every order.
  return fits.length === 1 && table.rows.length > 1 ? (fits[0] ?? null) : null
}

/**
 * Whether rows may have been sorted by a column. The order of labels is left open, so any usual one will do; and so is
 * where null stands among counts, so rows without one are passed over.
 */
function standInOrder(rows: readonly TableRow[], place: number, direction: SortKey['direction']): boolean {
  const turn = direction === 'asc' ? 1 : -1
  if (place > 0) {
    const counts = rows.map(({ cells }) => cells[place - 1]).filter((cell) => typeof cell === 'number')
    return isSorted(counts, (one, other) => turn * (one - other))
  }
  const labels = rows.map(({ label }) => labelText(label))
  const letters = (one: string, other: string) => turn * order(one, other)
  return [labels, labels.map((label) => label.toLowerCase())].some((each) => isSorted(each, letters))
}

function isSorted<T>(values: readonly T[], compare: (one: T, other: T) => number): boolean {
  return values.every((value, index) => {
    const before = values[index - 1]
    return before === undefined || compare(before, value) <= 0
  })
}

const order = (one: string, other: string): number => (one < other ? -1 : Number(one > other))
