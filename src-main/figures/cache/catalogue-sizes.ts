import * as v from 'valibot'
import type { DayRange } from '../../../src-shared/values/day.ts'
import { forgetTables } from './catalogue-repository.ts'
import type { Unused } from './catalogue-repository.ts'
import type { Reader, Writer } from '../../lib/sqlite/database.ts'
import type { TableId, TablePlace } from './kept-table.ts'

/** What kept figures take: files of kept tables, and kept answers beside them. */
export type KeptSizes = {
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
export function keptSizes(from: Reader): KeptSizes {
  const sql = `SELECT (SELECT coalesce(sum(size), 0) FROM history_files) AS tables,
      (SELECT coalesce(cast(sum(julianday(last_day) - julianday(first_day) + 1) AS INTEGER), 0) FROM kept_tables) AS days,
      (SELECT coalesce(sum(octet_length(text)), 0) FROM answers) AS answers`
  return v.parse(sizesRow, from.row(sql))
}

/** A table of this subject that touches these days is not let go. */
export type Spared = TablePlace & { readonly range: DayRange }

const tableRow = v.object({
  id: v.pipe(
    v.string(),
    v.transform((id) => id as TableId),
  ),
  owner: v.string(),
  subject: v.string(),
  start: v.string(),
  end: v.string(),
  file: v.string(),
  size: v.number(),
})

/**
 * Lets the oldest files go until those that stay take no more than `bytes`, as far as what is spared allows. A file goes
 * whole: only then there is more room on the disk.
 * @returns the files that are to be deleted
 */
export function letOldestGo(
  from: Writer,
  { bytes, spare }: { readonly bytes: number; readonly spare: readonly Spared[] },
): Unused {
  let left = keptSizes(from).tables
  const going: TableId[] = []
  const files = new Map<string, v.InferOutput<typeof tableRow>[]>()
  const sql = `SELECT id, kept_tables.owner, subject, first_day AS start, last_day AS end, file, size
    FROM kept_tables JOIN history_files ON path = file ORDER BY fetched_at, first_day`
  for (const row of left <= bytes ? [] : from.each(sql)) {
    const read = v.safeParse(tableRow, row)
    if (read.success) files.set(read.output.file, [...(files.get(read.output.file) ?? []), read.output])
  }
  const isSpared = ({ owner, subject, start, end }: v.InferOutput<typeof tableRow>) =>
    spare.some(
      (each) =>
        each.owner === owner &&
        each.subject === subject &&
        start <= each.range.end &&
        each.range.start <= end,
    )
  for (const tables of files.values()) {
    if (left <= bytes) break
    if (tables.some(isSpared)) continue
    going.push(...tables.map(({ id }) => id))
    left -= tables[0]?.size ?? 0
  }
  return forgetTables(from, going)
}

export const catalogueSizeOperations = {
  'tables/sizes': (from: Reader): KeptSizes => keptSizes(from),
  /** Lets the oldest files go until no more than so many bytes are kept; the files that are to be deleted. */
  'tables/let-oldest-go': (
    from: Writer,
    asked: { readonly bytes: number; readonly spare: readonly Spared[] },
  ): Unused => letOldestGo(from, asked),
} as const
