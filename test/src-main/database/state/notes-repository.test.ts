import { describe, expect, it } from 'vitest'
import type { Writer } from '#main/database/sqlite/database.ts'
import { putAccount } from '#main/database/state/accounts-repository.ts'
import { removeAccount } from '#main/database/state/data-scopes-repository.ts'
import { day } from '#shared/values/day.ts'
import type { AccountId, InstanceId } from '#shared/values/ids.ts'
import type { DayNote, NoteId } from '#shared/watch/notes.ts'
import { account, firstId, openFor, perform, secondId, temporaryFolder } from '../helpers.ts'

const idOf = (number: number) => `33333333-3333-4333-8333-${String(number).padStart(12, '0')}` as NoteId

const note = (number: number, changes: Partial<DayNote> = {}): DayNote => ({
  ...{ id: idOf(number), text: `Note ${number}`, subject: { kind: 'account' }, leavesOut: false },
  range: { start: day('2026-11-10'), end: day('2026-11-10') },
  ...changes,
})

function databaseWithAccounts() {
  const { database } = openFor(temporaryFolder())
  putAccount(database, account())
  putAccount(database, account({ id: secondId, name: 'Other' }))
  return database
}

const add = (database: Writer, each: DayNote, whose: AccountId = firstId) =>
  perform(database, 'notes/add', { account: whose, note: each })
const all = (database: Writer, whose = firstId) => perform(database, 'notes/list', whose)

describe('notes on the disk', () => {
  it('come back as they were put, by day, then as added', () => {
    const database = databaseWithAccounts()
    const late = note(1, {
      ...{ range: { start: day('2026-11-11'), end: day('2026-11-14') }, text: 'B "é 中 👍🏽' },
      subject: { kind: 'instance', id: '7' as InstanceId, name: 'Shop' },
    })
    const early = note(3, { subject: { kind: 'source', source: 's'.repeat(4000) }, leavesOut: true })
    const next = note(2, { subject: { kind: 'view', view: '#/overview' } })
    add(database, late)
    add(database, early)
    add(database, next)
    expect(all(database)).toEqual([early, next, late])
    expect(all(database, secondId)).toEqual([])
  })

  it('pass over rows that are none', () => {
    const database = databaseWithAccounts()
    add(database, note(1))
    for (const [id, first, subject] of [
      ['no id', '2026-11-10', '{"kind":"account"}'],
      [idOf(2), 'yesterday', '{"kind":"account"}'],
      [idOf(3), '2026-11-10', '{"kind":"planet"}'],
      [idOf(4), '2026-11-10', '{'],
    ]) {
      database.write(
        "INSERT INTO notes VALUES (?, ?, ?, '2026-11-10', 'x', ?, 0)",
        ...[id ?? '', firstId, first ?? '', subject ?? ''],
      )
    }
    expect(all(database)).toEqual([note(1)])
  })

  it('are changed and removed by their account alone', () => {
    const database = databaseWithAccounts()
    add(database, note(1))
    const changed = note(1, { text: 'Partner back' })
    expect(() => perform(database, 'notes/change', { account: secondId, note: changed })).toThrow(
      'was deleted',
    )
    expect(() => perform(database, 'notes/remove', { account: secondId, id: idOf(1) })).toThrow('was deleted')
    perform(database, 'notes/change', { account: firstId, note: changed })
    expect(all(database)).toEqual([changed])
    expect(perform(database, 'notes/remove', { account: firstId, id: idOf(1) })).toEqual(changed)
    expect(all(database)).toEqual([])
    expect(() => perform(database, 'notes/change', { account: firstId, note: changed })).toThrow(
      'was deleted',
    )
  })

  it('go with their account, and come to none that is gone', () => {
    const database = databaseWithAccounts()
    add(database, note(1))
    add(database, note(2), secondId)
    removeAccount(database, firstId)
    expect(database.rows('SELECT id FROM notes')).toEqual([{ id: idOf(2) }])
    expect(() => add(database, note(3))).toThrow('has been removed')
  })

  it('are 10,000 of an account at most', () => {
    const database = databaseWithAccounts()
    database.write(
      `WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < 9999)
       INSERT INTO notes SELECT '33333333-3333-4333-8333-' || printf('%012d', n), ?, '2026-11-10', '2026-11-10',
         'Note ' || n, '{"kind":"account"}', 0 FROM numbers`,
      firstId,
    )
    expect(() => add(database, note(10_000))).toThrow('can have 10,000 notes')
    add(database, note(10_001), secondId)
    expect(all(database)).toHaveLength(10_000)
    perform(database, 'notes/remove', { account: firstId, id: idOf(5) })
    add(database, note(10_000))
  })
})
