import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { RequestLimiter } from '#main/api/requests.ts'
import type { AppEvent } from '#main/lib/app-events.ts'
import { Views } from '#main/saved-views/views.ts'
import type { Accounts } from '#main/accounts/accounts.ts'
import type { Connection } from '#shared/accounts/account.ts'
import { plainTable } from '#shared/reports/query.ts'
import type { TableQuery } from '#shared/reports/query.ts'
import { day } from '#shared/values/day.ts'
import type { Instant } from '#shared/values/ids.ts'
import { eventsTo } from '#test/helpers/app-events.ts'
import { eventually } from '#test/helpers/eventually.ts'
import { runningSandbox } from '#test/helpers/running-sandbox.ts'
import type { RunningSandbox } from '#test/helpers/running-sandbox.ts'
import { fake } from '#test/helpers/fake.ts'
import { viewsContext } from '#test/src-main/saved-views/helpers.ts'
import { account, firstId, localStore, temporaryFolder } from '../database/helpers.ts'
import { accountsOf } from '../reports/accounts-of.ts'
import { HandClock, settled } from '../reports/clock.ts'
import { desk, historyIn, now, recent } from '../reports/helpers.ts'
import { newReports } from '../reports/new-reports.ts'

const second = 1_000
const minute = 60 * second

let running: RunningSandbox
beforeAll(async () => {
  running = await runningSandbox()
})
afterAll(() => running.close())
beforeEach(async () => {
  await running.control('DELETE', '/faults')
  await running.control('DELETE', '/requests')
})

const week = { start: day('2026-11-13'), end: day('2026-11-19') }
const tableOf = (dimension: TableQuery['dimension']): TableQuery => ({
  ...{ ...plainTable, family: 'script', dimension, range: week },
})

/** Notes when each request leaves by the clock of the test, and how many are under way. */
class WatchedLimiter extends RequestLimiter {
  readonly sentAt: number[] = []
  underWay = 0
  readonly #clock: HandClock

  constructor(clock: HandClock) {
    super(4, { perSecond: 10, clock })
    this.#clock = clock
  }

  override run: RequestLimiter['run'] = async (priority, signal, work, ...more) => {
    const watched = async () => {
      this.sentAt.push(this.#clock.now())
      this.underWay += 1
      try {
        return await work()
      } finally {
        this.underWay -= 1
      }
    }
    return await super.run(priority, signal, watched, ...more)
  }
}

/** An account of the sandbox with its figures and pinned views, all by one clock. */
async function deskOfSandbox() {
  const folder = temporaryFolder()
  const store = localStore(folder)
  const clock = new HandClock(now)
  const limiter = new WatchedLimiter(clock)
  const bus = eventsTo(() => undefined)
  const client = running.client({
    ...{ limiter, clock },
    resting: (until) => bus.emit({ kind: 'service/rests', account: firstId, until }),
  })
  await store.run('accounts/put', account())
  const { accounts } = accountsOf(account(), client)
  const id = firstId
  const { historyFolder, openEngine } = historyIn(folder)
  const reports = newReports({ store, accounts, events: bus, clock, historyFolder, openEngine })
  const views = new Views(
    viewsContext(store, {
      ...{ accounts: fake<Accounts>('accounts', accounts), reports, events: bus, clock },
    }),
  )
  onTestFinished(async () => {
    await views.stop()
    await reports.stop()
    await client.close()
  })
  const changes: Connection[] = []
  bus.on('connection/changed', ({ connection }) => changes.push(connection))
  const quiet = async () => {
    for (let calm = 0; calm < 8; calm += 1) {
      await settled()
      if (limiter.underWay > 0) calm = 0
    }
  }
  /** Lets time pass, from alarm to alarm. */
  const pass = async (milliseconds: number) => {
    await quiet()
    for (let left = milliseconds; left > 0;) {
      const step = Math.min(left, Math.max(1, clock.waiting()[0] ?? left))
      await clock.move(step)
      await quiet()
      left -= step
    }
  }
  const ask = (query: TableQuery, force = false) => reports.ask({ account: id, query, force })
  return { id, accounts, reports, views, clock, limiter, changes, bus, pass, quiet, ask }
}

const textOf = (request: object) => JSON.stringify({ ...request, time: 0 })

describe('an hour in which a service asks for rest, with a window, three views and pinned ones', () => {
  it.each([
    [429, '0'],
    [503, '0'],
    [503, null],
  ])(
    'by %i and Retry-After %s',
    async (status, retryAfter) => {
      const { id, accounts, reports, views, clock, limiter, changes, bus, pass, ask } = await deskOfSandbox()
      await pass(minute)
      await running.fault({ path: null, times: null, does: { kind: 'status', status, retryAfter } })
      await running.control('DELETE', '/requests')
      limiter.sentAt.splice(0)
      const told: AppEvent['kind'][] = []
      bus.on('notice/shown', ({ kind }) => told.push(kind))
      reports.setWatching(true)
      const asked = (['networks', 'browsers', 'connections'] as const).map((dimension) =>
        ask(tableOf(dimension)),
      )
      const list = (await accounts.clientFor(id)).call('raw/table', {}, { priority: 'background' })
      let ended = 0
      for (const each of [...asked, list]) each.then(() => (ended += 1)).catch(() => (ended += 100))
      views.start()
      for (const [name, dimension] of [
        ['A', 'geography'],
        ['B', 'devices'],
      ] as const)
        await views.save({
          ...{ account: id, name, pinned: true },
          address: `#/reports/script/${dimension}?period=yesterday`,
        })
      // By real time, for as long as it takes to load what asks.
      await eventually(() => expect(reports.connection(id).kind).toBe('resting'))
      await pass(60 * minute)

      const all = limiter.sentAt
      const begun = all[0] ?? 0
      // Those that left before anything was known; a 503 that names no time is tried once more.
      const alone = all.filter((at) => at - begun >= second)
      expect(all.length - alone.length).toBeLessThanOrEqual(5)
      expect(alone.length).toBeGreaterThanOrEqual(10)
      expect(alone.length).toBeLessThanOrEqual(20)
      const pauses = alone.slice(1).map((at, place) => at - (alone[place] ?? 0))
      expect(Math.min(...pauses)).toBeGreaterThanOrEqual(10 * second)
      expect(ended).toBe(0)
      expect(told).toEqual([])
      expect((await views.list({ account: id })).map(({ failure }) => failure)).toEqual([null, null])
      const connection = reports.connection(id)
      expect(connection.kind).toBe('resting')
      expect(connection.kind === 'resting' && connection.until > clock.now()).toBe(true)
      expect(new Set(changes.map(({ kind }) => kind))).toEqual(new Set(['resting']))

      await running.control('DELETE', '/faults')
      await running.control('DELETE', '/requests')
      await pass(6 * minute)
      await Promise.all([...asked, list])
      await eventually(async () => {
        await pass(5 * second)
        const stored = (await views.list({ account: id })).map((view) => view.stored?.days)
        expect(stored).toEqual([1, 1])
      })
      expect(reports.connection(id)).toEqual({ kind: 'online' })
      const texts = (await running.requests()).map(textOf)
      expect(texts.filter((text, place) => texts.indexOf(text) !== place)).toEqual([])
      expect(texts.some((text) => text.includes('script/geography'))).toBe(true)
    },
    120_000,
  )
})

const rest = (until: number | null) =>
  ({ kind: 'service/rests', account: firstId, until: until as Instant | null }) as const

describe('a service that asks for rest', () => {
  it('is not asked for what is saved, which is shown as while it is away', async () => {
    const { reports, service, clock, tell, ask, received } = await desk({ watching: true })
    await settled()
    await ask(recent)
    await clock.move(6 * minute)
    const before = service.asked.length
    received()
    tell(rest(clock.now() + 30 * second))
    const answer = await ask(recent)
    await settled()
    expect(answer.provenance).toMatchObject({ from: 'stored', refreshing: false })
    expect(answer.provenance.failure).toMatchObject({ kind: 'resting' })
    expect(reports.connection(firstId)).toEqual({ kind: 'resting', until: clock.now() + 30 * second })
    reports.look()
    reports.wake()
    await clock.move(30 * second - 1)
    expect(service.asked).toHaveLength(before)
    expect(received()).toEqual(['resting'])
  })

  it('is asked once for something small when its rest ends, and what was left out is asked for again', async () => {
    const { reports, service, clock, tell, ask, received } = await desk({ watching: true })
    await settled()
    await ask(recent)
    received()
    tell(rest(clock.now() + 10 * second))
    const before = service.asked.length
    await clock.move(10 * second)
    expect(service.asked.slice(before)).toMatchObject([{ path: 'interface/instances' }])
    expect(received()).toContain('online')
    expect(reports.connection(firstId)).toEqual({ kind: 'online' })
    // Figures are as old as they were: they are not stale because of a rest.
    await ask(recent)
    await settled()
    expect(service.asked).toHaveLength(before + 1)
  })

  it('rests though what was asked before is answered', async () => {
    const { reports, service, clock, tell, ask } = await desk({ watching: true })
    await settled()
    let open = () => {}
    service.gate = new Promise((resolve) => (open = resolve))
    const asked = ask(recent)
    await settled()
    tell(rest(clock.now() + 10 * second))
    open()
    await asked
    expect(reports.connection(firstId).kind).toBe('resting')
    tell(rest(null))
    expect(reports.connection(firstId)).toEqual({ kind: 'online' })
  })

  it('tells of each later moment, and is not away where its answer is held back', async () => {
    const { reports, service, clock, tell, received } = await desk({ watching: true })
    await settled()
    received()
    tell(rest(clock.now() + 10 * second))
    service.gate = new Promise(() => {})
    await clock.move(10 * second)
    await clock.move(20 * second)
    expect(reports.connection(firstId).kind).toBe('resting')
    tell(rest(clock.now() + 20 * second))
    expect(received()).toEqual(['resting', 'resting'])
  })

  it('is away where it cannot be reached when its rest ends', async () => {
    const { reports, service, clock, tell } = await desk({ watching: true })
    await settled()
    tell(rest(clock.now() + 10 * second))
    service.failure = 'offline'
    await clock.move(10 * second)
    expect(reports.connection(firstId)).toEqual({ kind: 'offline' })
  })
})
