import { describe, expect, it } from 'vitest'
import { putAccount } from '#main/database/state/accounts-repository.ts'
import { removeAccount } from '#main/database/state/data-scopes-repository.ts'
import type { Reader } from '#main/database/sqlite/database.ts'
import { afterRestore } from '#main/database/state/moving.ts'
import {
  rawAnnouncementOperations as told,
  rawSummary,
} from '#main/database/state/raw-announcements-repository.ts'
import {
  storeList,
  storedPage,
  storedReport,
  knownReports,
  rawReportOperations as reports,
} from '#main/database/state/raw-reports-repository.ts'
import type { ListToStore } from '#main/database/state/raw-reports-repository.ts'
import type { RawListQuery } from '#shared/raw/list.ts'
import type { AccountId, Instant } from '#shared/values/ids.ts'
import { ready, recordOf, reportId, row } from '#test/src-main/raw/fake-service.ts'
import { account, firstId, openFor, secondId, temporaryFolder } from '../helpers.ts'

const everything: RawListQuery = { search: '', startsWith: false, sort: [], page: 1, limit: 20 }
const day = 86_400_000
const at = (moment: string) => Date.parse(moment) as Instant
const noon = at('2026-11-20T12:00:00Z')

const list = (changes: Partial<ListToStore> = {}): ListToStore => ({
  account: firstId,
  fetchedAt: noon,
  limits: { minutes_total: 360, api_concurrent: 1, dashboard_concurrent: null, minutes_available: 0 },
  usage: { usage: [{ date: 20261120 }] },
  rows: [],
  gone: [],
  dropped: [],
  undecided: false,
  announcements: [],
  ...changes,
})

function databaseWithAccounts(folder = temporaryFolder()) {
  const { database } = openFor(folder)
  putAccount(database, account())
  putAccount(database, account({ id: secondId, name: 'Other' }))
  return database
}

const listed = (from: Reader, id: AccountId = firstId) =>
  storedPage(from, { account: id, query: everything }).rows.map((each) => each.id)

describe('the list of raw reports on the disk', () => {
  it('is read also where its rows lack what was added later', () => {
    const database = databaseWithAccounts()
    storeList(database, list({ rows: [row('a', ready)] }))
    const { id, name, type, instance, status, expires, unknown } = row('a')
    const first = { id, name, type, instance, status, expires, unknown }
    database.write('UPDATE raw_reports SET row = ?', JSON.stringify(first))
    const none = { requested: null, created: null, failed: null, timed_out: null, cancelled: null }
    expect(storedPage(database, { account: firstId, query: everything }).rows).toEqual([
      { ...first, ...none },
    ])
  })

  it('comes back as it was kept, of each account its own', () => {
    const database = databaseWithAccounts()
    const hard = row('a', { name: 'B "é 中\0\ud800', status: '%zz', unknown: { more: [1, { a: null }] } })
    expect(storeList(database, list({ rows: [hard, row('b', ready)] }))).toBe(true)
    expect(storedPage(database, { account: firstId, query: everything })).toMatchObject({
      rows: [hard, row('b', ready)],
      ...{ results: 2, pages: 1, fetchedAt: noon },
      limits: list().limits,
      usage: list().usage,
      usual: new Map([['response', { shortest: 3_600_000, longest: 3_600_000 }]]),
    })
    expect(storedPage(database, { account: secondId, query: everything })).toMatchObject({
      rows: [],
      fetchedAt: null,
    })
  })

  it('is not kept where the account has gone', () => {
    const database = databaseWithAccounts()
    removeAccount(database, firstId)
    const announcements = [{ report: reportId('a'), kind: 'ready', name: 'A' } as const]
    expect(storeList(database, list({ rows: [row('a')], announcements }))).toBe(false)
    expect(told['raw-announcements/unshown'](database)).toEqual([])
    reports['raw-reports/expect'](database, { account: firstId, row: row('a'), firstSeen: noon })
    told['raw-announcements/add'](database, { account: firstId, announcements, foundAt: noon })
    expect(database.rows('SELECT * FROM raw_reports')).toEqual([])
  })

  it('lists a report until it is gone, and again when it is back', () => {
    const database = databaseWithAccounts()
    const known = () =>
      knownReports(database, { account: firstId }).reports.map(({ listsWithout }) => listsWithout)
    storeList(database, list({ rows: [row('a')] }))
    storeList(database, list())
    expect([known(), listed(database)]).toEqual([[0], ['a']])
    storeList(database, list({ gone: [reportId('a')] }))
    expect([known(), listed(database)]).toEqual([[2], []])
    storeList(database, list({ rows: [row('a')] }))
    expect([known(), listed(database)]).toEqual([[0], ['a']])
  })

  it('knows what was asked for here, and what was announced', () => {
    const database = databaseWithAccounts()
    const announcements = [{ report: reportId('a'), kind: 'ready', name: 'A' } as const]
    storeList(database, list({ rows: [row('a', ready), row('b')], announcements }))
    const asked = { account: firstId, reports: [reportId('b')] }
    reports['raw-reports/mark'](database, { ...asked, cancelled: true })
    reports['raw-reports/mark'](database, { ...asked, removed: true })
    const none = { listsWithout: 0, removedHere: false, cancelledHere: false }
    expect(knownReports(database, { account: firstId })).toMatchObject({
      ...{ fetchedAt: noon, anew: false },
      reports: [
        { id: 'a', state: 'ready', announced: ['ready'], ...none },
        { id: 'b', state: 'in-progress', announced: [], ...none, removedHere: true, cancelledHere: true },
      ],
    })
    reports['raw-reports/mark'](database, { ...asked, cancelled: false })
    reports['raw-reports/begin-anew'](database, { account: firstId })
    expect(knownReports(database, { account: firstId })).toMatchObject({
      anew: true,
      reports: [{}, { cancelledHere: false }],
    })
    storeList(database, list({ dropped: [reportId('b')] }))
    expect(knownReports(database, { account: firstId })).toMatchObject({
      anew: false,
      reports: [{ id: 'a' }],
    })
  })

  it('keeps a full record beside the row', () => {
    const database = databaseWithAccounts()
    storeList(database, list({ rows: [row('a')] }))
    const record = {
      ...recordOf(row('a', ready)),
      filters: [{ column: 'source', operator: 'equals', value: 'x' }, { column: '1' }],
    }
    reports['raw-reports/keep-record'](database, { account: firstId, record, recordAt: noon })
    const stored = storedReport(database, { account: firstId, report: reportId('a') })
    expect(stored).toMatchObject({ row: row('a'), record, recordAt: noon, cancelledHere: false })
    expect(storedReport(database, { account: firstId, report: reportId('b') })).toBeNull()
  })

  it('forgets reports and what was announced of them, long after they have gone', () => {
    const database = databaseWithAccounts()
    const rows = [row('a', ready), row('b', { ...ready, expires: null })]
    const announcements = [{ report: reportId('a'), kind: 'ready', name: 'A' } as const]
    storeList(database, list({ rows, announcements }))
    told['raw-announcements/shown'](database, {
      keys: [{ account: firstId, report: reportId('a'), kind: 'ready' }],
      shownAt: noon,
    })
    const expired = at('2026-12-21T00:00:00Z')
    storeList(database, list({ gone: [reportId('a')], fetchedAt: (expired + 59 * day) as Instant }))
    expect(knownReports(database, { account: firstId }).reports).toHaveLength(2)
    storeList(database, list({ fetchedAt: (expired + 61 * day) as Instant }))
    // One that is in the list stays, whatever the clock says.
    expect(knownReports(database, { account: firstId }).reports.map(({ id }) => id)).toEqual(['b'])
    expect(database.rows('SELECT * FROM raw_announcements')).toEqual([])
  })

  it('passes over rows that are none', () => {
    const database = databaseWithAccounts()
    storeList(database, list({ rows: [row('a'), row('b')] }))
    database.write(`UPDATE raw_reports SET row = '{"id":"a"}', record = 'x' WHERE id = 'a'`)
    database.write(`UPDATE raw_lists SET limits = '[]', usage = 'x'`)
    expect(listed(database)).toEqual(['b'])
    expect(knownReports(database, { account: firstId }).reports).toHaveLength(1)
    expect(storedReport(database, { account: firstId, report: reportId('a') })).toBeNull()
    expect(storedPage(database, { account: firstId, query: everything })).toMatchObject({
      usage: {},
      limits: { minutes_total: null },
    })
    expect(rawSummary(database).running).toHaveLength(1)
  })
})

describe('announcements on the disk', () => {
  const key = (report: string, kind: 'ready' | 'failed' = 'ready') =>
    ({ account: firstId, report: reportId(report), kind }) as const
  const found = (report: string, kind: 'ready' | 'failed' = 'ready') =>
    ({ report: reportId(report), kind, name: `Report ${report}` }) as const

  it('are there once of each kind, until they were shown', () => {
    const database = databaseWithAccounts()
    storeList(database, list({ announcements: [found('a'), found('a'), found('a', 'failed')] }))
    storeList(database, list({ announcements: [found('a')], fetchedAt: (noon + 1) as Instant }))
    told['raw-announcements/size'](database, { account: firstId, report: reportId('a'), rows: 1, size: 2 })
    const both = told['raw-announcements/unshown'](database)
    expect(both).toEqual(
      [key('a'), key('a', 'failed')].map((each) => ({
        ...each,
        ...{ name: 'Report a', foundAt: noon, rows: 1, size: 2, shownAt: null },
      })),
    )
    told['raw-announcements/shown'](database, { keys: [key('a'), key('none')], shownAt: noon })
    told['raw-announcements/shown'](database, { keys: [key('a')], shownAt: (noon + 5) as Instant })
    expect(told['raw-announcements/unshown'](database).map(({ kind }) => kind)).toEqual(['failed'])
    expect(rawSummary(database)).toMatchObject({
      readyUnseen: 1,
      attention: 1,
      lastFinished: { kind: 'failed' },
    })
    expect(told['raw-announcements/look'](database, { account: firstId })).toBe(true)
    expect(told['raw-announcements/look'](database, { account: firstId })).toBe(false)
    expect(rawSummary(database)).toMatchObject({ readyUnseen: 0, attention: 0 })
  })

  it('and reports come back from a backup, so that nothing is announced twice or never', () => {
    const { database } = openFor(temporaryFolder())
    putAccount(database, account())
    storeList(database, list({ rows: [row('a', ready), row('b')], announcements: [found('a')] }))
    told['raw-announcements/shown'](database, { keys: [key('a')], shownAt: noon })
    reports['raw-reports/mark'](database, {
      account: firstId,
      reports: [reportId('b')],
      cancelled: true,
    })
    afterRestore(database, noon)
    expect(knownReports(database, { account: firstId })).toMatchObject({
      ...{ fetchedAt: noon, anew: true },
      reports: [
        { id: 'a', announced: ['ready'] },
        { id: 'b', cancelledHere: true },
      ],
    })
    expect(told['raw-announcements/unshown'](database)).toEqual([])
  })
})
