import * as v from 'valibot'
import type { Day, DayRange } from '#shared/values/day.ts'
import type { DataScopeId } from '#shared/values/ids.ts'
import { branded, day } from '#shared/values/schemas.ts'
import { forgetTables } from './catalogue-repository.ts'
import type { Unused } from './catalogue-repository.ts'
import type { Reader, Writer } from '../sqlite/database.ts'
import type { TableId, TablePlace } from './stored-table.ts'

/** What kept figures take: files of kept tables, and kept answers beside them. */
export type StoredSizes = {
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

/** What kept tables of an owner take. */
export type OwnerSize = {
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

/** What is kept of each owner. */
export function sizesByOwner(from: Reader): readonly OwnerSize[] {
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
export type Limit = { readonly bytes: number; readonly spare: readonly Spared[] }

/** What is beyond a limit. */
export type BeyondLimit = { readonly ids: readonly TableId[]; readonly bytes: number; readonly days: number }

/**
 * The oldest files, until those that stay take no more than `bytes`, as far as what is spared allows. A file goes whole:
 * only then there is more room on the disk.
 */
export function oldestBeyond(from: Reader, { bytes, spare }: Limit): BeyondLimit {
  const max = storedSizes(from).tables
  let left = max
  const files = new Map<string, v.InferOutput<typeof tableRow>[]>()
  const sql = `SELECT id, kept_tables.owner, subject, first_day AS start, last_day AS end, file, size,
      cast(julianday(last_day) - julianday(first_day) + 1 AS INTEGER) AS days
    FROM kept_tables JOIN history_files ON path = file ORDER BY fetched_at, first_day`
  for (const row of left <= bytes ? [] : from.each(sql)) {
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
