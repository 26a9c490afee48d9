import { describe, expect, it, onTestFinished } from 'vitest'
import { deskFailure } from '#shared/api/failure.ts'
import { addDays } from '#shared/values/day.ts'
import { firstId, secondDataScope } from '../../database/helpers.ts'
import { alertEntry, alertIdOf } from '../../database/state/watch.ts'
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
    desk.stored.figures = bad(-1)
    expect(await desk.watcher.list({ account: firstId })).toMatchObject([
      { storedDays: 0, notJudged: 'no-figures' },
      { notJudged: 'no-figures' },
      { notJudged: 'view-gone' },
    ])
  })
})

describe('a preview', () => {
  it('is of an alert that need not exist', async () => {
    const desk = await deskWith()
    const preview = await desk.watcher.preview({ account: firstId, entry: alertEntry(above) })
    expect(preview).toMatchObject({ told: 1, storedDays: 41, tellings: [{ label: 'A', rows: 1 }] })
    const gone = desk.watcher.preview({ account: firstId, entry: alertEntry({ view: '#/settings' }) })
    await expect(gone).rejects.toMatchObject({ failure: { kind: 'invalid', field: 'view' } })
    desk.stored.figures = bad(-1)
    const nothing = await desk.watcher.preview({ account: firstId, entry: alertEntry(above) })
    expect(nothing).toMatchObject({ mornings: 0, storedDays: 0, told: 0, band: [] })
  })
})

describe('today', () => {
  it("has yesterday's figures beside what is usual, and what stands", async () => {
    const desk = await deskWith()
    desk.watcher.start()
    await desk.settle()
    const { accounts } = await desk.watcher.today(undefined)
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
    expect((await desk.watcher.today(undefined)).accounts).toMatchObject([{ figures: [] }])
  })
})
