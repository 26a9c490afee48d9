import { expect, it } from 'vitest'
import { leftOutDays } from '#main/watch/alerts/left-out-days.ts'
import { plainOverview } from '#shared/views/address.ts'
import { addDays, day } from '#shared/values/day.ts'
import type { InstanceId } from '#shared/values/ids.ts'
import { noteView } from '#shared/watch/notes.ts'
import type { DayNote, NoteId, NoteSubject } from '#shared/watch/notes.ts'
import { account, firstId, localStore, secondId } from '../../database/helpers.ts'

const today = day('2026-11-20')
const instance = '7' as InstanceId
const sources = '#/reports/script/sources'

/** Subjects, each with a note on a day of its own. */
const subjects: readonly NoteSubject[] = [
  { kind: 'account' },
  { kind: 'instance', id: instance, name: 'Shop' },
  { kind: 'source', source: 'news' },
  { kind: 'view', view: sources },
]
const dayOf = (nth: number) => addDays(today, -nth - 1)

async function opened() {
  const store = localStore()
  for (const id of [firstId, secondId]) await store.run('accounts/put', account({ id, name: id }))
  const add = (number: number, on: string, subject: NoteSubject, leavesOut = true, whose = firstId) => {
    const id = `33333333-3333-4333-8333-${String(number).padStart(12, '0')}` as NoteId
    const note: DayNote = { id, range: { start: day(on), end: day(on) }, text: 'x', subject, leavesOut }
    return store.run('notes/add', { account: whose, note })
  }
  for (const [nth, subject] of subjects.entries()) await add(nth, dayOf(nth), subject)
  await add(11, '2026-11-10', { kind: 'account' }, false)
  await add(12, '2026-11-10', { kind: 'account' }, true, secondId)
  await add(13, '2020-11-10', { kind: 'account' })
  const of = async (view: string) => {
    const { every, rows } = await leftOutDays(store, firstId, view, today)
    return { every: every.map(({ start }) => start), rows: rows.map(({ key, range }) => [key, range.start]) }
  }
  return { of }
}

it("the days that are left out are those of the account, the view, what it is limited to, and its rows'", async () => {
  const { of } = await opened()
  expect(await of(noteView(plainOverview))).toEqual({ every: [dayOf(0)], rows: [] })
  expect(await of(noteView({ ...plainOverview, instance, source: 'news' }))).toEqual({
    ...{ every: [dayOf(0), dayOf(1), dayOf(2)], rows: [] },
  })
  expect(await of(sources)).toEqual({ every: [dayOf(0), dayOf(3)], rows: [['text news', dayOf(2)]] })
  expect(await of('#/reports/script/sessions')).toEqual({
    ...{ every: [dayOf(0)], rows: [['instance 7', dayOf(1)]] },
  })
  expect(await of('#/reports/script/browsers')).toEqual({ every: [dayOf(0)], rows: [] })
  expect(await of('#/settings')).toEqual({ every: [], rows: [] })
})
