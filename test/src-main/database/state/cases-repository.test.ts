import { expect, it } from 'vitest'
import type { CaseEntry, CaseId } from '#shared/cases/case.ts'
import { day } from '#shared/values/day.ts'
import type { Instant } from '#shared/values/ids.ts'
import { account, firstId, openFor, perform, secondId, temporaryFolder } from '../helpers.ts'

function open() {
  const { database } = openFor(temporaryFolder())
  perform(database, 'accounts/put', account())
  return database
}

it('keeps a case as it was said, also where what it came to cannot be read', () => {
  const database = open()
  const id = '4f6d7a57-4c1f-4b7e-9d0a-6f2f1d0c9b01' as CaseId
  const entry: CaseEntry = {
    ...{ name: 'News', about: 'source', subject: 'news', files: [], notes: '' },
    scope: {
      ...{ family: 'script', instances: { kind: 'all' }, source: 'news', campaign: null, zone: 'UTC' },
      range: { start: day('2026-11-10'), end: day('2026-11-11') },
    },
  }
  const untouched = { requests: [], savedAt: null, savedOf: null, sentAt: null }
  perform(database, 'cases/add', { account: firstId, id, begunAt: 7 as Instant, entry })
  database.write('UPDATE cases SET made = ?', 'not JSON')
  expect(perform(database, 'cases/of', { account: firstId, id })).toEqual({
    ...{ id, begunAt: 7, entry, made: null, before: null, ...untouched },
  })
  expect(() => perform(database, 'cases/of', { account: secondId, id })).toThrow(/removed/)
  perform(database, 'cases/note', { account: firstId, id, note: { name: 'News', notes: 'Paid.' } })
  expect(perform(database, 'cases/list', firstId)).toMatchObject([{ id, entry: { notes: 'Paid.' } }])
  database.write('DELETE FROM accounts')
  expect(perform(database, 'cases/list', firstId)).toEqual([])
})

it('writes no other scope into a case, whoever asks', () => {
  const database = open()
  const id = '4f6d7a57-4c1f-4b7e-9d0a-6f2f1d0c9b01' as CaseId
  const scope: CaseEntry['scope'] = {
    ...{ family: 'script', instances: { kind: 'all' }, source: 'news', campaign: null, zone: 'UTC' },
    range: { start: day('2026-11-10'), end: day('2026-11-11') },
  }
  const entry: CaseEntry = { name: 'News', about: 'source', subject: 'news', scope, files: [], notes: '' }
  perform(database, 'cases/add', { account: firstId, id, begunAt: 7 as Instant, entry })
  const other = JSON.stringify({ ...entry, scope: { ...scope, source: 'shop' } })
  expect(() => database.write('UPDATE cases SET entry = ?', other)).toThrow(/never changes/)
  expect(() => database.write("UPDATE cases SET entry = json_remove(entry, '$.scope')")).toThrow(
    /never changes/,
  )
  expect(perform(database, 'cases/of', { account: firstId, id }).entry.scope).toEqual(scope)
})
