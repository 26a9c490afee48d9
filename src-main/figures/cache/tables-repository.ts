import { randomInt } from 'node:crypto'
import * as v from 'valibot'
import { parseDay } from '../../../src-shared/values/day.ts'
import type { Day, DayRange } from '../../../src-shared/values/day.ts'
import type { Instant, OwnerId } from '../../../src-shared/values/ids.ts'
import type { Reader, Row, Writer } from '../../lib/sqlite/database.ts'
import { keptSizes, letOldestGo } from './tables-sizes.ts'
import type { KeptSizes, Spared } from './tables-sizes.ts'

/**
 * Names one kept table, as it was fetched: what replaces it has another id. Drawn at random, so that an id never comes
 * to mean another table, not even in a file that was begun anew.
 */
export type BlockId = number & { readonly __brand: 'BlockId' }

/** What a table is of: an owner's subject (src-shared/reports/subject.ts). */
export type TablePlace = { readonly owner: OwnerId; readonly subject: string }

/** A table fetched as one, to be kept as one. Head and pages are packed by who reads them again (reports/reckon). */
export type TableToKeep = TablePlace & {
  readonly range: DayRange
  /** When the first of it was fetched. */
  readonly fetchedAt: Instant
  /** False where it has its totals alone. */
  readonly whole: boolean
  /** How many rows the pages hold together. */
  readonly rows: number
  readonly head: string
  readonly pages: readonly Uint8Array[]
}

/** What is known of a kept table without looking into it. */
export type Block = {
  readonly id: BlockId
  readonly range: DayRange
  readonly fetchedAt: Instant
  readonly whole: boolean
  readonly rows: number
  /** What it takes on disk, about. */
  readonly bytes: number
}

const count = v.pipe(v.number(), v.integer(), v.minValue(0))
const keptDay = v.pipe(
  v.string(),
  v.check((text) => parseDay(text) !== undefined),
  v.transform((text) => text as Day),
)

const blockRow = v.object({
  id: v.pipe(
    count,
    v.transform((id) => id as BlockId),
  ),
  start: keptDay,
  end: keptDay,
  fetchedAt: v.pipe(
    v.number(),
    v.integer(),
    v.transform((time) => time as Instant),
  ),
  whole: v.picklist([0, 1]),
  rows: count,
  bytes: count,
})

/** A row that is no kept table is passed over: its days count as not kept. */
function blockFrom(row: Row): Block | undefined {
  const read = v.safeParse(blockRow, row)
  if (!read.success || read.output.end < read.output.start) return undefined
  const { start, end, whole, ...rest } = read.output
  return { ...rest, range: { start, end }, whole: whole === 1 }
}

/** Ids are numbers that a double holds exactly. */
const newId = () => randomInt(1, 2 ** 48 - 1)

/**
 * Whether this database lies on a disk. Answers are computed by a thread that reads the file by itself, so in a store
 * that is held in memory no table counts as kept.
 */
function isOnDisk(from: Reader): boolean {
  const main = from.row(`SELECT file FROM pragma_database_list WHERE name = 'main'`)
  return typeof main?.['file'] === 'string' && main['file'] !== ''
}

/**
 * Keeps a table in place of the older ones of the same days, all of it or nothing. A newer one stays, unless it claims
 * to come from after `now`. A whole table replaces one of totals alone too; not the other way round.
 * @returns its id; null where a newer one is there, or nothing can be kept
 */
export function keepTable(into: Writer, table: TableToKeep, now: number): BlockId | null {
  if (!isOnDisk(into)) return null
  const { owner, subject, range, fetchedAt } = table
  const whole = Number(table.whole)
  const bytes = table.pages.reduce((sum, page) => sum + page.byteLength, Buffer.byteLength(table.head))
  const id = newId() as BlockId
  return into.together(() => {
    into.write(
      `DELETE FROM kept_tables WHERE owner = ? AND subject = ? AND first_day = ? AND last_day = ? AND whole <= ?
         AND (fetched_at <= ? OR fetched_at > ?)`,
      ...[owner, subject, range.start, range.end, whole, fetchedAt, now],
    )
    const kept = into.write(
      `INSERT OR IGNORE INTO kept_tables (id, owner, subject, first_day, last_day, whole, fetched_at, rows, bytes, head)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ...[id, owner, subject, range.start, range.end, whole, fetchedAt, table.rows, bytes, table.head],
    )
    if (kept === 0) return null
    for (const [page, rows] of table.pages.entries())
      into.write('INSERT INTO kept_pages (kept_table, page, rows) VALUES (?, ?, ?)', id, page, rows)
    return id
  })
}

/** The tables kept of a subject, by their first day. */
export function listTables(from: Reader, { owner, subject }: TablePlace): Block[] {
  if (!isOnDisk(from)) return []
  const sql = `SELECT id, first_day AS start, last_day AS end, fetched_at AS fetchedAt, whole, rows, bytes
    FROM kept_tables WHERE owner = ? AND subject = ? ORDER BY first_day, last_day, whole`
  return from.rows(sql, owner, subject).flatMap((row) => blockFrom(row) ?? [])
}

export function forgetTables(from: Writer, ids: readonly BlockId[]): void {
  from.together(() => {
    for (const id of ids) from.write('DELETE FROM kept_tables WHERE id = ?', id)
  })
}

export const tableOperations = {
  /** Null where a newer generation is kept already, or the store is in memory alone. */
  'tables/keep': (into: Writer, table: TableToKeep): BlockId | null => keepTable(into, table, Date.now()),
  /** What is kept of a subject, by first day; whole tables and totals alone. No page is touched. */
  'tables/list': (from: Reader, place: TablePlace): readonly Block[] => listTables(from, place),
  'tables/forget': (from: Writer, { blocks }: { readonly blocks: readonly BlockId[] }): null => {
    forgetTables(from, blocks)
    return null
  },
  'tables/sizes': (from: Reader): KeptSizes => keptSizes(from),
  /** Lets the oldest go, a few at a time; the result is how many went. 0: nothing more to let go. */
  'tables/let-oldest-go': (
    from: Writer,
    asked: { readonly bytes: number; readonly spare: readonly Spared[] },
  ): number => letOldestGo(from, asked),
} as const
