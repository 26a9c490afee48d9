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

/** What the catalogue knows of the rows of an archive. What the text says is checked by who reads it (src-main/analytics/rows-layout.ts). */
type CataloguedRows = Readonly<v.InferOutput<typeof rowsFile>>

const rowsFiles = table('rows_files', rowsFile)

type OfOwner = { readonly owner: DataScopeId }

export const rowsFileOperations = {
  'rows-files/list': (from: Reader, { owner }: OfOwner): readonly CataloguedRows[] =>
    rowsFiles.list(from, 'WHERE owner = ? ORDER BY id', owner),
  /** Puts rows in the place of those that are known by the same id. */
  'rows-files/put': (into: Writer, { owner, id, path, entry }: CataloguedRows & OfOwner): void =>
    put(into, 'rows_files', ['owner', 'id'], { owner, id, path, entry }),
  'rows-files/remove': (from: Writer, { owner, id }: OfOwner & Pick<CataloguedRows, 'id'>): void =>
    void remove(from, 'rows_files', { owner, id }),
} as const

const tablesInFiles = table(
  withFile('kept_tables'),
  v.object({
    ...v.omit(tableRow, ['bytes', 'head']).entries,
    subject: v.string(),
    /** What its head says of its columns (src-main/analytics/history-layout.ts), as JSON: the label's header, the columns, the totals' names. */
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

/** A row that cannot be read is passed over. */
const listTablesInFiles = (from: Reader, owner: DataScopeId) =>
  tablesInFiles
    .list(from, 'WHERE kept_tables.owner = ? AND json_valid(head) ORDER BY path, first_day', owner)
    .flatMap(tableFrom)

/** A kept table, as far as it matters where its whole file is copied. */
export type TableInFile = Readonly<ReturnType<typeof listTablesInFiles>[number]>

export const publishableOperations = {
  /** All that is kept of a data scope, by file and day, in one look: no day of a subject is in two of them. */
  'tables/in-files': (from: Reader, owner: DataScopeId): readonly TableInFile[] =>
    listTablesInFiles(from, owner),
} as const

/** How many days tables are about: one, and several together. */
const days = 'cast(julianday(last_day) - julianday(first_day) + 1 AS INTEGER)'
const allDays = 'cast(sum(julianday(last_day) - julianday(first_day) + 1) AS INTEGER)'

/** What a damaged file says is taken for nothing, until the damage is found. */
const size = v.fallback(v.number(), 0)

/** What kept figures take: files of kept tables, and kept answers beside them. */
const storedSize = v.object({
  /** In bytes, of all accounts. */
  tables: size,
  answers: size,
  /** How many days the tables are about, each table's own counted. */
  days: size,
})
type StoredSizes = Readonly<v.InferOutput<typeof storedSize>>

/** Reads no answer's text: SQLite knows its length without. */
export function storedSizes(from: Reader): StoredSizes {
  const sql = `SELECT (SELECT coalesce(sum(size), 0) FROM history_files) AS tables,
      (SELECT coalesce(${allDays}, 0) FROM kept_tables) AS days,
      (SELECT coalesce(sum(octet_length(text)), 0) FROM answers) AS answers`
  return v.parse(storedSize, from.row(sql))
}

/** What kept tables of a data scope take. */
const ownerSize = v.object({
  owner: branded<DataScopeId>(),
  /** Of its files, in bytes. */
  bytes: size,
  rows: size,
  /** How many days the tables are about, each table's own counted. */
  days: size,
  /** The first of them; null where there is none. */
  since: v.fallback(v.nullable(day), null),
})
type OwnerSize = Readonly<v.InferOutput<typeof ownerSize>>

/** A table of this subject that touches these days is not let go. */
export type Spared = TablePlace & { readonly range: DayRange }

const row = v.object({
  id: branded<TableId>(),
  owner: v.string(),
  subject: v.string(),
  firstDay: v.string(),
  lastDay: v.string(),
  file: v.string(),
  size: v.number(),
  days: size,
})
type Row = v.InferOutput<typeof row>

const rows = table(withFile('kept_tables'), row, { owner: 'kept_tables.owner', days })

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
  const files = new Map<string, Row[]>()
  for (const item of left <= bytes ? [] : rows.list(from, 'ORDER BY fetched_at, first_day')) {
    const tables = files.get(item.file)
    if (tables) tables.push(item)
    else files.set(item.file, [item])
  }
  const isSpared = ({ owner, subject, firstDay, lastDay }: Row) =>
    spare.some(
      (spared) =>
        spared.owner === owner &&
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
  'tables/sizes-by-owner': (from: Reader): readonly OwnerSize[] =>
    query(
      from,
      ownerSize,
      `SELECT files.owner AS owner, files.bytes AS bytes, coalesce(kept.rows, 0) AS rows,
         coalesce(kept.days, 0) AS days, kept.since AS since
       FROM (SELECT owner, sum(size) AS bytes FROM history_files GROUP BY owner) AS files
       LEFT JOIN (
         SELECT owner, sum(rows) AS rows, min(first_day) AS since, ${allDays} AS days
         FROM kept_tables GROUP BY owner
       ) AS kept ON kept.owner = files.owner`,
    ),
  /** What `tables/let-oldest-go` would remove, without doing it. */
  'tables/beyond-limit': (from: Reader, limit: Limit): Omit<BeyondLimit, 'ids'> => {
    const { bytes, days } = oldestBeyond(from, limit)
    return { bytes, days }
  },
  /** Lets the oldest files go until no more than so many bytes are kept; the files that are to be deleted. */
  'tables/let-oldest-go': (from: Writer, limit: Limit): Unused =>
    forgetTables(from, oldestBeyond(from, limit).ids),
} as const
