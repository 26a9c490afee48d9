import { expect, it } from 'vitest'
import type { Recount } from '#shared/archives/rows.ts'
import type { StoredList } from '#shared/archives/block-list.ts'
import type { Instant, RawReportId } from '#shared/values/ids.ts'
import { account, firstId, openFor, perform, secondId, temporaryFolder } from '../helpers.ts'

const recount: Recount = {
  figures: [{ day: '2026-11-10', member: 'Bad', counted: 3, saved: null }],
  compared: { counted: 3, saved: 0, differing: 0 },
  outcome: 'nothing-saved',
  reasons: ['unreadable'],
  failure: { kind: 'offline', message: 'Nobody answers.' },
}

function open() {
  const { database } = openFor(temporaryFolder())
  perform(database, 'accounts/put', account())
  return database
}

it('keeps the last recount of a report, and nothing of accounts that are gone', () => {
  const database = open()
  const report = 'r-1' as RawReportId
  const stored = { countedAt: 5 as Instant, readAt: 4 as Instant, recount }
  expect(perform(database, 'recounts/of', { account: firstId, report })).toBeNull()
  perform(database, 'recounts/keep', { account: firstId, report, stored })
  perform(database, 'recounts/keep', {
    account: firstId,
    report,
    stored: { ...stored, countedAt: 6 as Instant },
  })
  perform(database, 'recounts/keep', { account: secondId, report, stored })
  expect(perform(database, 'recounts/of', { account: firstId, report })).toEqual({ ...stored, countedAt: 6 })
  expect(perform(database, 'recounts/of', { account: secondId, report })).toBeNull()
  const { outcome, ...counts } = recount
  const text = database.row('SELECT recount FROM recounts')?.['recount']
  expect(JSON.parse(String(text))).toEqual({ ...counts, verdict: outcome })
  database.write('UPDATE recounts SET recount = ?', '{"verdict":"maybe"}')
  expect(perform(database, 'recounts/of', { account: firstId, report })).toBeNull()
})

it('remembers the newest block lists of an account', () => {
  const database = open()
  const list = (nth: number): StoredList => ({
    ...{ name: `List ${nth}`, entries: nth, madeAt: nth as Instant },
    origin: {
      ...{ address: '#/rows/file-1', archives: ['Week'], filters: [{ words: 'RESULT is', value: 'bad' }] },
      ...{ period: { first: 1 as Instant, last: 2 as Instant }, column: 'REMOTE ADDRESS', by: 'value' },
      ...{ onlyBad: true, format: 'lines' },
    },
  })
  for (let nth = 1; nth <= 203; nth += 1)
    perform(database, 'block-lists/note', { account: firstId, list: list(nth) })
  perform(database, 'block-lists/note', { account: secondId, list: list(1) })
  const lists = perform(database, 'block-lists/list', firstId)
  expect(lists).toHaveLength(200)
  expect(lists[0]).toEqual(list(203))
  expect(perform(database, 'block-lists/list', secondId)).toEqual([])
})
