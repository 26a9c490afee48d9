import { join } from 'node:path'
import Database from 'better-sqlite3'
import * as v from 'valibot'
import { announcementKinds } from '#shared/raw/settings.ts'

const told = v.array(
  v.object({
    report: v.string(),
    name: v.string(),
    kind: v.picklist(announcementKinds),
    shown_at: v.nullable(v.number()),
  }),
)
const lists = v.array(v.object({ fetched_at: v.number() }))
const requests = v.array(v.object({ report: v.nullable(v.string()) }))
const known = v.array(v.object({ id: v.string() }))

/** What a profile has kept, whether or not the app runs. */
function read<S extends v.GenericSchema>(profile: string, schema: S, sql: string): v.InferOutput<S> {
  const database = new Database(join(profile, 'state.sqlite'), { readonly: true })
  try {
    return v.parse(schema, database.prepare(sql).all())
  } finally {
    database.close()
  }
}

/** What was found to announce, shown or not. */
export const toldIn = (profile: string) =>
  read(profile, told, 'SELECT report, name, kind, shown_at FROM raw_announcements ORDER BY rowid')

/** When the last list was kept. */
export const storedAt = (profile: string): number =>
  Math.max(0, ...read(profile, lists, 'SELECT fetched_at FROM raw_lists').map(({ fetched_at }) => fetched_at))

/** The reports that the desk has ever seen. */
export const knownIn = (profile: string): ReadonlySet<string> =>
  new Set(read(profile, known, 'SELECT id FROM raw_reports').map(({ id }) => id))

/** What was asked for here, with the report that became of it. */
export const requestsIn = (profile: string) => read(profile, requests, 'SELECT report FROM raw_requests')

/** Whether the last list that was kept lacked reports of which that is not certain yet. */
export const missesSome = (profile: string): boolean =>
  read(profile, known, 'SELECT id FROM raw_reports WHERE lists_without = 1').length > 0
