import { describe, expect, it } from 'vitest'
import type { Writer } from '#main/database/sqlite/database.ts'
import { putAccount } from '#main/database/state/accounts-repository.ts'
import type { NewFinding, WatchRecord } from '#main/database/state/findings-repository.ts'
import { addDays, day } from '#shared/values/day.ts'
import { instantOf } from '#shared/values/ids.ts'
import type { DataScopeId } from '#shared/values/ids.ts'
import { maxFindings } from '#shared/watch/alerts.ts'
import type { FindingId, MuteId, MuteSubject } from '#shared/watch/alerts.ts'
import { mixLabel } from '#shared/watch/rule-mix.ts'
import { account, firstId, openFor, perform, secondId, temporaryFolder } from '../helpers.ts'
import { alert, alertIdOf, episode, news } from './watch.ts'

const first = { account: firstId, alert: alertIdOf(1) }
const scope = 'scope' as DataScopeId

function databaseWithAlert() {
  const { database } = openFor(temporaryFolder())
  putAccount(database, account())
  putAccount(database, account({ id: secondId, name: 'Other' }))
  perform(database, 'alerts/add', { account: firstId, alert: alert(1) })
  perform(database, 'alerts/add', { account: secondId, alert: alert(2, { telling: 'morning' }) })
  return database
}

function record(database: Writer, changes: Partial<WatchRecord>) {
  const which = { account: changes.account ?? firstId, alert: changes.alert ?? alertIdOf(1) }
  const { revision } = perform(database, 'watch/state', which)
  const plain = { dataScope: scope, revision, morning: day('2026-11-14') }
  const stored = perform(database, 'watch/record', {
    ...{ ...plain, episodes: [], news: [], withdrawn: [] },
    ...{ ...which, ...changes },
  })
  expect(stored).toBe(true)
}

const all = (database: Writer, whose: typeof firstId | null = null) =>
  perform(database, 'findings/list', { others: maxFindings, ids: [] }).findings.filter(
    ({ account: id }) => whose === null || id === whose,
  )
const untold = (database: Writer) => perform(database, 'findings/untold', undefined).map(({ id }) => id)
const tell = (database: Writer, ...ids: FindingId[]) =>
  perform(database, 'findings/told', { ids, toldAt: instantOf(5) })

describe('findings on the disk', () => {
  it('come back as they were found, the newest first', () => {
    const database = databaseWithAlert()
    const [total, row] = [news('', { row: null }), news('a', { foundAt: instantOf(1), z: null })]
    record(database, { news: [total, row] })
    const others = news('a')
    record(database, { account: secondId, alert: alertIdOf(2), news: [others] })
    const listed = ({ isWorse: _, ...found }: NewFinding) => ({
      ...found,
      ...first,
      seen: false,
      dismissed: null,
    })
    expect(all(database, firstId)).toEqual([listed(total), listed(row)])
    expect(all(database).map(({ id }) => id)).toEqual([others.id, total.id, row.id])
    expect(perform(database, 'findings/untold', undefined)).toMatchObject([
      { id: row.id, telling: 'at-once', waitsFrom: 1 },
      { id: total.id, telling: 'at-once' },
      { id: others.id, telling: 'morning' },
    ])
  })

  it('are listed if they stand, are new or wanted, and of the others the newest', () => {
    const database = databaseWithAlert()
    const over = { state: 'over', to: day('2026-11-20') } as const
    const found = ['a', 'b', 'c', 'd', 'e'].map((key, nth) =>
      news(key, { ...(key !== 'b' && over), foundAt: instantOf(nth) }),
    )
    record(database, { news: found, episodes: [episode('b')] })
    perform(database, 'findings/see', { ids: found.slice(1).map(({ id }) => id) })
    const listed = (others: number, ...ids: FindingId[]) => {
      const { findings, more } = perform(database, 'findings/list', { others, ids })
      return [findings.map(({ row }) => row?.key).join(''), more]
    }
    expect(listed(0)).toEqual(['ba', 3])
    expect(listed(1)).toEqual(['eba', 2])
    expect(listed(1, found[2]?.id ?? expect.fail())).toEqual(['ecba', 1])
    expect(listed(9)).toEqual(['edcba', 0])
    perform(database, 'findings/dismiss', { id: found[0]?.id ?? expect.fail(), reason: 'wrong' })
    expect(listed(0)).toEqual(['b', 4])
    const counted = (since: number) => perform(database, 'findings/false-alarms', { since: instantOf(since) })
    expect(counted(-1)).toEqual({ wrong: 1, judged: 5 })
    expect(counted(0)).toEqual({ wrong: 0, judged: 4 })
  })

  it('are listed of an account from a day on, with those that stand', () => {
    const database = databaseWithAlert()
    record(database, {
      news: [
        news('stands', { from: day('2025-01-01') }),
        news('over', { state: 'over', to: day('2026-11-20') }),
        news('withdrawn', { state: 'withdrawn', day: day('2026-11-18') }),
      ],
    })
    record(database, { account: secondId, alert: alertIdOf(2), news: [news('other')] })
    const since = (on: string) =>
      perform(database, 'findings/since', { account: firstId, day: day(on) }).map(({ row }) => row?.key)
    expect(since('2026-11-18')).toEqual(['withdrawn', 'over', 'stands'])
    expect(since('2026-11-19')).toEqual(['over', 'stands'])
    expect(since('2026-11-21')).toEqual(['stands'])
  })

  it('that ended are found by an index', () => {
    const database = databaseWithAlert()
    const plans: unknown[] = []
    const watched: Writer = {
      ...database,
      write: (sql, ...bound) => {
        const isDeletion = sql.startsWith('DELETE FROM findings')
        // A plan of a statement that writes cannot be read.
        const asked = `EXPLAIN QUERY PLAN ${sql.replace('DELETE', 'SELECT 1')}`
        if (isDeletion) plans.push(...database.rows(asked, ...bound))
        return database.write(sql, ...bound)
      },
    }
    record(watched, { news: [news('a')] })
    expect(plans).toMatchObject([
      { detail: expect.stringContaining('INDEX findings_ended (account=? AND <expr><?)') as string },
    ])
  })

  it('are one of an alert, a subject and a first day: the earlier one stays', () => {
    const database = databaseWithAlert()
    const earlier = news('a')
    record(database, { news: [earlier, news('b'), news('a', { from: day('2026-11-11') })] })
    record(database, { news: [news('a', { now: 90 }), news('a', { isStopped: true, measure: 'requests' })] })
    expect(all(database)).toHaveLength(4)
    expect(all(database).find(({ id }) => id === earlier.id)).toMatchObject({ now: 20 })
  })

  it('that are half as bad again are told again, unless they were dismissed', () => {
    const database = databaseWithAlert()
    const [told, dismissed] = [news('a'), news('b')]
    record(database, { news: [told, dismissed] })
    tell(database, told.id, dismissed.id)
    perform(database, 'findings/see', { ids: [told.id] })
    perform(database, 'findings/dismiss', { id: dismissed.id, reason: 'known' })
    const worse = { isWorse: true, now: 40, day: day('2026-11-20'), foundAt: instantOf(7) }
    record(database, { news: [news('a', worse), news('b', worse)] })
    expect(untold(database)).toEqual([told.id])
    expect(all(database)).toHaveLength(2)
    expect(all(database).find(({ id }) => id === told.id)).toMatchObject({
      ...{ now: 40, day: '2026-11-20', from: '2026-11-12', seen: false, foundAt: 7 },
    })
    expect(all(database).find(({ id }) => id === dismissed.id)).toMatchObject({ now: 20, seen: true })
  })

  it('that ended are kept for 400 days of figures, those that stand for ever', () => {
    const database = databaseWithAlert()
    const from = day('2026-11-12')
    record(database, {
      episodes: ['a', 'b'].map((key) => episode(key)),
      news: ['a', 'b', 'c'].map((key) => news(key)),
    })
    record(database, { account: secondId, alert: alertIdOf(2), news: [news('other', { state: 'over' })] })
    const over = episode('a', { state: 'over', to: day('2026-11-20') })
    const withdrawn = [{ ...episode('c'), settled: 8 }]
    const keys = () => all(database).map(({ row }) => row?.key)
    record(database, { morning: addDays(from, 400), episodes: [over, episode('b')], withdrawn })
    expect(keys()).toEqual(['other', 'c', 'b', 'a'])
    record(database, { morning: addDays(from, 401), episodes: [over, episode('b')] })
    expect(keys()).toEqual(['other', 'b', 'a'])
    const [stands] = all(database, firstId)
    perform(database, 'findings/dismiss', { id: stands?.id as FindingId, reason: 'known' })
    record(database, { morning: addDays(from, 409), episodes: [over, episode('b')] })
    expect(keys()).toEqual(['other', 'b'])
  })

  it('that nothing watches any more do not stand', () => {
    const database = databaseWithAlert()
    const [found, over] = [news('a'), news('b')]
    const ended = { state: 'over', to: day('2026-11-20'), ended: day('2026-11-23') } as const
    const states = () =>
      all(database, firstId)
        .map(({ state }) => state)
        .toSorted()
    record(database, { news: [found, over], episodes: [episode('a'), episode('b', ended)] })
    expect(states()).toEqual(['over', 'standing'])
    record(database, { dataScope: 'other' as DataScopeId })
    expect(states()).toEqual(['over', 'unwatched'])
    record(database, { dataScope: 'other' as DataScopeId, episodes: [episode('a')] })
    expect(states()).toEqual(['over', 'standing'])
    const { id: _, createdAt: __, ...entry } = alert(1)
    perform(database, 'alerts/change', { ...first, entry: { ...entry, telling: 'morning' } })
    expect(states()).toEqual(['over', 'standing'])
    perform(database, 'alerts/change', { ...first, entry: { ...entry, leastRequests: 7 } })
    expect(states()).toEqual(['over', 'unwatched'])
    record(database, { episodes: [episode('a')] })
    expect(states()).toEqual(['over', 'standing'])
    perform(database, 'alerts/remove', first)
    expect(states()).toEqual(['over', 'unwatched'])
  })

  it('of a rule mix stand and end with the episode of their rule set', () => {
    const database = databaseWithAlert()
    const mixed = { measure: 'rule-mix', rule: 'UE' } as const
    const many = news('', { ...mixed, row: null, rows: ['b', 'c'], from: day('2026-11-11') })
    record(database, { news: [news('a', mixed), many] })
    const label = (row: string, code = 'UE') => mixLabel({ row, code })
    const states = () => all(database).map(({ state, rule }) => [state, rule])
    const ended = { state: 'over', to: day('2026-11-20'), ended: day('2026-11-23') } as const
    // Another rule set of the row moved along.
    record(database, {
      episodes: [
        ...[episode(label('a'), ended), episode(label('a', 'SP'))],
        ...[episode(label('b')), episode(label('c'), ended)],
      ],
    })
    expect(states().toSorted()).toEqual([
      ['over', 'UE'],
      ['standing', 'UE'],
    ])
    expect(all(database).find(({ row }) => row?.key === 'a')?.state).toBe('over')
  })

  it('of a rule mix are one of each rule set of a row', () => {
    const database = databaseWithAlert()
    const mixed = { measure: 'rule-mix', rule: 'UE' } as const
    record(database, { news: [news('a', mixed)] })
    record(database, { news: [news('a', { ...mixed, rule: 'GE', isWorse: true, now: 40 })] })
    const found = () => all(database).map(({ rule, now }) => [rule, now])
    expect(found()).toEqual([
      ['GE', 40],
      ['UE', 20],
    ])
  })

  it('do not stand with an episode that was not told', () => {
    const database = databaseWithAlert()
    const mixed = { measure: 'rule-mix', rule: null } as const
    const many = news('', { ...mixed, row: null, rows: ['b', 'c'] })
    const label = (row: string, code: string) => mixLabel({ row, code })
    const over = { state: 'over', to: day('2026-11-20'), ended: day('2026-11-23') } as const
    const silent = episode(label('b', 'GE'), { isSilent: true })
    record(database, {
      news: [many],
      episodes: [episode(label('b', 'UE'), over), episode(label('c', 'UE'), over), silent],
    })
    expect(all(database).map(({ state }) => state)).toEqual(['over'])
    const { episodes } = perform(database, 'watch/state', first)
    expect(episodes).toContainEqual(silent)
  })

  it('stand, end and fall with their episodes', () => {
    const database = databaseWithAlert()
    const [row, shared, group] = [
      news('a', { state: 'so-far' }),
      news('', { row: null, isShared: true, state: 'so-far' }),
      news('', { row: null, rows: ['b', 'c'], from: day('2026-11-11'), state: 'so-far' }),
    ]
    const soFar = { state: 'so-far' } as const
    const b = episode('b', { ...soFar, from: day('2026-11-11') })
    const episodes = [
      episode('a', soFar),
      episode(null, { ...soFar, kind: 'shared-bad-rate' }),
      b,
      episode('c', soFar),
    ]
    record(database, { news: [row, shared, group], episodes })
    const states = () =>
      [row, shared, group].map(({ id }) => {
        const { state, to, settled } = all(database).find((each) => each.id === id) ?? {}
        return [state, to, settled]
      })
    expect(states()).toEqual(Array.from({ length: 3 }, () => ['so-far', null, null]))

    const over = { state: 'over', to: day('2026-11-20'), ended: day('2026-11-23') } as const
    record(database, {
      episodes: [
        episode('a'),
        episode(null, { ...over, kind: 'shared-bad-rate' }),
        { ...b, ...over },
        episode('c'),
      ],
    })
    expect(states()).toEqual([
      ['standing', null, null],
      ['over', '2026-11-20', null],
      ['standing', null, null],
    ])

    const usual = { state: 'usual', to: day('2026-12-10'), ended: day('2026-12-13') } as const
    record(database, { episodes: [episode('a', usual), { ...b, ...over }, episode('c', usual)] })
    expect(states()).toEqual([
      ['usual', '2026-12-10', null],
      ['over', '2026-11-20', null],
      ['over', '2026-12-10', null],
    ])

    // A change that returns within days continues.
    record(database, { episodes: [episode('a', usual), b, episode('c', usual)] })
    expect(states()[2]).toEqual(['so-far', null, null])
  })

  it('of several rows are withdrawn with the mean of their rates, and the sum of their requests', () => {
    const database = databaseWithAlert()
    const soFar = { state: 'so-far' } as const
    const [rates, requests] = [
      news('', { row: null, rows: ['b', 'c'], ...soFar }),
      news('', { row: null, rows: ['b', 'c'], measure: 'requests', ...soFar }),
    ]
    record(database, { news: [rates, requests] })
    const fallen = (label: string, kind: 'bad-rate' | 'volume', settled: number) => ({
      ...{ ...episode(label, { kind, ...soFar }), settled },
    })
    record(database, {
      withdrawn: [
        ...[fallen('b', 'bad-rate', 8), fallen('c', 'bad-rate', 9)],
        ...[fallen('b', 'volume', 100), fallen('c', 'volume', 50)],
      ],
    })
    const settledOf = (id: FindingId) => all(database).find((each) => each.id === id)?.settled
    expect([settledOf(rates.id), settledOf(requests.id)]).toEqual([8.5, 150])
  })

  it('are withdrawn with the settled figure, which several rows have only together', () => {
    const database = databaseWithAlert()
    const soFar = { state: 'so-far' } as const
    const [row, group] = [news('a', soFar), news('', { row: null, rows: ['b', 'c'], ...soFar })]
    const episodes = ['a', 'b', 'c'].map((label) => episode(label, soFar))
    record(database, { news: [row, group], episodes })
    const fallen = (label: string) => ({ ...episode(label, soFar), settled: 8.5 })
    record(database, { episodes: [episode('c')], withdrawn: [fallen('a'), fallen('b')] })
    const stateOf = (id: FindingId) => all(database).find((each) => each.id === id)
    expect(stateOf(row.id)).toMatchObject({ state: 'withdrawn', to: null, settled: 8.5 })
    expect(stateOf(group.id)).toMatchObject({ state: 'standing', settled: null })
    record(database, { withdrawn: [fallen('c')] })
    expect(stateOf(group.id)).toMatchObject({ state: 'withdrawn', settled: null })
    // It began again on the same day.
    record(database, { episodes: [episode('a')], news: [news('a')] })
    expect(stateOf(row.id)).toMatchObject({ state: 'standing', settled: null })
  })

  it('stay where an evaluation knows nothing of them', () => {
    const database = databaseWithAlert()
    record(database, { news: [news('a')], episodes: [episode('a')] })
    record(database, {})
    expect(all(database)).toMatchObject([{ state: 'standing' }])
    record(database, { dataScope: 'other' as DataScopeId })
    expect(perform(database, 'watch/state', first)).toMatchObject({ dataScope: 'other', episodes: [] })
  })

  it('are seen and dismissed once, with the account that changed', () => {
    const database = databaseWithAlert()
    const [a, b] = [news('a'), news('b')]
    record(database, { news: [a, b] })
    expect(
      perform(database, 'findings/see', { ids: [a.id, a.id, alertIdOf(9) as string as FindingId] }),
    ).toEqual([firstId])
    expect(perform(database, 'findings/see', { ids: [a.id] })).toEqual([])
    expect(perform(database, 'findings/dismiss', { id: b.id, reason: 'wrong' })).toBe(firstId)
    expect(all(database)).toMatchObject([
      { id: b.id, seen: true, dismissed: 'wrong' },
      { id: a.id, seen: true },
    ])
    perform(database, 'findings/dismiss', { id: b.id, reason: null })
    expect(all(database)[0]).toMatchObject({ dismissed: null })
    const gone = { id: alertIdOf(9) as string as FindingId, reason: null }
    expect(() => perform(database, 'findings/dismiss', gone)).toThrow('was deleted')
  })

  it('pass over rows that are none', () => {
    const database = databaseWithAlert()
    record(database, { news: [news('a'), news('b'), news('c')] })
    const [c, b] = all(database)
    database.write("UPDATE findings SET facts = '{' WHERE id = ?", c?.id ?? '')
    database.write("UPDATE findings SET state = 'gone' WHERE id = ?", b?.id ?? '')
    expect(all(database)).toMatchObject([{ row: { key: 'a' } }])
  })
})

const muteIdOf = (number: number) => `66666666-6666-4666-8666-${String(number).padStart(12, '0')}` as MuteId
const mute = (number: number, subject: MuteSubject) => ({
  ...{ account: firstId, id: muteIdOf(number), subject, until: day('2026-11-20') },
})
const ofRow = (row: string): MuteSubject => ({ kind: 'row', alert: alertIdOf(1), row })

describe('mutes on the disk', () => {
  it('are one of a subject, of an account that is there', () => {
    const database = databaseWithAlert()
    perform(database, 'mutes/add', mute(1, ofRow('a')))
    perform(database, 'mutes/add', mute(2, { kind: 'account' }))
    perform(database, 'mutes/add', { ...mute(3, ofRow('a')), until: day('2026-11-25') })
    const kept = [mute(2, { kind: 'account' }), { ...mute(3, ofRow('a')), until: day('2026-11-25') }]
    expect(perform(database, 'mutes/list', { account: null })).toEqual(kept)
    expect(perform(database, 'mutes/list', { account: secondId })).toEqual([])
    perform(database, 'mutes/remove', { account: secondId, id: muteIdOf(2) })
    perform(database, 'alerts/remove', first)
    expect(perform(database, 'mutes/list', { account: firstId })).toEqual([kept[0]])
    perform(database, 'mutes/remove', { account: firstId, id: muteIdOf(2) })
    expect(perform(database, 'mutes/list', { account: null })).toEqual([])
    const stranger = { ...mute(4, { kind: 'account' }), account: 'gone' as typeof firstId }
    expect(() => perform(database, 'mutes/add', stranger)).toThrow('has been removed')
  })

  it('that end let what still stands be told once more, in the morning', () => {
    const database = databaseWithAlert()
    const [a, over, dismissed, b] = [
      news('a'),
      news('a', { from: day('2026-11-01'), state: 'over' }),
      news('a', { from: day('2026-11-02') }),
      news('b'),
    ]
    record(database, { news: [a, over, dismissed, b] })
    tell(database, a.id, over.id, dismissed.id, b.id)
    perform(database, 'findings/dismiss', { id: dismissed.id, reason: 'known' })
    perform(database, 'mutes/add', mute(1, ofRow('a')))
    const ended = [{ id: muteIdOf(1), endedAt: instantOf(77) }]
    perform(database, 'mutes/end', { ended })
    expect(perform(database, 'findings/untold', undefined)).toMatchObject([
      { id: a.id, telling: 'morning', waitsFrom: 77, seen: false },
    ])
    tell(database, a.id)
    perform(database, 'mutes/end', { ended })
    expect(untold(database)).toEqual([])
  })
})
