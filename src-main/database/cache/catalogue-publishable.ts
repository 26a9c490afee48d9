import * as v from 'valibot'
import type { Doubt } from '#shared/reports/doubt.ts'
import { doubts } from '#shared/reports/doubt.ts'
import type { Day } from '#shared/values/day.ts'
import type { Instant, DataScopeId } from '#shared/values/ids.ts'
import { day } from '#shared/values/schemas.ts'
import type { Reader } from '../sqlite/database.ts'
import type { HistoryFile, HistoryPath, TableId } from './stored-table.ts'

/** A kept table, as far as it matters where its whole file is copied. */
export type TableInFile = {
  readonly id: TableId
  readonly subject: string
  readonly start: Day
  readonly end: Day
  /** False where it has its totals alone. */
  readonly whole: boolean
  readonly rows: number
  readonly fetchedAt: Instant
  readonly doubt: Doubt | null
  readonly file: HistoryFile
  /** What its head says of its columns (history/head.ts), as JSON: the label's header, the columns, the totals' names. */
  readonly labelHeader: string | null
  readonly columns: string
  readonly totals: string
}

const count = v.pipe(v.number(), v.integer(), v.minValue(0))
const tableInFile = v.pipe(
  v.object({
    id: v.string(),
    subject: v.string(),
    start: day,
    end: day,
    whole: v.picklist([0, 1]),
    rows: count,
    fetchedAt: count,
    doubt: v.nullable(v.picklist(doubts)),
    path: v.string(),
    size: count,
    checksum: v.string(),
    tables: count,
    labelHeader: v.nullable(v.string()),
    columns: v.string(),
    totals: v.string(),
  }),
  v.transform(({ id, whole, fetchedAt, path, size, checksum, tables, ...table }): TableInFile => ({
    ...table,
    id: id as TableId,
    whole: whole === 1,
    fetchedAt: fetchedAt as Instant,
    file: { path: path as HistoryPath, size, checksum, tables },
  })),
)

/** All that is kept of an owner, by file and day. A row that cannot be read is passed over. */
export function tablesInFiles(from: Reader, owner: DataScopeId): TableInFile[] {
  const sql = `SELECT id, subject, first_day AS start, last_day AS "end", whole, rows, fetched_at AS fetchedAt, doubt,
      path, size, checksum, history_files.tables AS tables, head ->> '$.headers[0]' AS labelHeader,
      head -> '$.columns' AS columns,
      (SELECT json_group_array(value ->> 0) FROM json_each(head, '$.total')) AS totals
    FROM kept_tables JOIN history_files ON path = file
    WHERE kept_tables.owner = ? AND json_valid(head) ORDER BY path, first_day`
  return from.rows(sql, owner).flatMap((row) => {
    const read = v.safeParse(tableInFile, row)
    return read.success ? read.output : []
  })
}

export const publishableOperations = {
  /** All that is kept of an owner, by file and day, in one look: no day of a subject is in two of them. */
  'tables/in-files': (from: Reader, owner: DataScopeId): readonly TableInFile[] => tablesInFiles(from, owner),
} as const
