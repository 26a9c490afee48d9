import { expect, it } from 'vitest'
import type { CaseEntry, CaseId } from '#shared/cases/case.ts'
import { day } from '#shared/values/day.ts'
import type { Instant } from '#shared/values/ids.ts'
import { account, firstId, openFor, perform, secondId, temporaryFolder } from '../helpers.ts'

const id = '4f6d7a57-4c1f-4b7e-9d0a-6f2f1d0c9b01' as CaseId
const scope: CaseEntry['scope'] = {
  ...{ family: 'script', instances: { kind: 'all' }, source: 'news', campaign: null, zone: 'UTC' },
  range: { start: day('2026-11-10'), end: day('2026-11-11') },
}
const entry: CaseEntry = { name: 'News', about: 'source', subject: 'news', scope, files: [], notes: '' }

function open() {
  const { database } = openFor(temporaryFolder())
  perform(database, 'accounts/put', account())
  return database
}

it('keeps a case as it was said, also where what it came to cannot be read', () => {
  const database = open()
  const untouched = { requests: [], savedAt: null, savedOf: null, sentAt: null }
  perform(database, 'cases/add', { account: firstId, id, begunAt: 7 as Instant, entry })
  database.write('UPDATE cases SET made = ?', 'not JSON')
  expect(perform(database, 'cases/of', { account: firstId, id })).toEqual({
    ...{ id, begunAt: 7, entry, made: null, before: null, ...untouched },
  })
  expect(() => perform(database, 'cases/of', { account: secondId, id })).toThrow(/deleted/)
  perform(database, 'cases/note', { account: firstId, id, note: { name: 'News', notes: 'Paid.' } })
  expect(perform(database, 'cases/list', firstId)).toMatchObject([{ id, entry: { notes: 'Paid.' } }])
  database.write('DELETE FROM accounts')
  expect(perform(database, 'cases/list', firstId)).toEqual([])
})

it('stores the recounts of a case as they have always been', () => {
  const database = open()
  perform(database, 'cases/add', { account: firstId, id, begunAt: 7 as Instant, entry })
  const counts = {
    figures: [{ day: '2026-11-10', member: 'Bad', counted: 3, saved: null }],
    compared: { counted: 3, saved: 0, differing: 0 },
    reasons: ['unreadable'],
    failure: { kind: 'offline', message: 'Nobody answers.' },
  }
  const archive = { file: 'file-1', name: 'Week', rows: 3, ofCase: 1, unreadable: 0, readAt: 4 }
  const stored = {
    ...{ madeAt: 5, scope, service: '', zone: 'UTC', now: null, before: null, others: null, headers: [] },
    ...{ days: [], rows: { rows: 0, bad: null }, results: [], rowDays: [], ruleSets: [], trafficTypes: [] },
    ...{ ruleTypes: [], sources: [], clusters: [], instances: [], covers: 'none', lacks: [] },
    archives: [
      { ...archive, recount: { ...counts, verdict: 'nothing-saved' }, instance: null, left: null },
      { ...archive, recount: null, instance: null, left: null },
    ],
  }
  database.write('UPDATE cases SET made = ?', JSON.stringify(stored))
  const { made } = perform(database, 'cases/of', { account: firstId, id })
  expect(made?.archives.map((one) => one.recount)).toEqual([{ ...counts, outcome: 'nothing-saved' }, null])
  if (made) perform(database, 'cases/made', { account: firstId, id, made })
  const row = database.row('SELECT made FROM cases')
  expect(JSON.parse(String(row?.['made']))).toEqual(stored)
})

it('writes no other scope into a case, whoever asks', () => {
  const database = open()
  perform(database, 'cases/add', { account: firstId, id, begunAt: 7 as Instant, entry })
  const other = JSON.stringify({ ...entry, scope: { ...scope, source: 'shop' } })
  expect(() => database.write('UPDATE cases SET entry = ?', other)).toThrow(/never changes/)
  expect(() => database.write("UPDATE cases SET entry = json_remove(entry, '$.scope')")).toThrow(
    /never changes/,
  )
  expect(perform(database, 'cases/of', { account: firstId, id }).entry.scope).toEqual(scope)
})
