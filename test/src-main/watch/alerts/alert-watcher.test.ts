import { describe, expect, it, onTestFinished } from 'vitest'
import { deskFailure } from '#shared/api/failure.ts'
import { noLimits } from '#shared/api/answers.ts'
import { addDays, day } from '#shared/values/day.ts'
import { instantOf } from '#shared/values/ids.ts'
import type { Instant } from '#shared/values/ids.ts'
import type { DayNote, NoteId } from '#shared/watch/notes.ts'
import {
  account as accountWith,
  firstDataScope,
  firstId,
  secondDataScope,
  secondId,
} from '../../database/helpers.ts'
import { alertEntry, alertIdOf } from '../../database/state/watch.ts'
import { ready, reportId, row } from '#test/src-main/raw/fake-service.ts'
import { figuresOf, firstDay, morningAfter, rowOf, steady } from '../judging/made-alerts.ts'
import { madeMix } from '../judging/made-mix.ts'
import { WatchedDesk } from './watched-desk.ts'

const above = { condition: { kind: 'above', value: 20 }, leastChange: 0 } as const

/** 30 % bad from day 30 on, known up to day 40. */
const bad = (known = 40) =>
  figuresOf([
    rowOf(
      'A',
      steady(60, (index) => (index > known ? [null, null] : index >= 30 ? [1000, 300] : null)),
    ),
    rowOf(
      'B',
      steady(60, (index) => (index > known ? [null, null] : null)),
    ),
  ])

const noonAfter = (index: number) => `${morningAfter(index)}T12:00:00Z`

async function deskWith(figures = bad(), now = noonAfter(40)) {
  const desk = await WatchedDesk.open(figures, now)
  onTestFinished(() => desk.watcher.stop())
  await desk.addAlert(above)
  return desk
}

const changes = ({ told }: WatchedDesk) => told.filter(({ kind }) => kind === 'findings/changed').length

const stateOf = ({ store }: WatchedDesk) =>
  store.run('watch/state', { account: firstId, alert: alertIdOf(1) })

describe('a watcher', () => {
  it('judges once it has started and nothing more comes, and tells that something was found', async () => {
    const desk = await deskWith()
    await desk.settle()
    expect(await desk.findings()).toEqual([])
    desk.watcher.start()
    await desk.settle()
    expect(await desk.findings()).toMatchObject([
      {
        ...{ account: firstId, alert: alertIdOf(1), row: { key: 'text A', text: 'A' }, rows: [] },
        ...{ isShared: false, from: addDays(firstDay, 38), usual: 20, now: 30, z: null, state: 'standing' },
      },
    ])
    expect(changes(desk)).toBe(1)
    desk.tablesStored()
    await desk.settle()
    expect(await desk.findings()).toHaveLength(1)
    expect(changes(desk)).toBe(1)
  })

  it('reads figures once for the alerts that watch them, and stores what each found', async () => {
    const desk = await deskWith()
    await desk.addAlert({ ...above, condition: { kind: 'above', value: 25 } }, 2)
    await desk.addAlert({ ...above, view: '#/reports/script/browsers' }, 3)
    let reads = 0
    desk.onJudge = () => void (reads += 1)
    desk.watcher.start()
    await desk.settle()
    expect(reads).toBe(2)
    const found = await desk.findings()
    expect(found.map(({ alert, usual }) => [alert, usual]).sort()).toEqual([
      [alertIdOf(1), 20],
      [alertIdOf(2), 25],
      [alertIdOf(3), 20],
    ])
  })

  it('finds for two accounts of one service what the alerts of each ask for, and again once for each', async () => {
    const desk = await deskWith()
    desk.other = accountWith({ id: secondId, name: 'Other', dayZone: 'UTC' })
    await desk.store.run('accounts/put', desk.other)
    await desk.addAlert({ ...above, condition: { kind: 'above', value: 25 } }, 2, secondId)
    desk.watcher.start()
    await desk.settle()
    const found = async () =>
      (await desk.findings()).map(({ account, alert, usual }) => [account, alert, usual]).sort()
    const each = [
      [firstId, alertIdOf(1), 20],
      [secondId, alertIdOf(2), 25],
    ].sort()
    expect(await found()).toEqual(each)
    desk.tablesStored()
    await desk.settle()
    expect(await found()).toEqual(each)
  })

  it('finds a row whose rule mix changed, and ends it on no day without rule sets', async () => {
    const figures = (known: number) =>
      madeMix({
        ...{ rows: 6, days: 130 },
        change: (row, code, index) =>
          index > known ? null : row === 3 && index >= 90 && code === 'UE' ? 3 : 1,
      })
    const desk = await WatchedDesk.open(figures(92), noonAfter(92))
    onTestFinished(() => desk.watcher.stop())
    await desk.addAlert({ view: '#/reports/script/sessions', measure: 'rule-mix', leastChange: 0 })
    desk.watcher.start()
    await desk.settle()
    const found = {
      ...{ measure: 'rule-mix', rule: 'UE', row: { key: 'text row-3', text: 'row-3' }, rows: [] },
      ...{ from: addDays(firstDay, 90), isShared: false, to: null, state: 'standing' },
    }
    expect(await desk.findings()).toMatchObject([found])
    await desk.clock.move(15 * 86_400_000)
    desk.tablesStored()
    await desk.settle()
    expect(await desk.findings()).toMatchObject([found])
  })

  it('waits while days arrive, and not for ever', async () => {
    const desk = await deskWith()
    desk.watcher.start()
    for (let nth = 0; nth < 20; nth += 1) {
      await desk.clock.move(4_000)
      desk.tablesStored()
    }
    expect(await desk.findings()).toEqual([])
    for (let nth = 0; nth < 60; nth += 1) {
      await desk.clock.move(5_000)
      desk.tablesStored()
    }
    expect(await desk.findings()).toHaveLength(1)
  })

  it('judges missed mornings in order after sleep', async () => {
    const desk = await deskWith(bad(29), noonAfter(29))
    desk.watcher.start()
    await desk.settle()
    expect(await stateOf(desk)).toMatchObject({ morning: morningAfter(29), episodes: [] })
    desk.stored.figures = bad(50)
    await desk.clock.move(21 * 86_400_000)
    desk.watcher.wake()
    await desk.settle()
    expect(await desk.findings()).toMatchObject([{ from: addDays(firstDay, 30), day: addDays(firstDay, 30) }])
    expect(await stateOf(desk)).toMatchObject({ morning: morningAfter(50) })
  })

  it('judges again at midnight of the account', async () => {
    const desk = await deskWith(bad(29), noonAfter(29))
    desk.watcher.start()
    await desk.settle()
    desk.stored.figures = bad(30)
    await desk.clock.move(12 * 3_600_000)
    await desk.settle()
    expect(await desk.findings()).toMatchObject([{ state: 'so-far', from: addDays(firstDay, 30) }])
  })

  it('stores nothing of figures of another data scope, and begins anew with its own', async () => {
    const desk = await deskWith()
    desk.onJudge = () => {
      desk.dataScope = secondDataScope
      desk.onJudge = () => undefined
    }
    desk.watcher.start()
    await desk.settle()
    await desk.settle()
    expect(await stateOf(desk)).toMatchObject({ dataScope: secondDataScope, revision: 1 })
    expect(await desk.findings()).toHaveLength(1)
  })

  it('stores nothing of an alert that changed, or of an account that was removed, meanwhile', async () => {
    const desk = await deskWith()
    let isChanged = false
    desk.onJudge = () => {
      if (isChanged) return
      isChanged = true
      const entry = alertEntry({ ...above, condition: { kind: 'above', value: 90 } })
      void desk.store.run('alerts/change', { account: firstId, alert: alertIdOf(1), entry })
    }
    desk.watcher.start()
    await desk.settle()
    await desk.settle()
    expect(await desk.findings()).toEqual([])
    desk.onJudge = () => {
      desk.account = null
      void desk.store.run('accounts/remove', firstId)
    }
    desk.tablesStored()
    await desk.settle()
    expect(await desk.findings()).toEqual([])
  })

  it('tries again where the engine or the store refuses', async () => {
    const desk = await deskWith()
    let refusals = 0
    desk.onJudge = () => {
      if ((refusals += 1) === 1) throw deskFailure('internal', 'The engine ended.')
    }
    desk.watcher.start()
    await desk.settle()
    expect(await desk.findings()).toEqual([])
    await desk.clock.move(60_000)
    await desk.settle()
    expect(await desk.findings()).toHaveLength(1)
  })

  it('tries alerts alone where they fail together, so that one holds up no other', async () => {
    const desk = await deskWith()
    await desk.addAlert({ ...above, condition: { kind: 'above', value: 25 } }, 2)
    const sizes: number[] = []
    desk.onJudge = (tasks) => {
      sizes.push(tasks.length)
      const isBroken = tasks.some(
        ({ rule }) => rule.condition.kind === 'above' && rule.condition.value === 25,
      )
      if (isBroken) throw deskFailure('internal', 'The engine ended.')
    }
    desk.watcher.start()
    await desk.settle()
    expect(sizes).toEqual([2, 1, 1])
    expect((await desk.findings()).map((found) => found.alert)).toEqual([alertIdOf(1)])
  })

  it('pauses', async () => {
    const desk = await deskWith()
    desk.watcher.start()
    desk.watcher.pause(true)
    await desk.settle()
    expect(await desk.findings()).toEqual([])
    desk.watcher.pause(false)
    await desk.settle()
    expect(await desk.findings()).toHaveLength(1)
  })

  it('goes on with what was wanted while it ended an evaluation', async () => {
    const desk = await deskWith(bad(29), noonAfter(29))
    desk.watcher.start()
    const stop = desk.events.on('findings/changed', () => {
      stop()
      desk.stored.figures = bad(40)
      desk.tablesStored()
    })
    await desk.settle()
    await desk.clock.move(11 * 86_400_000)
    await desk.settle()
    expect(await desk.findings()).toHaveLength(1)
  })
})

describe('days that a note leaves out', () => {
  const rose = { condition: { kind: 'rose', percent: 50, days: 7 }, leastChange: 0 } as const
  /** Three days without bad requests before day 30. */
  const paused = (known: number) =>
    figuresOf([
      rowOf(
        'A',
        steady(60, (index) => (index > known ? [null, null] : index >= 27 && index < 30 ? [1000, 0] : null)),
      ),
    ])
  const note = (leavesOut: boolean): DayNote => ({
    id: '33333333-3333-4333-8333-333333333333' as NoteId,
    ...{ text: 'Partner paused', subject: { kind: 'source', source: 'A' }, leavesOut },
    range: { start: addDays(firstDay, 27), end: addDays(firstDay, 29) },
  })

  it('count for the following mornings, and what was found stays', async () => {
    const open = async (isNoted: boolean) => {
      const desk = await WatchedDesk.open(paused(29), noonAfter(29))
      onTestFinished(() => desk.watcher.stop())
      await desk.addAlert(rose)
      if (isNoted) await desk.store.run('notes/add', { account: firstId, note: note(true) })
      desk.watcher.start()
      await desk.settle()
      desk.stored.figures = paused(30)
      await desk.clock.move(86_400_000)
      desk.watcher.wake()
      await desk.settle()
      return desk
    }
    expect(await (await open(true)).findings()).toEqual([])
    const desk = await open(false)
    const found = await desk.findings()
    expect(found).toMatchObject([{ from: addDays(firstDay, 30), state: 'so-far' }])
    await desk.store.run('notes/add', { account: firstId, note: note(true) })
    let reads = 0
    desk.onJudge = () => void (reads += 1)
    desk.events.emit({ kind: 'notes/changed', account: firstId, leavesOut: false })
    await desk.settle()
    expect(reads).toBe(0)
    desk.events.emit({ kind: 'notes/changed', account: firstId, leavesOut: true })
    await desk.settle()
    expect(reads).toBe(1)
    expect(await desk.findings()).toEqual(found)
  })

  it('are left out of a preview and of the usual of today', async () => {
    const desk = await WatchedDesk.open(paused(30), noonAfter(30))
    onTestFinished(() => desk.watcher.stop())
    const entry = alertEntry({ ...rose, view: '#/reports/script/sources' })
    const told = async () => (await desk.watcher.preview({ account: firstId, entry, key: 'one' })).told
    const usual = async () => (await desk.watcher.today({ since: null })).accounts[0]?.figures[0]?.usualRate
    expect(await told()).toBe(1)
    const before = await usual()
    await desk.store.run('notes/add', { account: firstId, note: note(true) })
    expect(await told()).toBe(0)
    // A note on a source says nothing of the account.
    expect(await usual()).toEqual(before)
    const ofAccount = { ...note(true), id: '33333333-3333-4333-8333-333333333334' as NoteId }
    const range = { start: addDays(firstDay, 0), end: addDays(firstDay, 10) }
    const added = { ...ofAccount, subject: { kind: 'account' }, range } as const
    await desk.store.run('notes/add', { account: firstId, note: added })
    expect(await usual()).toBeNull()
  })
})

describe('the list of alerts', () => {
  it('says what was judged, and why not', async () => {
    const desk = await deskWith(bad(5), noonAfter(5))
    await desk.addAlert({ condition: { kind: 'unusual' } }, 2)
    await desk.addAlert({ view: '#/reports/script/gone' }, 3)
    desk.watcher.start()
    await desk.settle()
    expect(await desk.watcher.list({ account: firstId })).toMatchObject([
      { storedDays: 6, notJudged: null, judgedUpTo: addDays(firstDay, 5) },
      { storedDays: 6, notJudged: 'too-few-days' },
      { storedDays: 0, notJudged: 'view-gone', judgedUpTo: null },
    ])
    const asked: string[] = []
    const { run } = desk.store
    desk.store = {
      ...desk.store,
      run: (name, argument) => {
        asked.push(name)
        return run(name, argument)
      },
    }
    desk.stored.figures = bad(-1)
    expect(await desk.watcher.list({ account: firstId })).toMatchObject([
      { storedDays: 0, notJudged: 'no-figures' },
      { notJudged: 'no-figures' },
      { notJudged: 'view-gone' },
    ])
    // Thousands of alerts are one read.
    expect(asked).toEqual(['watch/judged'])
  })

  it('is read again if the data scope changes meanwhile', async () => {
    const desk = await deskWith(bad(5), noonAfter(5))
    desk.watcher.start()
    await desk.settle()
    const { run } = desk.store
    let reads = 0
    desk.store = {
      ...desk.store,
      run: (name, argument) => {
        reads += 1
        return run(name, argument)
      },
    }
    const list = desk.watcher.list({ account: firstId })
    desk.dataScope = secondDataScope
    expect(await list).toMatchObject([{ judgedUpTo: null }])
    expect(reads).toBe(2)
    const again = desk.watcher.list({ account: firstId })
    setImmediate(() => (desk.dataScope = firstDataScope))
    expect(await again).toMatchObject([{ judgedUpTo: addDays(firstDay, 5) }])
    expect(reads).toBe(4)
  })

  it('is made in pieces, because there are thousands and addresses are long', async () => {
    const desk = await deskWith(bad(5), noonAfter(5))
    for (let nth = 2; nth <= 100; nth += 1)
      await desk.addAlert({ view: `#/reports/script/sources?source=${'s'.repeat(4000)}${nth % 30}` }, nth)
    let [turns, isOver] = [0, false]
    const turn = () => {
      turns += 1
      if (!isOver) setImmediate(turn)
    }
    setImmediate(turn)
    const listed = await desk.watcher.list({ account: firstId })
    isOver = true
    expect(listed).toHaveLength(100)
    expect(turns).toBeGreaterThanOrEqual(5)
  })
})

describe('a preview', () => {
  it('is of an alert that need not exist', async () => {
    const desk = await deskWith()
    const preview = await desk.watcher.preview({ account: firstId, entry: alertEntry(above), key: 'preview' })
    expect(preview).toMatchObject({ told: 1, storedDays: 41, tellings: [{ label: 'A', rows: 1 }] })
    const gone = desk.watcher.preview({
      account: firstId,
      entry: alertEntry({ view: '#/settings' }),
      key: 'preview',
    })
    await expect(gone).rejects.toMatchObject({ failure: { kind: 'invalid', field: 'view' } })
    desk.stored.figures = bad(-1)
    const nothing = await desk.watcher.preview({ account: firstId, entry: alertEntry(above), key: 'preview' })
    expect(nothing).toMatchObject({ mornings: 0, storedDays: 0, told: 0, band: [] })
  })
})

describe('today', () => {
  it("has yesterday's figures beside what is usual, and what stands", async () => {
    const desk = await deskWith()
    desk.watcher.start()
    await desk.settle()
    const { accounts } = await desk.watcher.today({ since: null })
    expect(accounts).toMatchObject([
      {
        ...{ account: firstId, day: addDays(firstDay, 40), hasAlerts: true, ended: [] },
        standing: [{ row: { text: 'A' }, mutedUntil: null }],
        figures: [
          { family: 'script', requests: 1000, bad: 300, rate: 30 },
          { family: 'direct', requests: 1000, bad: 300, rate: 30 },
        ],
      },
    ])
    const [script] = accounts[0]?.figures ?? []
    expect(script?.usualRate?.usual).toBeCloseTo(8.1, 0)
    desk.stored.figures = bad(20)
    expect((await desk.watcher.today({ since: null })).accounts).toMatchObject([{ figures: [] }])
  })

  it('has the days that were restated since the look before', async () => {
    const desk = await deskWith()
    const fetchedAt = (iso: string) => Date.parse(iso) as Instant
    const restate = (
      first: string,
      last: string,
      before: string,
      after: string,
      subject = 'script/overview?',
    ) =>
      desk.store.run('restatements/note', {
        ...{ dataScope: firstDataScope, subject, totals: [], rows: [], differing: null },
        ...{ range: { start: day(first), end: day(last) } },
        ...{ beforeFetchedAt: fetchedAt(before), afterFetchedAt: fetchedAt(after) },
      })
    await restate('2026-02-10', '2026-02-11', '2026-02-12T01:00:00Z', '2026-02-14T01:00:00Z')
    await restate('2026-02-12', '2026-02-12', '2026-02-13T01:00:00Z', '2026-02-15T01:00:00Z')
    await restate('2026-02-01', '2026-02-01', '2026-02-02T01:00:00Z', '2026-02-10T01:00:00Z')
    await restate('2026-02-03', '2026-02-03', '2026-02-04T01:00:00Z', '2030-01-01T01:00:00Z')
    // Overview marks nothing of other views.
    await restate(
      '2026-02-09',
      '2026-02-09',
      '2026-02-12T01:00:00Z',
      '2026-02-14T01:00:00Z',
      'script/browsers?',
    )
    expect(await desk.watcher.look(undefined)).toBeNull()
    const now = instantOf(desk.clock.now())
    expect(await desk.watcher.look(undefined)).toBe(now)
    const restated = async (since: Instant | null) =>
      (await desk.watcher.today({ since })).accounts[0]?.restated
    expect(await restated(null)).toEqual([])
    expect(await restated(now)).toEqual([])
    expect(await restated(fetchedAt('2026-02-13T00:00:00Z'))).toEqual([
      ...['2026-02-10', '2026-02-11', '2026-02-12'],
    ])
  })

  it('counts raw reports in progress, and lists those that soon expire', async () => {
    const desk = await deskWith()
    const now = desk.clock.now()
    const soon = new Date(now + 2 * 86_400_000).toISOString()
    await desk.store.run('raw-reports/keep', {
      ...{ account: firstId, fetchedAt: instantOf(now), limits: noLimits, usage: {}, undecided: false },
      ...{ gone: [], dropped: [], announcements: [] },
      rows: [
        row('a'),
        row('b', { ...ready, expires: soon }),
        row('c', { ...ready, expires: new Date(now + 5 * 86_400_000).toISOString() }),
      ],
    })
    const [first] = (await desk.watcher.today({ since: null })).accounts
    expect(first).toMatchObject({ inProgress: 1, expiring: [{ report: reportId('b'), expires: soon }] })
  })
})
