import { rawStandardColumns } from '#shared/api/raw-columns.ts'
import type { RawRows } from '../contracts/events.ts'
import type { RawOrder } from './order.ts'
import { orderedRows } from './rows.ts'

/** Columns that judge a row come before those that describe it. */
const first = ['result', 'rule_sets', 'invalid_traffic_type']

const PIECE = 64 * 1024

/**
 * The columns of an order's file in the service's own order, whatever the order they were asked in; the timestamp,
 * which stands before all of them, is not among them.
 */
export function fileColumns(order: RawOrder): readonly (string | number)[] {
  const judging = first.filter((value) => order.standard.includes(value))
  const others = rawStandardColumns[order.type].filter(
    (value) => order.standard.includes(value) && !judging.includes(value),
  )
  return [...judging, ...others, ...(order.additional ?? []).toSorted((a, b) => a - b)]
}

/** A column's header: upper case with spaces (field notes: raw reports). */
export function fileHeader(column: string | number): string {
  return typeof column === 'number' ? `ADDITIONAL ${column}` : column.replaceAll('_', ' ').toUpperCase()
}

/** The file of an order, in UTF-8 and RFC 4180, in pieces so that nobody holds all of it. */
export function* csvPieces(order: RawOrder, rows: RawRows): Iterable<Buffer> {
  const columns = fileColumns(order)
  let piece = line(['TIMESTAMP', ...columns.map(fileHeader)])
  for (const event of orderedRows(order, rows)) {
    piece += line([rows.timestamp(event), ...columns.map((column) => rows.value(order.type, column, event))])
    if (piece.length < PIECE) continue
    yield Buffer.from(piece)
    piece = ''
  }
  yield Buffer.from(piece)
}

function line(cells: readonly string[]): string {
  return `${cells.map(quoted).join(',')}\r\n`
}

function quoted(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
}
