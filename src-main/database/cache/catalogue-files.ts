import * as v from 'valibot'
import type { DayRange } from '#shared/values/day.ts'
import type { DataScopeId } from '#shared/values/ids.ts'
import { day, branded } from '#shared/values/schemas.ts'
import type { TableId, TablePlace } from '#main/analytics/history-layout.ts'
import type { Reader, Writer } from '../sqlite/database.ts'
import { put, query, remove, table } from '../sqlite/database.ts'
import { forgetTables, tableFrom, tableRow, withFile } from './catalogue-repository.ts'
import type { Unused } from './catalogue-repository.ts'

const rowsFile = v.object({ id: v.string(), path: v.string(), entry: v.string() })

/** Catalogue entry of an archive's rows. The reader validates its text (src-main/analytics/rows-layout.ts). */
type CataloguedRows = Readonly<v.InferOutput<typeof rowsFile>>

const rowsFiles = table('rows_files', rowsFile)

type OfDataScope = { readonly dataScope: DataScopeId }

export const rowsFileOperations = {
  'rows-files/list': (from: Reader, { dataScope }: OfDataScope): readonly CataloguedRows[] =>
    rowsFiles.list(from, 'WHERE data_scope = ? ORDER BY id', dataScope),
  /** Inserts rows, or replaces those with the same id. */
  'rows-files/put': (into: Writer, { dataScope, id, path, entry }: CataloguedRows & OfDataScope): void =>
    put(into, 'rows_files', ['dataScope', 'id'], { dataScope, id, path, entry }),
  'rows-files/remove': (from: Writer, { dataScope, id }: OfDataScope & Pick<CataloguedRows, 'id'>): void =>
    void remove(from, 'rows_files', { dataScope, id }),
} as const

const tablesInFiles = table(
  withFile('kept_tables'),
  v.object({
    ...v.omit(tableRow, ['bytes', 'head']).entries,
    subject: v.string(),
    /**
     * From the table's head (src-main/analytics/history-layout.ts), as JSON: the label's header, the columns, and the names of
     * the totals.
     */
    labelHeader: v.nullable(v.string()),
    columns: v.string(),
    totals: v.string(),
  }),
  {
    labelHeader: "head ->> '$.headers[0]'",
    columns: "head -> '$.columns'",
    totals: "(SELECT json_group_array(value ->> 0) FROM json_each(head, '$.total'))",
  },
)

/** Skips unreadable rows. */
const listTablesInFiles = (from: Reader, dataScope: DataScopeId) =>
  tablesInFiles
    .list(from, 'WHERE kept_tables.data_scope = ? AND json_valid(head) ORDER BY path, first_day', dataScope)
    .flatMap(tableFrom)

/** A stored table, as needed to copy its file. */
export type TableInFile = Readonly<ReturnType<typeof listTablesInFiles>[number]>

export const publishableOperations = {
  /** Lists all tables of a data scope by file and day. A single read, so that no day of a subject appears twice. */
  'tables/in-files': (from: Reader, dataScope: DataScopeId): readonly TableInFile[] =>
    listTablesInFiles(from, dataScope),
} as const

/** Number of days of one table, and of several tables. */
const days = 'cast(julianday(last_day) - julianday(first_day) + 1 AS INTEGER)'
const allDays = 'cast(sum(julianday(last_day) - julianday(first_day) + 1) AS INTEGER)'

/** Invalid values of a damaged file become 0 until the damage is detected. */
const size = v.fallback(v.number(), 0)

/** Size of all stored figures: table files and answers. */
const storedSize = v.object({
  /** In bytes, of all accounts. */
  tables: size,
  answers: size,
  /** Number of days, counted per table. */
  days: size,
})
type StoredSizes = Readonly<v.InferOutput<typeof storedSize>>

/** Does not read the texts; SQLite knows their length. */
export function storedSizes(from: Reader): StoredSizes {
  const sql = `SELECT (SELECT coalesce(sum(size), 0) FROM history_files) AS tables,
      (SELECT coalesce(${allDays}, 0) FROM kept_tables) AS days,
      (SELECT coalesce(sum(octet_length(text)), 0) FROM answers) AS answers`
  return v.parse(storedSize, from.row(sql))
}

/** Size of a data scope's stored tables. */
const dataScopeSize = v.object({
  dataScope: branded<DataScopeId>(),
  /** Size of the files, in bytes. */
  bytes: size,
  rows: size,
  /** Number of days, counted per table. */
  days: size,
  /** The first day; null if there is none. */
  since: v.fallback(v.nullable(day), null),
})
type DataScopeSize = Readonly<v.InferOutput<typeof dataScopeSize>>

/** Tables of this subject that overlap these days are not deleted. */
export type Spared = TablePlace & { readonly range: DayRange }

const row = v.object({
  id: branded<TableId>(),
  dataScope: v.string(),
  subject: v.string(),
  firstDay: v.string(),
  lastDay: v.string(),
  file: v.string(),
  size: v.number(),
  days: size,
})
type Row = v.InferOutput<typeof row>

const rows = table(withFile('kept_tables'), row, { dataScope: 'kept_tables.data_scope', days })

/** Size limit in bytes, and tables that remain in any case. */
type Limit = { readonly bytes: number; readonly spare: readonly Spared[] }

/** Tables beyond a limit. */
type BeyondLimit = { readonly ids: readonly TableId[]; readonly bytes: number; readonly days: number }

/**
 * Returns the oldest files whose deletion brings the size down to `bytes`, except spared ones. Only whole files are deleted,
 * because only that frees disk space.
 */
function oldestBeyond(from: Reader, { bytes, spare }: Limit): BeyondLimit {
  const max = storedSizes(from).tables
  let left = max
  const files = new Map<string, Row[]>()
  for (const item of left <= bytes ? [] : rows.list(from, 'ORDER BY fetched_at, first_day')) {
    const tables = files.get(item.file)
    if (tables) tables.push(item)
    else files.set(item.file, [item])
  }
  const isSpared = ({ dataScope, subject, firstDay, lastDay }: Row) =>
    spare.some(
      (spared) =>
        spared.dataScope === dataScope &&
        spared.subject === subject &&
        firstDay <= spared.range.end &&
        spared.range.start <= lastDay,
    )
  const going: Row[] = []
  for (const tables of files.values()) {
    if (left <= bytes) break
    if (tables.some(isSpared)) continue
    going.push(...tables)
    left -= tables[0]?.size ?? 0
  }
  const ids = going.map(({ id }) => id)
  return { ids, bytes: max - left, days: going.reduce((sum, item) => sum + item.days, 0) }
}

export const catalogueSizeOperations = {
  'tables/sizes': storedSizes,
  'tables/sizes-by-data-scope': (from: Reader): readonly DataScopeSize[] =>
    query(
      from,
      dataScopeSize,
      `SELECT files.data_scope AS dataScope, files.bytes AS bytes, coalesce(kept.rows, 0) AS rows,
         coalesce(kept.days, 0) AS days, kept.since AS since
       FROM (SELECT data_scope, sum(size) AS bytes FROM history_files GROUP BY data_scope) AS files
       LEFT JOIN (
         SELECT data_scope, sum(rows) AS rows, min(first_day) AS since, ${allDays} AS days
         FROM kept_tables GROUP BY data_scope
       ) AS kept ON kept.data_scope = files.data_scope`,
    ),
  /** Returns the size that `tables/let-oldest-go` would delete. */
  'tables/beyond-limit': (from: Reader, limit: Limit): Omit<BeyondLimit, 'ids'> => {
    const { bytes, days } = oldestBeyond(from, limit)
    return { bytes, days }
  },
  /** Removes the oldest files beyond the limit from the catalogue. Returns the files to delete. */
  'tables/let-oldest-go': (from: Writer, limit: Limit): Unused =>
    forgetTables(from, oldestBeyond(from, limit).ids),
} as const
