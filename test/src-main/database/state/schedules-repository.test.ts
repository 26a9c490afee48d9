import { describe, expect, it } from 'vitest'
import { putAccount } from '#main/database/state/accounts-repository.ts'
import { removeAccount } from '#main/database/state/data-scopes-repository.ts'
import type { StoredReportSchedule, StoredRun } from '#main/database/state/schedules-repository.ts'
import { addDays, day } from '#shared/values/day.ts'
import type { Instant } from '#shared/values/ids.ts'
import { maxRuns, maxSchedules } from '#shared/watch/schedules.ts'
import type { ScheduleId } from '#shared/watch/schedules.ts'
import { account, firstId, openFor, perform, secondId, temporaryFolder } from '../helpers.ts'
import { entryWith } from './watch.ts'

function databaseWithAccounts() {
  const { database } = openFor(temporaryFolder())
  putAccount(database, account())
  putAccount(database, account({ id: secondId, name: 'Other' }))
  return database
}

const idOf = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}` as ScheduleId
const schedule = (number: number, changes: Partial<StoredReportSchedule> = {}): StoredReportSchedule => ({
  ...{ ...entryWith(), id: idOf(number), account: firstId, since: number as Instant },
  ...changes,
})
const firstDay = day('2026-11-20')
const run = (nth: number, changes: Partial<StoredRun> = {}): StoredRun => ({
  ...{ account: firstId, schedule: idOf(1), day: addDays(firstDay, nth), dueAt: (1000 + nth) as Instant },
  ...{ takenAt: 2000 as Instant, changedAt: 1000 as Instant, files: [], toldAt: null },
  state: { kind: 'waiting', for: 'figures' },
  ...changes,
})

function withSchedule() {
  const database = databaseWithAccounts()
  perform(database, 'schedules/put', { schedule: schedule(1), isNew: true })
  return database
}

const listed = (database: ReturnType<typeof withSchedule>, now = Date.UTC(2027, 0, 1)) =>
  perform(database, 'schedule-runs/list', { account: firstId, id: idOf(1), now: now as Instant })

/** @param before when that was last done */
const corrected = (database: ReturnType<typeof withSchedule>, now: number, before = now) =>
  perform(database, 'schedule-runs/correct', { now: now as Instant, before: before as Instant })

describe('schedules on the disk', () => {
  it('come back as they were put, the oldest first, and are changed in their place', () => {
    const database = databaseWithAccounts()
    for (const number of [2, 1])
      perform(database, 'schedules/put', { schedule: schedule(number), isNew: true })
    const changed = schedule(1, { folder: '/kept', paused: true, settled: true, since: 9 as Instant })
    perform(database, 'schedules/put', { schedule: changed, isNew: false })
    expect(perform(database, 'schedules/list', firstId)).toEqual([changed, schedule(2)])
    expect(perform(database, 'schedules/list', secondId)).toEqual([])
  })

  it('pass over rows that are none, whatever their text says of folder and pause', () => {
    const database = withSchedule()
    database.write(`UPDATE schedules SET paused = 1, entry =
      '{"folder":"/evil","paused":false,' || substr(entry, 2, length(entry) - 2) || ',"folder":"/evil","paused":false}'`)
    expect(perform(database, 'schedules/list', firstId)).toMatchObject([{ folder: null, paused: true }])
    database.write(`UPDATE schedules SET entry = '{}'`)
    expect(perform(database, 'schedules/list', firstId)).toEqual([])
  })

  it('are refused when they are gone, or too many', () => {
    const database = databaseWithAccounts()
    const put = (number: number, isNew: boolean) =>
      perform(database, 'schedules/put', { schedule: schedule(number), isNew })
    expect(() => put(1, false)).toThrow('This schedule was deleted.')
    database.together(() => {
      for (let number = 0; number < maxSchedules; number += 1) put(number, true)
    })
    expect(() => put(maxSchedules, true)).toThrow('An account can have 500 schedules.')
  })

  it('are refused with the id of another account, there or removed', () => {
    const database = withSchedule()
    perform(database, 'schedule-runs/add', [run(0)])
    const put = () => {
      const foreign = schedule(1, { account: secondId })
      perform(database, 'schedules/put', { schedule: foreign, isNew: true })
    }
    expect(put).toThrow('This schedule was deleted.')
    perform(database, 'schedules/remove', { account: firstId, id: idOf(1) })
    expect(put).toThrow('This schedule was deleted.')
    perform(database, 'schedules/put', { schedule: schedule(1), isNew: true })
    expect(perform(database, 'schedules/list', firstId)).toEqual([schedule(1)])
  })

  it('wait for final figures only if they are views', () => {
    const database = withSchedule()
    const today = { subject: { kind: 'today' }, format: 'pdf', settled: true } as const
    perform(database, 'schedules/put', { schedule: schedule(1, today), isNew: false })
    expect(perform(database, 'schedules/list', firstId)).toMatchObject([{ settled: false }])
  })

  it('go with their account, and their runs with it', () => {
    const database = withSchedule()
    perform(database, 'schedule-runs/add', [run(0)])
    removeAccount(database, firstId)
    for (const name of ['schedules', 'schedule_runs'])
      expect(database.row(`SELECT count(*) AS n FROM ${name}`)).toEqual({ n: 0 })
  })
})

const timesAt = (at: number) => ({ dueAt: at as Instant, takenAt: at as Instant, changedAt: at as Instant })

const remembered = (database: ReturnType<typeof withSchedule>) =>
  perform(database, 'schedule-runs/days', {
    account: firstId,
    id: idOf(1),
    now: Date.UTC(2027, 0, 1) as Instant,
  })

describe('runs on the disk', () => {
  it('are one for each schedule and day, the newest first', () => {
    const database = withSchedule()
    expect(perform(database, 'schedule-runs/add', [run(0), run(1)])).toBe(2)
    expect(perform(database, 'schedule-runs/add', [run(1, { state: { kind: 'missed' } }), run(2)])).toBe(1)
    expect(listed(database)).toEqual([run(2), run(1), run(0)])
    expect(perform(database, 'schedule-runs/add', [run(0, { schedule: idOf(7) })])).toBe(0)
  })

  it('are remembered long after they are shown, in the order in which they came', () => {
    const database = withSchedule()
    database.together(() => {
      for (let nth = 0; nth < 450; nth += 1) perform(database, 'schedule-runs/add', [run(1000 - nth)])
    })
    expect(listed(database)).toHaveLength(maxRuns)
    const days = remembered(database)
    expect(days).toHaveLength(400)
    expect(days).toContain(addDays(firstDay, 1000 - 449))
    expect(days).not.toContain(addDays(firstDay, 1000))
  })

  it('of a removed schedule wait for it to come back, until another one is removed', () => {
    const database = withSchedule()
    perform(database, 'schedule-runs/add', [run(0)])
    perform(database, 'schedules/put', { schedule: schedule(2), isNew: true })
    perform(database, 'schedules/remove', { account: firstId, id: idOf(1) })
    expect(perform(database, 'schedule-runs/open', { account: firstId, now: 9000 as Instant })).toEqual([])
    expect(listed(database)).toHaveLength(1)
    perform(database, 'schedules/remove', { account: firstId, id: idOf(2) })
    expect(listed(database)).toEqual([])
  })

  it('of a clock that ran ahead rest until they are due, but not what has a file', () => {
    const database = withSchedule()
    const hour = 3_600_000
    const now = Date.UTC(2026, 10, 20) as Instant
    const later = (now + 6000) as Instant
    const ahead = { takenAt: (now + 9 * hour) as Instant, changedAt: (now + 9 * hour) as Instant }
    const skipped = { kind: 'skipped', reason: { kind: 'offline', message: 'Away' } } as const
    const made = { kind: 'made', at: 0 as Instant, files: ['a.csv'], late: false, oldest: null } as const
    const file = {
      ...{ item: 'v', folder: '/f', draft: 'd', name: 'a.csv', size: 1, oldest: null },
      isNamed: false,
    }
    const missed = { kind: 'missed' } as const
    perform(database, 'schedule-runs/add', [
      run(0, { state: skipped }),
      run(1, { state: skipped, ...ahead }),
      run(2, { dueAt: later, ...ahead }),
      run(3, { dueAt: (later + 1) as Instant, state: missed, ...ahead }),
      run(4, { dueAt: (later + 2) as Instant, state: missed, ...ahead }),
      run(5, { dueAt: (later + 3) as Instant, files: [file], ...ahead }),
      run(6, { dueAt: (later + 4) as Instant, state: made, ...ahead }),
    ])
    const states = (at: number) => listed(database, at).map(({ day: on, state }) => [on.slice(8), state.kind])
    const open = (at: number) =>
      perform(database, 'schedule-runs/open', { account: firstId, now: at as Instant }).map(
        (each) => each.day,
      )
    const correct = (at: number) => corrected(database, at)
    expect(correct(now)).toBe(1)
    expect(states(now)).toEqual([
      ['26', 'made'],
      ['25', 'waiting'],
      ['21', 'waiting'],
      ['20', 'skipped'],
    ])
    expect(open(now)).toEqual(['2026-11-21', '2026-11-25'])
    // Only the latest of those that were missed is made.
    expect(correct(later + 2)).toBe(1)
    expect(states(later + 2).slice(2, 5)).toEqual([
      ['24', 'waiting'],
      ['23', 'missed'],
      ['22', 'waiting'],
    ])
    expect(correct(later + 2)).toBe(0)
  })

  it('are as they were once a clock that was behind is right again', () => {
    const database = withSchedule()
    const at = Date.UTC(2026, 10, 20) as Instant
    const times = { dueAt: at, takenAt: at, changedAt: at }
    perform(database, 'schedule-runs/add', [
      run(0, { ...times, state: { kind: 'missed' } }),
      run(1, { ...times, state: { kind: 'skipped', reason: { kind: 'offline', message: 'Away' } } }),
      run(2, times),
    ])
    const before = listed(database, at)
    expect(before).toHaveLength(3)
    const behind = Date.UTC(2026, 1, 2)
    corrected(database, behind)
    expect(listed(database, behind)).toEqual([])
    corrected(database, at)
    expect(listed(database, at)).toEqual(before)
  })

  it('count from when a schedule was entered, once a clock that was behind that is right again', () => {
    const database = withSchedule()
    const entered = Date.UTC(2026, 10, 20) as Instant
    const behind = Date.UTC(2026, 1, 2) as Instant
    const sinceAt = (now: number) => {
      corrected(database, now)
      return perform(database, 'schedules/list', firstId)[0]?.since
    }
    const save = (since: Instant) =>
      perform(database, 'schedules/put', { schedule: schedule(1, { since }), isNew: false })
    save(entered)
    for (const isRenamed of [true, false]) {
      expect(sinceAt(behind)).toBe(behind)
      expect(sinceAt(behind + 9000)).toBe(behind)
      if (isRenamed) save(behind)
      expect(sinceAt(entered)).toBe(entered)
      expect(sinceAt(entered + 9000)).toBe(entered)
    }
    expect(sinceAt(behind)).toBe(behind)
    const changed = (behind + 5000) as Instant
    save(changed)
    expect(sinceAt(entered)).toBe(changed)
  })

  it('that are forgotten are not due again', () => {
    const database = withSchedule()
    const due = Date.UTC(2026, 0, 1)
    const added = Array.from({ length: 402 }, (_, nth) => run(nth, timesAt(due + nth)))
    // A clock that was ten years ahead: its day is forgotten with the others, and those before it stay due.
    const ahead = run(5000, { ...timesAt(due), dueAt: Date.UTC(2036, 0, 1) as Instant })
    for (const each of [ahead, ...added]) perform(database, 'schedule-runs/add', [each])
    expect(remembered(database)).toHaveLength(400)
    expect(perform(database, 'schedules/list', firstId)).toMatchObject([{ since: due + 1 }])
  })

  it('of days to come are neither announced nor made by hand', () => {
    const database = withSchedule()
    const now = Date.UTC(2026, 10, 20) as Instant
    const due = (now + 9000) as Instant
    const reason = { kind: 'offline', message: 'Away' } as const
    perform(database, 'schedule-runs/add', [run(0, { dueAt: due, state: { kind: 'skipped', reason } })])
    const untold = (at: Instant) => perform(database, 'schedule-runs/untold', { now: at })
    const reopen = (changedAt: Instant) =>
      perform(database, 'schedule-runs/reopen', { ...run(0), changedAt, files: [] })
    expect(untold(now)).toEqual([])
    expect(reopen(now)).toBe(false)
    expect(untold(due)).toHaveLength(1)
    expect(reopen(due)).toBe(true)
  })

  it('are counted once they rest, or are due, because the clock was corrected', () => {
    const database = withSchedule()
    const [right, dueAt, ahead] = [Date.UTC(2026, 10, 20), Date.UTC(2026, 11, 20), Date.UTC(2027, 10, 20)]
    const made = { kind: 'made', at: 0 as Instant, files: ['a.csv'], late: false, oldest: null } as const
    perform(database, 'schedule-runs/add', [
      run(0, timesAt(dueAt)),
      run(1, { ...timesAt(dueAt), state: made }),
      run(2, timesAt(ahead + 1)),
    ])
    expect(corrected(database, right, ahead)).toBe(1)
    expect(corrected(database, right + 1, right)).toBe(0)
    expect(corrected(database, dueAt, right)).toBe(1)
    // Such a clock corrects nothing, but hides them.
    expect(corrected(database, Date.UTC(1970, 0, 2), dueAt)).toBe(1)
  })

  it('are not corrected by a clock that starts before there were schedules', () => {
    const database = withSchedule()
    const since = Date.UTC(2026, 10, 20) as Instant
    perform(database, 'schedules/put', { schedule: schedule(1, { since }), isNew: false })
    perform(database, 'schedule-runs/add', [run(0, { dueAt: since, state: { kind: 'missed' } })])
    expect(corrected(database, Date.UTC(1970, 0, 2))).toBe(0)
    expect(perform(database, 'schedules/list', firstId)).toMatchObject([{ since }])
    expect(listed(database)).toHaveLength(1)
  })

  it('with a name that is a path are not believed', () => {
    const database = withSchedule()
    perform(database, 'schedule-runs/add', [run(0)])
    const file = { item: 'v', folder: '/f', draft: '../d', name: 'a', size: 1, oldest: null, isNamed: true }
    database.write('UPDATE schedule_runs SET files = ?', JSON.stringify([file]))
    expect(listed(database)).toMatchObject([{ files: [] }])
  })
})
