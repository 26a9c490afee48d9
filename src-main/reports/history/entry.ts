import * as v from 'valibot'
import { doubts } from '#shared/reports/doubt.ts'
import type { Doubt } from '#shared/reports/doubt.ts'
import type { DayRange } from '#shared/values/day.ts'
import type { Instant, DataScopeId } from '#shared/values/ids.ts'
import { day } from '#shared/values/schemas.ts'
import type { TableId } from '#main/database/cache/catalogue-repository.ts'

/** What a file says of each table in it, so that a lost catalogue can be made anew from the files alone. */
export type Entry = {
  readonly id: TableId
  /** Whose figures they are. */
  readonly owner: DataScopeId
  /** What they are about (src-shared/reports/query.ts). */
  readonly subject: string
  readonly range: DayRange
  readonly fetchedAt: Instant
  /** False where totals alone are kept. */
  readonly whole: boolean
  readonly rows: number
  /** Why its rows do not add up; null where they do. */
  readonly doubt: Doubt | null
  /** head.ts */
  readonly head: string
}

/** The key of a file's own metadata under which its entries stand. */
export const entriesKey = 'traffic_desk'

/** The form of what is written here: entries of another form are not read. */
const form = 1

export const writeEntries = (entries: readonly Entry[]): string => JSON.stringify({ form, tables: entries })

const count = v.pipe(v.number(), v.integer(), v.minValue(0))

const entry = v.object({
  id: v.pipe(
    v.string(),
    v.regex(/^[0-9a-f]{16}$/),
    v.transform((id) => id as TableId),
  ),
  owner: v.pipe(
    v.string(),
    v.regex(/^[0-9A-Za-z-]{1,100}$/),
    v.transform((owner) => owner as DataScopeId),
  ),
  subject: v.string(),
  range: v.pipe(
    v.object({ start: day, end: day }),
    v.check(({ start, end }) => start <= end),
  ),
  fetchedAt: v.pipe(
    count,
    v.transform((time) => time as Instant),
  ),
  whole: v.boolean(),
  rows: count,
  doubt: v.nullable(v.picklist(doubts)),
  head: v.string(),
})

const written = v.object({ form: v.literal(form), tables: v.pipe(v.array(entry), v.minLength(1)) })

/** Reads what a file says of itself; undefined where that is not ours. */
export function readEntries(text: string): readonly Entry[] | undefined {
  try {
    const read = v.safeParse(written, JSON.parse(text))
    return read.success ? read.output.tables : undefined
  } catch {
    return undefined
  }
}
