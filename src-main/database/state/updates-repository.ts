import * as v from 'valibot'
import type { Instant } from '#shared/values/ids.ts'
import type { Reader, Writer } from '../sqlite/database.ts'
import { valueOf, writeSetting } from './settings-repository.ts'

const instant = v.pipe(
  v.number(),
  v.integer(),
  v.transform((time) => time as Instant),
)

const schema = v.object({
  daily: v.boolean(),
  lookedAt: v.nullable(instant),
  newest: v.nullable(v.number()),
  announced: v.nullable(v.string()),
  feed: v.nullable(v.object({ text: v.string(), signature: v.string() })),
})

/** What is known of updates from one start to the next. */
export type UpdateRecord = {
  readonly daily: boolean
  /** When a feed that held was read last. */
  readonly lookedAt: Instant | null
  /** The date of the newest feed that was ever read, in milliseconds since 1970: an older one is refused. */
  readonly newest: number | null
  /** The version that was announced last. */
  readonly announced: string | null
  /** The feed as it came. It is checked like one that comes anew whenever it is read. */
  readonly feed: { readonly text: string; readonly signature: string } | null
}

export const noUpdates: UpdateRecord = {
  ...{ daily: true, lookedAt: null, newest: null, announced: null, feed: null },
}

/** They lie among the settings. */
export const updatesKey = 'updates'

/** As at first where nothing is there, or what lies there cannot be read. */
export const updateOperations = {
  'updates/read': (from: Reader): UpdateRecord => {
    const row = from.row('SELECT value FROM settings WHERE key = ?', updatesKey)
    const read = v.safeParse(schema, valueOf(row?.['value']))
    return read.success ? read.output : noUpdates
  },
  'updates/write': (into: Writer, record: UpdateRecord): null => {
    writeSetting(into, updatesKey, record)
    return null
  },
} as const
