import * as v from 'valibot'
import { doubts } from '#shared/reports/answer.ts'
import type { Doubt } from '#shared/reports/answer.ts'
import type { Day, DayRange } from '#shared/values/day.ts'
import type { DataScopeId, Instant } from '#shared/values/ids.ts'
import { day, branded } from '#shared/values/schemas.ts'
import type { Reader, Writer } from '../sqlite/database.ts'
import { forgetTables } from './catalogue-repository.ts'
import type { Unused } from './catalogue-repository.ts'
import type { HistoryFile, HistoryPath, TableId, TablePlace } from '#main/analytics/history-layout.ts'

/** What the catalogue knows of the rows of an archive. What the text says is checked by who reads it (src-main/analytics/rows-layout.ts). */
type CataloguedRows = { readonly id: string; readonly path: string; readonly entry: string }

const row = v.object({ id: v.string(), path: v.string(), entry: v.string() })

function rowsFiles(from: Reader, { owner }: { readonly owner: DataScopeId }): readonly CataloguedRows[] {
  return from
    .rows('SELECT id, path, entry FROM rows_files WHERE owner = ? ORDER BY id', owner)
    .flatMap((item) => {
      const read = v.safeParse(row, item)
      return read.success ? [read.output] : []
    })
}

/** Puts rows in the place of those that are known by the same id. */
function putRowsFile(
  into: Writer,
  { owner, id, path, entry }: CataloguedRows & { readonly owner: DataScopeId },
): null {
  into.write(
    'INSERT OR REPLACE INTO rows_files (owner, id, path, entry) VALUES (?, ?, ?, ?)',
    owner,
    id,
    path,
    entry,
  )
  return null
}

function removeRowsFile(
  into: Writer,
  { owner, id }: { readonly owner: DataScopeId; readonly id: string },
): null {
  into.write('DELETE FROM rows_files WHERE owner = ? AND id = ?', owner, id)
  return null
}

export const rowsFileOperations = {
  'rows-files/list': rowsFiles,
  'rows-files/put': putRowsFile,
  'rows-files/remove': removeRowsFile,
} as const

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
  /** What its head says of its columns (src-main/analytics/history-layout.ts), as JSON: the label's header, the columns, the totals' names. */
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

/** All that is kept of a data scope, by file and day. A row that cannot be read is passed over. */
function tablesInFiles(from: Reader, owner: DataScopeId): TableInFile[] {
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
  /** All that is kept of a data scope, by file and day, in one look: no day of a subject is in two of them. */
  'tables/in-files': (from: Reader, owner: DataScopeId): readonly TableInFile[] => tablesInFiles(from, owner),
} as const

/** What kept figures take: files of kept tables, and kept answers beside them. */
type StoredSizes = {
  /** In bytes, of all accounts. */
  readonly tables: number
  readonly answers: number
  /** How many days the tables are about, each table's own counted. */
  readonly days: number
}

/** What a damaged file says is taken for nothing, until the damage is found. */
const size = v.fallback(v.number(), 0)
const sizesRow = v.object({ tables: size, answers: size, days: size })

/** Reads no answer's text: SQLite knows its length without. */
export function storedSizes(from: Reader): StoredSizes {
  const sql = `SELECT (SELECT coalesce(sum(size), 0) FROM history_files) AS tables,
      (SELECT coalesce(cast(sum(julianday(last_day) - julianday(first_day) + 1) AS INTEGER), 0) FROM kept_tables) AS days,
      (SELECT coalesce(sum(octet_length(text)), 0) FROM answers) AS answers`
  return v.parse(sizesRow, from.row(sql))
}

/** What kept tables of a data scope take. */
type OwnerSize = {
  readonly owner: DataScopeId
  /** Of its files, in bytes. */
  readonly bytes: number
  readonly rows: number
  /** How many days the tables are about, each table's own counted. */
  readonly days: number
  /** The first of them; null where there is none. */
  readonly since: Day | null
}

const ownerRow = v.object({
  owner: branded<DataScopeId>(),
  bytes: size,
  rows: size,
  days: size,
  since: v.fallback(v.nullable(day), null),
})

/** What is kept of each data scope. */
function sizesByOwner(from: Reader): readonly OwnerSize[] {
  const sql = `SELECT files.owner AS owner, files.bytes AS bytes, coalesce(kept.rows, 0) AS rows,
      coalesce(kept.days, 0) AS days, kept.since AS since
    FROM (SELECT owner, sum(size) AS bytes FROM history_files GROUP BY owner) AS files
    LEFT JOIN (
      SELECT owner, sum(rows) AS rows, min(first_day) AS since,
        cast(sum(julianday(last_day) - julianday(first_day) + 1) AS INTEGER) AS days
      FROM kept_tables GROUP BY owner
    ) AS kept ON kept.owner = files.owner`
  return from.rows(sql).flatMap((row) => {
    const read = v.safeParse(ownerRow, row)
    return read.success ? read.output : []
  })
}

/** A table of this subject that touches these days is not let go. */
export type Spared = TablePlace & { readonly range: DayRange }

const tableRow = v.object({
  id: branded<TableId>(),
  owner: v.string(),
  subject: v.string(),
  start: v.string(),
  end: v.string(),
  file: v.string(),
  size: v.number(),
  days: size,
})

/** Beyond how many bytes what is oldest goes, and what stays in any case. */
type Limit = { readonly bytes: number; readonly spare: readonly Spared[] }

/** What is beyond a limit. */
type BeyondLimit = { readonly ids: readonly TableId[]; readonly bytes: number; readonly days: number }

/**
 * The oldest files, until those that stay take no more than `bytes`, as far as what is spared allows. A file goes whole:
 * only then there is more room on the disk.
 */
function oldestBeyond(from: Reader, { bytes, spare }: Limit): BeyondLimit {
  const max = storedSizes(from).tables
  let left = max
  const files = new Map<string, v.InferOutput<typeof tableRow>[]>()
  const sql = `SELECT id, kept_tables.owner, subject, first_day AS start, last_day AS end, file, size,
      cast(julianday(last_day) - julianday(first_day) + 1 AS INTEGER) AS days
    FROM kept_tables JOIN history_files ON path = file ORDER BY fetched_at, first_day`
  for (const row of left <= bytes ? [] : from.iterate(sql)) {
    const read = v.safeParse(tableRow, row)
    if (!read.success) continue
    const tables = files.get(read.output.file)
    if (tables) tables.push(read.output)
    else files.set(read.output.file, [read.output])
  }
  const isSpared = ({ owner, subject, start, end }: v.InferOutput<typeof tableRow>) =>
    spare.some(
      (spared) =>
        spared.owner === owner &&
        spared.subject === subject &&
        start <= spared.range.end &&
        spared.range.start <= end,
    )
  const going: v.InferOutput<typeof tableRow>[] = []
  for (const tables of files.values()) {
    if (left <= bytes) break
    if (tables.some(isSpared)) continue
    going.push(...tables)
    left -= tables[0]?.size ?? 0
  }
  const days = going.reduce((sum, table) => sum + table.days, 0)
  return { ids: going.map(({ id }) => id), bytes: max - left, days }
}

export const catalogueSizeOperations = {
  'tables/sizes': (from: Reader): StoredSizes => storedSizes(from),
  'tables/sizes-by-owner': (from: Reader): readonly OwnerSize[] => sizesByOwner(from),
  /** What `tables/let-oldest-go` would remove, without doing it. */
  'tables/beyond-limit': (from: Reader, limit: Limit): Omit<BeyondLimit, 'ids'> => {
    const { bytes, days } = oldestBeyond(from, limit)
    return { bytes, days }
  },
  /** Lets the oldest files go until no more than so many bytes are kept; the files that are to be deleted. */
  'tables/let-oldest-go': (from: Writer, limit: Limit): Unused =>
    forgetTables(from, oldestBeyond(from, limit).ids),
} as const
