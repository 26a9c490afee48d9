import type { Cell, Table, TableRow } from '../../../src-shared/service/answers.ts'
import { limits } from '../../../src-shared/service/limits.ts'
import type { SortKey } from '../../../src-shared/service/parameters.ts'
import { labelText } from './columns.ts'

/**
 * The number that a service gives the first column of its standard headers, the label's. The specification shows
 * column numbers in its default alone (`1:desc`) and does not say what they count from.
 */
export type FirstColumn = 0 | 1

/** The sort that holds: the service's own default where none is asked for. */
export const effectiveSort = (sort: readonly SortKey[]): readonly SortKey[] =>
  sort.length > 0 ? sort : [{ column: 1, direction: 'desc' }]

/**
 * The sort after a header was clicked: that column alone, `begin` first, or the other way round where it was sorted
 * already. `adding` keeps the keys before it, as many as the service takes.
 */
export function sortAfterClick(
  sort: readonly SortKey[],
  column: number,
  adding: boolean,
  begin: SortKey['direction'] = 'desc',
): SortKey[] {
  const now = effectiveSort(sort)
  const before = now.find((key) => key.column === column)
  const turned = before?.direction === 'desc' ? 'asc' : 'desc'
  const key: SortKey = { column, direction: before ? turned : begin }
  if (!adding) return [key]
  if (before) return now.map((each) => (each === before ? key : each))
  return [...now.slice(0, limits.sortKeys - 1), key]
}

/**
 * Learns from an answer what its service counts columns from: the only reading under which the rows stand in the
 * order that was asked for. Null where both readings fit, or neither.
 * @param standard the headers that a sort can name, the label's first
 */
export function firstColumnOf(
  table: Table,
  standard: readonly string[],
  sort: readonly SortKey[],
): FirstColumn | null {
  const [key, ...more] = effectiveSort(sort)
  if (!key || more.length > 0 || table.rows.length < 2) return null
  const fits = ([0, 1] as const).filter((first) => {
    const header = standard[key.column - first]
    const place = header === undefined ? -1 : table.headers.indexOf(header)
    return place >= 0 && isSorted(table.rows, place, key.direction)
  })
  return fits.length === 1 ? (fits[0] ?? null) : null
}

function isSorted(rows: readonly TableRow[], place: number, direction: SortKey['direction']): boolean {
  const turn = direction === 'asc' ? 1 : -1
  return rows.every((row, index) => {
    const before = rows[index - 1]
    return before === undefined || turn * compare(before, row, place) <= 0
  })
}

function compare(one: TableRow, other: TableRow, place: number): number {
  if (place === 0) {
    const [a, b] = [labelText(one.label).toLowerCase(), labelText(other.label).toLowerCase()]
    return a < b ? -1 : Number(a > b)
  }
  return amount(one.cells[place - 1]) - amount(other.cells[place - 1])
}

/** Null is less than any count. */
const amount = (cell: Cell | undefined): number => (typeof cell === 'number' ? cell : -1)
