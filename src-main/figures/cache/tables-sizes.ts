import * as v from 'valibot'
import type { DayRange } from '../../../src-shared/values/day.ts'
import type { OwnerId } from '../../../src-shared/values/ids.ts'
import type { Reader, Writer } from '../../lib/sqlite/database.ts'

/** What kept figures take: kept tables, and kept answers beside them. */
export type KeptSizes = {
  /** In bytes, of all owners. */
  readonly tables: number
  readonly answers: number
  /** How many days the tables are about, each table's own counted. */
  readonly days: number
}

/** What a damaged file says is taken for nothing, until the damage is found. */
const size = v.fallback(v.number(), 0)
const sizesRow = v.object({ tables: size, answers: size, days: size })

/** Reads no row's text or page: SQLite knows their lengths without. */
export function keptSizes(from: Reader): KeptSizes {
  const sql = `SELECT coalesce(sum(bytes), 0) AS tables,
      coalesce(cast(sum(julianday(last_day) - julianday(first_day) + 1) AS INTEGER), 0) AS days,
      (SELECT coalesce(sum(octet_length(text)), 0) FROM answers) AS answers
    FROM kept_tables`
  return v.parse(sizesRow, from.row(sql))
}

/** A table of this subject that touches these days is not let go. */
export type Spared = { readonly owner: OwnerId; readonly subject: string; readonly range: DayRange }

const ageRow = v.object({
  id: v.number(),
  owner: v.string(),
  subject: v.string(),
  start: v.string(),
  end: v.string(),
  bytes: v.number(),
})

/** How many tables go at a time at most, so that nothing else waits long behind it. */
const mostAtOnce = 20

/**
 * Lets the oldest tables go until those that stay take no more than `bytes`, as far as what is spared allows.
 * @returns how many went; where that is not 0, there may be more to let go: ask again
 */
export function letOldestGo(
  from: Writer,
  { bytes, spare }: { readonly bytes: number; readonly spare: readonly Spared[] },
): number {
  let left = keptSizes(from).tables
  if (left <= bytes) return 0
  const spared = ({ owner, subject, start, end }: v.InferOutput<typeof ageRow>) =>
    spare.some(
      (each) =>
        each.owner === owner &&
        each.subject === subject &&
        start <= each.range.end &&
        each.range.start <= end,
    )
  const going: number[] = []
  const sql = `SELECT id, owner, subject, first_day AS start, last_day AS end, bytes
    FROM kept_tables ORDER BY fetched_at, first_day`
  for (const row of from.each(sql)) {
    if (left <= bytes || going.length === mostAtOnce) break
    const read = v.safeParse(ageRow, row)
    if (!read.success || spared(read.output)) continue
    going.push(read.output.id)
    left -= read.output.bytes
  }
  from.together(() => {
    for (const id of going) from.write('DELETE FROM kept_tables WHERE id = ?', id)
  })
  return going.length
}
