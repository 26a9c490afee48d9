import { randomUUID } from 'node:crypto'
import { maxStored } from '#main/analytics/rows-layout.ts'
import { invalid } from '#shared/api/failure.ts'
import { withoutGuardsSql } from '#shared/values/delimited.ts'
import { longestRecord } from '../csv/columns.ts'
import type { NamedColumn } from '../csv/columns.ts'
import { mayHaveLongLine } from '../csv/lenient-parser.ts'
import { columnsOf } from '../csv/values.ts'
import type { ColumnChoice } from '../csv/values.ts'
import { bytesOf } from './tables.ts'
import type { Unpacked } from './tables.ts'

/** A table with its columns. Very wide tables are packed: cells after the first `maxStored` share one column. */
export type PlacedTable = {
  readonly table: Unpacked
  readonly columns: readonly NamedColumn[]
  readonly nth: number
  readonly isPacked: boolean
  /** Text that no cell has: the engine reads it as a missing cell. Null if a row that lacks cells is an error. */
  readonly missing: string | null
}

/** Read buffer of the engine in bytes. A record must fit into it. */
const portion = 5 << 20

/** Column with the number of the table in rows that lack cells, and otherwise null. */
export const lacksCellsOf = 'lacks_cells_of'

/** @throws DeskFailure if the table is too wide for an archive of several */
export function placeTable(table: Unpacked, nth: number, all: readonly Unpacked[]): PlacedTable {
  const isPacked = table.headers.length > maxStored + 1
  if (isPacked && all.length > 1)
    throw invalid('This archive has several tables, and one has too many columns. Add them one by one.')
  return { table, nth, isPacked, columns: columnsOf(table), missing: null }
}

/** Columns that are not packed. */
export const ownColumns = ({ columns, isPacked }: PlacedTable) =>
  isPacked ? columns.slice(0, maxStored) : columns

export const choiceOf = (tables: readonly PlacedTable[], name: string): ColumnChoice | undefined =>
  tables.flatMap(({ table }) => table.choice?.columns ?? []).find((column) => column.name === name)

/** Whether the engine can be tried: it would skip a line that is longer than its buffer without an error. @throws disk errors */
export async function isForEngine(read: readonly PlacedTable[]): Promise<boolean> {
  if (read.some(({ isPacked, table }) => isPacked || !table.isPlain)) return false
  for (const { table } of read)
    if (await mayHaveLongLine(table.path, portion, table.ending.charCodeAt(table.ending.length - 1)))
      return false
  return true
}

/** Whether the engine rejected a table's content, and not the disk or a cancellation. Only the kind of error tells: lines are quoted behind it. */
export const isOfTable = (error: unknown): error is Error =>
  error instanceof Error &&
  /^(?:(?:Invalid Input|Conversion) Error|[\w ]+ Error: CSV Error)\b/.test(error.message)

/**
 * Whether the engine rejected a line that lacks cells and could be a row. A quote or a backslash leaves it to our own parser, as does a
 * file without a line break at its end, which may have been cut.
 * @throws disk errors
 */
export async function lacksCells({ message }: Error, read: readonly PlacedTable[]): Promise<boolean> {
  // The engine quotes a line together with the `\n` of the `\r\n` before it.
  const words = /\nOriginal Line: \n?[^"\\\n]*\nExpected Number of Columns: (\d+) Found: (\d+)/.exec(message)
  const [expected, found] = [Number(words?.[1]), Number(words?.[2])]
  if (!(found > 1 && found < expected)) return false
  for (const { table } of read)
    if ((await bytesOf(table.path, table.to - 1, 1)).toString() !== '\n') return false
  return true
}

/** Fills missing cells instead of rejecting their row. */
export const withCellsFilled = (placed: PlacedTable): PlacedTable => ({ ...placed, missing: randomUUID() })

/**
 * SQL of a table's cells, all of them texts; empty cells are null. If missing cells are filled, `lacksCellsOf` is a column too, and the
 * query fails at a row that lacks cells unless our own parser would certainly read it as this row.
 */
export function csvSql(placed: PlacedTable, errors: 'ignored' | 'thrown'): string {
  const { table, columns, nth, isPacked, missing } = placed
  const cells = (isPacked ? columns.slice(0, maxStored + 1) : columns).map((_, place) => `c${place}`)
  const types = cells.map((cell) => `'${cell}': 'VARCHAR'`).join(', ')
  const delimiter = table.dialect.delimiter.replace('\t', '\\t').replace("'", "''")
  const ending = table.ending === '\r\n' ? '\\r\\n' : '\\n'
  const fill = missing === null ? '' : `null_padding = true, nullstr = '${missing}',`
  const read = `read_csv($p${nth}, auto_detect = false, columns = {${types}}, header = ${table.isPlain}, delim = '${delimiter}', quote = '"',
    escape = '"', new_line = '${ending}', ignore_errors = ${errors === 'ignored'}, ${fill} compression = 'none',
    hive_partitioning = false, max_line_size = ${longestRecord}, buffer_size = ${portion})`
  const filled = missing === null ? read : `(${filledSql(placed, cells, read)})`
  if (!table.isGuarded) return filled
  const others = missing === null ? '' : `, ${lacksCellsOf}`
  return `(SELECT ${cells.map((cell) => `${withoutGuardsSql(cell)} AS ${cell}`).join(', ')}${others} FROM ${filled})`
}

function filledSql({ columns, table, nth }: PlacedTable, cells: readonly string[], read: string): string {
  const time = columns.findIndex(({ standard }) => standard === 'timestamp')
  // Other rules for quotes could find more cells in a text with one of these.
  const odd = [...`${table.dialect.delimiter}"\\\r\n`].map(
    (text) => `\\x{${text.charCodeAt(0).toString(16)}}`,
  )
  const isRow = [
    'c1 IS NOT NULL',
    ...(time < 0 ? [] : [`(c${time} IS NULL OR regexp_matches(c${time}, '[0-9]'))`]),
    `NOT regexp_matches(concat(${cells.join(', ')}), '[${odd.join('')}]')`,
  ]
  const lacks = `CASE WHEN c${cells.length - 1} IS NULL
    THEN CASE WHEN ${isRow.join(' AND ')} THEN ${nth} ELSE error('not certainly a row of ' || length(c0)) END END`
  return `SELECT ${cells.map((cell) => `nullif(${cell}, '') AS ${cell}`).join(', ')}, ${lacks} AS ${lacksCellsOf} FROM ${read}`
}
