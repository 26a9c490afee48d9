import { describe, expect, it } from 'vitest'
import type { Writer } from '#main/database/sqlite/database.ts'
import { putAccount } from '#main/database/state/accounts-repository.ts'
import { removeAccount } from '#main/database/state/data-scopes-repository.ts'
import { day } from '#shared/values/day.ts'
import type { AccountId, DataScopeId } from '#shared/values/ids.ts'
import type { Alert } from '#shared/watch/alerts.ts'
import { account, firstId, openFor, perform, secondId, temporaryFolder } from '../helpers.ts'
import { alert, alertEntry, alertIdOf, episode } from './watch.ts'

function databaseWithAccounts() {
  const { database } = openFor(temporaryFolder())
  putAccount(database, account())
  putAccount(database, account({ id: secondId, name: 'Other' }))
  return database
}

const add = (database: Writer, each: Alert, whose: AccountId = firstId) =>
  perform(database, 'alerts/add', { account: whose, alert: each })
const all = (database: Writer, whose = firstId) => perform(database, 'alerts/list', whose)
const first = { account: firstId, alert: alertIdOf(1) }
const judged = {
  ...{ dataScope: 'scope' as DataScopeId, morning: day('2026-11-14'), episodes: [episode('a')] },
  ...{ news: [], withdrawn: [] },
}
const nothingJudged = { revision: 0, morning: null, dataScope: null, episodes: [] }

describe('alerts on the disk', () => {
  it('come back as they were put, the oldest first', () => {
    const database = databaseWithAccounts()
    const late = alert(2, { condition: { kind: 'above', value: 12.5 }, row: 's'.repeat(4000), weekdays: [1] })
    add(database, late)
    add(database, alert(1))
    expect(all(database)).toEqual([alert(1), late])
    expect(all(database, secondId)).toEqual([])
  })

  it('pass over rows that are none', () => {
    const database = databaseWithAccounts()
    add(database, alert(1))
    const entry = alertEntry()
    const rows = [
      ['no id', JSON.stringify(entry)],
      [alertIdOf(2), '{'],
      [alertIdOf(3), JSON.stringify({ ...entry, measure: 'weather' })],
    ]
    for (const [id, text] of rows)
      database.write('INSERT INTO alerts VALUES (?, ?, 0, ?)', id ?? '', firstId, text ?? '')
    expect(all(database)).toEqual([alert(1)])
  })

  it('are changed and removed by their account alone', () => {
    const database = databaseWithAccounts()
    add(database, alert(1))
    const entry = alertEntry({ telling: 'morning' })
    const others = { account: secondId, alert: alertIdOf(1) }
    expect(() => perform(database, 'alerts/change', { ...others, entry })).toThrow('was deleted')
    expect(() => perform(database, 'alerts/remove', others)).toThrow('was deleted')
    const changed = { ...alert(1), ...entry }
    expect(perform(database, 'alerts/change', { ...first, entry })).toEqual(changed)
    expect(all(database)).toEqual([changed])
    expect(perform(database, 'alerts/remove', first)).toEqual(changed)
    expect(all(database)).toEqual([])
    expect(() => perform(database, 'alerts/remove', first)).toThrow('was deleted')
  })

  it('go with their account, and come to none that is gone', () => {
    const database = databaseWithAccounts()
    add(database, alert(1))
    perform(database, 'watch/record', { ...first, ...judged, revision: 0 })
    removeAccount(database, firstId)
    for (const name of ['alerts', 'watch_states', 'findings', 'mutes'])
      expect(database.rows(`SELECT * FROM ${name}`), name).toEqual([])
    expect(() => add(database, alert(2))).toThrow('has been removed')
  })

  it('are 2,000 of an account at most', () => {
    const database = databaseWithAccounts()
    database.write(
      `WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < 1999)
       INSERT INTO alerts SELECT '44444444-4444-4444-8444-' || printf('%012d', n), ?, n, ? FROM numbers`,
      ...[firstId, JSON.stringify(alertEntry())],
    )
    expect(() => add(database, alert(2000))).toThrow('can have 2,000 alerts')
    expect(all(database)).toHaveLength(2000)
    add(database, alert(2001), secondId)
  })
})

describe('what an alert knows', () => {
  it('is nothing at first, then what was recorded', () => {
    const database = databaseWithAccounts()
    add(database, alert(1))
    expect(perform(database, 'watch/state', first)).toEqual(nothingJudged)
    expect(perform(database, 'watch/record', { ...first, ...judged, revision: 0 })).toBe(true)
    const { dataScope, morning, episodes } = judged
    expect(perform(database, 'watch/state', first)).toEqual({ revision: 1, dataScope, morning, episodes })
    expect(perform(database, 'watch/state', { ...first, account: secondId })).toEqual(nothingJudged)
  })

  it('is listed beside the alerts of its account, up to which morning', () => {
    const database = databaseWithAccounts()
    add(database, alert(1))
    add(database, alert(2))
    add(database, alert(3), secondId)
    perform(database, 'watch/record', { ...first, ...judged, revision: 0 })
    const { dataScope, morning } = judged
    expect(perform(database, 'watch/judged', firstId)).toEqual([
      { alert: alert(1), judged: { dataScope, morning } },
      { alert: alert(2), judged: null },
    ])
  })

  it('is not overwritten by an evaluation that began before another was recorded', () => {
    const database = databaseWithAccounts()
    add(database, alert(1))
    expect(perform(database, 'watch/record', { ...first, ...judged, revision: 0 })).toBe(true)
    expect(perform(database, 'watch/record', { ...first, ...judged, revision: 0, episodes: [] })).toBe(false)
    expect(perform(database, 'watch/state', first).episodes).toEqual(judged.episodes)
    expect(perform(database, 'watch/record', { ...first, ...judged, revision: 1, episodes: [] })).toBe(true)
    expect(perform(database, 'watch/state', first)).toMatchObject({ revision: 2, episodes: [] })
    perform(database, 'alerts/remove', first)
    expect(perform(database, 'watch/record', { ...first, ...judged, revision: 2 })).toBe(false)
  })

  it('begins anew when the alert watches something else, and not when it is told otherwise', () => {
    const database = databaseWithAccounts()
    add(database, alert(1))
    perform(database, 'watch/record', { ...first, ...judged, revision: 0 })
    perform(database, 'alerts/change', { ...first, entry: alertEntry({ telling: 'morning' }) })
    expect(perform(database, 'watch/state', first)).toMatchObject({ revision: 1, episodes: judged.episodes })
    perform(database, 'alerts/change', { ...first, entry: alertEntry({ measure: 'requests' }) })
    expect(perform(database, 'watch/state', first)).toEqual({ ...nothingJudged, revision: 2 })
    expect(perform(database, 'watch/record', { ...first, ...judged, revision: 1 })).toBe(false)
  })

  it('begins anew where it cannot be read', () => {
    const database = databaseWithAccounts()
    add(database, alert(1))
    perform(database, 'watch/record', { ...first, ...judged, revision: 0 })
    database.write(`UPDATE watch_states SET episodes = '[{"kind":"weather"}]', morning = 'today'`)
    expect(perform(database, 'watch/state', first)).toMatchObject({
      revision: 1,
      morning: null,
      episodes: [],
    })
  })
})

describe('watched figures', () => {
  it('are pinned views of 90 days, each once', () => {
    const database = databaseWithAccounts()
    add(database, alert(2))
    add(database, alert(1, { measure: 'requests' }))
    add(database, alert(3, { view: '#/overview' }))
    add(database, alert(4), secondId)
    const view = '#/reports/script/browsers'
    add(database, alert(5, { view, measure: 'rule-mix' }), secondId)
    expect(
      perform(database, 'views/pinned', undefined).map(({ account: whose, view: { id, address, depth } }) => [
        ...[whose, id, address, depth],
      ]),
    ).toEqual([
      [firstId, alertIdOf(1), '#/reports/script/sources', 90],
      [firstId, alertIdOf(3), '#/overview', 90],
      [secondId, alertIdOf(4), '#/reports/script/sources', 90],
      [secondId, alertIdOf(5), `${view}?rules=1`, 90],
    ])
  })
})
