import { labelText } from '../reports/rows.ts'
import type { Cell, TableRow } from '../api/answers.ts'

/** A column that is taken out of the app. `place` 0 is the label's, 1 the first cell's. */
export type ExportColumn = {
  readonly header: string
  readonly place: number
  /** A `daily` is a change per day, a `proportion` one in percent; `points` are the difference of two rates. */
  readonly kind: 'label' | 'count' | 'rate' | 'change' | 'daily' | 'proportion' | 'points'
}

export type Value = number | string | null

const RATE = / Rate$/

/**
 * The columns of a table under the headers asked for, in that order; a header that the table lacks is left out. Where
 * nothing is asked for, or nothing of it is there, all of them.
 */
export function columnsFor(
  headers: readonly string[],
  requested: readonly string[] = headers,
): ExportColumn[] {
  const free = headers.map((header, place) => ({ header, place }))
  const chosen = requested.flatMap((header) => {
    const offset = free.findIndex((item) => item.header === header)
    return offset < 0 ? [] : free.splice(offset, 1)
  })
  if (chosen.length === 0 && requested !== headers) return columnsFor(headers)
  return chosen.map(({ header, place }) => ({ header, place, kind: kindOf(headers, header, place) }))
}

function kindOf(headers: readonly string[], header: string, place: number): ExportColumn['kind'] {
  if (place === 0) return 'label'
  return RATE.test(header) && headers.includes(header.replace(RATE, '')) ? 'rate' : 'count'
}

/** What stands in a column of a row: rates in percent, as numbers; null where nothing is known. */
export function valueAt(row: TableRow, { place, kind }: ExportColumn): Value {
  if (place === 0) return labelText(row.label)
  const cell = row.cells[place - 1] ?? null
  return kind === 'rate' ? rateOf(cell) : numberOr(cell)
}

const numberOr = (cell: Cell): Value => (typeof cell === 'number' && !Number.isFinite(cell) ? null : cell)

/** Services send rates as numbers or as numbers in text (field notes: additions to tables). */
function rateOf(cell: Cell): Value {
  if (typeof cell !== 'string' || cell.trim() === '') return numberOr(cell)
  const value = Number(cell)
  return Number.isFinite(value) ? value : cell
}
