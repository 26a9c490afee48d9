import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { cacheFile } from '#main/database/cache/cache-schema.ts'
import { openHandle } from '#main/database/sqlite/database.ts'
import type { StoreSession } from '#main/database/store-session.ts'
import { usualSettings } from '#shared/app/settings.ts'
import type { AccountId, Instant } from '#shared/values/ids.ts'
import type { DayRange } from '#shared/values/day.ts'

// Nothing here is for tests alone: what tries the packages imports it.

export const fixtures = join(import.meta.dirname, '../../fixtures/profile-0.2.0')

/** What the version before said of its own profile (test/fixtures/profile-0.2.0/README.md). */
export const expected = JSON.parse(readFileSync(join(fixtures, 'expected.json'), 'utf8')) as {
  readonly service: AccountId
  readonly sample: AccountId
  readonly layout: { readonly report: string }
  readonly given: { readonly odd: readonly { readonly label: { readonly text: string } }[] }
  readonly tables: readonly {
    readonly account: AccountId
    readonly subject: string
    readonly blocks: readonly {
      readonly range: DayRange
      readonly whole: boolean
      readonly fetchedAt: Instant
      readonly rows: number
    }[]
  }[]
  readonly settings: Readonly<Record<string, unknown>>
  readonly page: Readonly<Record<string, unknown>>
} & Readonly<Record<'answered' | 'lookup' | 'owners' | 'schedules' | 'requests', unknown>>

/** As `expected.json` writes it. */
const asStored = (value: object) =>
  JSON.parse(
    JSON.stringify(value, (_, each: unknown) => (each instanceof Map ? [...each] : each)),
  ) as Readonly<Record<string, unknown>>

/** Everything that `expected.json` says, as this version has it. */
export function stateOf(session: StoreSession) {
  const { service, sample } = expected
  const page = { search: '', startsWith: false, sort: [], page: 1, limit: 20 }
  const ofBoth = <T>(read: (account: AccountId) => T) => ({ service: read(service), sample: read(sample) })
  return asStored({
    accounts: session.run('accounts/list', undefined),
    settings: session.run('settings/read', undefined),
    layout: {
      report: expected.layout.report,
      layout: session.run('layouts/read', undefined)[expected.layout.report],
    },
    views: ofBoth((account) => session.run('views/list', account)),
    templates: ofBoth((account) => session.run('raw-templates/list', account)),
    schedules: ofBoth((account) => session.run('raw-schedules/list', account)),
    requests: ofBoth((account) => session.run('raw-requests/open', account)),
    known: session.run('raw-reports/known', { account: service }),
    page: session.run('raw-reports/page', { account: service, query: page }),
    unshown: session.run('raw-announcements/unshown', undefined),
    summary: session.run('raw-announcements/summary', undefined),
    downloads: session.run('downloads/list', undefined),
    cases: ofBoth((account) => session.run('cases/list', account)),
    dataScopes: session.run('data-scopes/list', undefined),
  })
}

/** The same, as that version said it. What it had no setting for is as it is without one; it stored no record of these reports. */
export const stateExpected = (): Readonly<Record<string, unknown>> => {
  const { service, sample, given, tables, answered, lookup, owners: dataScopes, ...state } = expected
  void [service, sample, given, tables, answered, lookup]
  const { keptLimit: storageLimit, ...settings } = state.settings
  const page = { ...state.page, instances: [] }
  const renamed = JSON.stringify({ schedules: state.schedules, requests: state.requests, dataScopes })
    .replaceAll('"turn":', '"occurrence":')
    .replaceAll('"lastTurn":', '"lastOccurrence":')
    .replaceAll('"isUnsorted":false,', '')
  const asked = JSON.parse(renamed) as Readonly<Record<string, unknown>>
  const added = { ...usualSettings, todaySeenAt: null }
  return { ...state, ...asked, page, settings: { ...added, storageLimit, ...settings } }
}

/** Data scope, subject and days of every table that it kept. */
export const tablesExpected = (): readonly string[] =>
  expected.tables
    .flatMap(({ account, subject, blocks }) =>
      blocks.map(({ range, whole }) => `${account} ${subject} ${range.start} ${Number(whole)}`),
    )
    .sort()

/** The same of every table that lies in the cache of a profile. */
export function tablesIn(folder: string): readonly string[] {
  const handle = openHandle(cacheFile(folder), { readonly: true })
  // An app that did not use the cache leaves it as the older version wrote it.
  const column = handle
    .prepare("SELECT name FROM pragma_table_info('kept_tables') WHERE name IN ('owner', 'data_scope')")
    .pluck()
    .get()
  const sql = `SELECT ${String(column)} || ' ' || subject || ' ' || first_day || ' ' || whole FROM kept_tables`
  const tables = handle.prepare(sql).pluck().all()
  handle.close()
  return tables.map(String).sort()
}
