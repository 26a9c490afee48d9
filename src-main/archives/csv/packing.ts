import { cellsOf } from './record.ts'
import type { Delimiter } from './record.ts'

/** Stands between cells that are packed into one; and before what stands for one of these two letters within a cell. */
const unit = '\x1f'
const mark = '\x1e'

/** The cells that were packed into one. */
export const unpacked = (rest: string): string[] =>
  rest.split(unit).map((cell) => cell.replaceAll(`${mark}1`, unit).replaceAll(`${mark}0`, mark))

const quotedCell = (cell: string) => `"${cell.replaceAll('"', '""')}"`

/**
 * A record with the cells behind the first `kept` in one: the engine takes a few hundred columns at a time, and memory for thousands.
 */
export function packed(record: Buffer, delimiter: Delimiter, stored: number): Buffer {
  const cells = cellsOf(record.toString('utf8'), delimiter)
  const rest = cells
    .slice(stored)
    .map((cell) => cell.replaceAll(mark, `${mark}0`).replaceAll(unit, `${mark}1`))
  return Buffer.from([...cells.slice(0, stored), rest.join(unit)].map(quotedCell).join(delimiter))
}
