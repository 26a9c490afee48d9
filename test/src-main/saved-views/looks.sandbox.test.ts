import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { Looks } from '#main/saved-views/looks.ts'
import type { Accounts } from '#main/accounts/accounts.ts'
import type { PinnedViews } from '#main/saved-views/pinned.ts'
import { noWindows } from '#shared/accounts/account.ts'
import type { ReportAnswer } from '#shared/reports/answer.ts'
import { plainTable } from '#shared/reports/query.ts'
import type { OverviewQuery, TableQuery } from '#shared/reports/query.ts'
import { labelKey, labelText } from '#shared/reports/rows.ts'
import { addDays, day } from '#shared/values/day.ts'
import { eventually } from '#test/helpers/eventually.ts'
import { runningSandbox } from '#test/helpers/running-sandbox.ts'
import type { RunningSandbox } from '#test/helpers/running-sandbox.ts'
import { fake } from '#test/helpers/fake.ts'
import type { Instant } from '#shared/values/ids.ts'
import { firstId, firstDataScope, localStore, temporaryFolder } from '../database/helpers.ts'
import { HandClock } from '../reports/clock.ts'
import { now } from '../reports/helpers.ts'
import { sandboxDesk } from '../reports/sandbox-desk.ts'
import type { SandboxDesk } from '../reports/sandbox-desk.ts'
import { viewsContext } from './helpers.ts'

let running: RunningSandbox
beforeAll(async () => {
  running = await runningSandbox()
})
afterAll(() => running.close())
beforeEach(async () => {
  await running.control('DELETE', '/faults')
  await running.behave({ windows: noWindows })
  await running.control('DELETE', '/requests')
})

const week = { start: day('2026-11-13'), end: day('2026-11-19') }
const few = { start: day('2026-11-15'), end: day('2026-11-17') }
const table: TableQuery = { ...plainTable, family: 'script', dimension: 'networks', range: week }
const address = '#/reports/script/networks?compare=period-before'
const reset = { path: null, times: null, does: { kind: 'reset' } }

let asides = 0

/** What is looked at is saved over a desk of the sandbox, whose figures were asked for once. */
async function looking(folder = temporaryFolder()) {
  const desk = await sandboxDesk(running, { folder })
  const clock = new HandClock(now)
  const accounts = fake<Accounts>('accounts', {
    ...{ list: () => [desk.account()], account: desk.account },
    ...{ active: () => firstId, dataScopeOf: () => firstDataScope },
  })
  const store = localStore(folder)
  const { reports, events } = desk
  const looks = new Looks(
    viewsContext(store, { accounts, reports, events, clock }),
    fake<PinnedViews>('pinned views', { isRunning: false }),
  )
  onTestFinished(() => looks.stop())
  // A service that was heard of in this life is there.
  asides += 1
  const aside = addDays(day('2026-10-01'), asides)
  await desk.ask({ ...table, range: { start: aside, end: aside } })
  await desk.asked()
  looks.start()
  const look = async (at: string) => {
    looks.look('#/settings')
    looks.look(at)
    await clock.move(3_000)
  }
  /** Nothing is left to be saved. */
  const saved = () => eventually(async () => expect(await store.run('looks/list', undefined)).toEqual([]))
  return { desk, looks, look, saved, clock, store }
}

const tableOf = (answer: ReportAnswer) => {
  if (answer.kind !== 'table') throw new Error('Not a table')
  return answer
}
/** Rows by their labels, whatever their order; the row for all among them. */
const rowsOf = (answer: ReportAnswer) => {
  const { all, rows } = tableOf(answer).figures.table
  return new Map([...rows, ...(all ? [all] : [])].map(({ label, cells }) => [labelKey(label), cells]))
}

const overviewOf = (answer: ReportAnswer) => {
  if (answer.kind !== 'overview') throw new Error('Not an overview')
  return answer.figures
}

/** What another desk is answered by the service about the same. */
async function witnessOf() {
  const witness = await sandboxDesk(running)
  return async <T>(ask: (desk: SandboxDesk) => Promise<T>): Promise<T> => {
    await running.control('DELETE', '/faults')
    const told = await ask(witness)
    await running.fault(reset)
    return told
  }
}

describe('a week that was looked at', () => {
  it('takes a request a day, and none for another look but for days that may have changed in the hour since', async () => {
    const { desk, look, saved, clock } = await looking()
    await look('#/reports/script/networks')
    await saved()
    expect(await desk.asked()).toEqual(Array.from({ length: 7 }, () => 'script/networks'))
    await look('#/reports/script/networks?sort=asc%3ABad')
    await saved()
    expect(await desk.asked()).toEqual([])
    for (const each of [desk.clock]) each.moved += 3_600_001
    await clock.move(3_600_001)
    await look('#/reports/script/networks')
    await saved()
    // Those of the 18th and 19th: what was fetched on the third day after is settled.
    expect(await desk.asked()).toHaveLength(2)
  })

  it('is answered in part, by a row, day by day and compared with the service gone, as the service would', async () => {
    const { desk, look, saved } = await looking()
    await look(address)
    await saved()
    const witnessed = await witnessOf()
    await running.fault(reset)
    const part = { ...table, range: few, limit: 1000 }
    const answer = await desk.ask(part)
    expect(answer.provenance.missing).toEqual([])
    expect(rowsOf(answer)).toEqual(rowsOf(await witnessed((other) => other.ask(part))))

    const [first] = tableOf(answer).figures.table.rows
    const network = first ? labelText(first.label) : ''
    const row = { ...part, filters: { network } }
    expect(rowsOf(await desk.ask(row))).toEqual(rowsOf(await witnessed((other) => other.ask(row))))

    for (const query of [part, row]) {
      const ofDays = { account: firstId, query, force: false }
      const { chart, provenance } = await desk.reports.trend(ofDays)
      expect(provenance.missing).toEqual([])
      expect(chart).toEqual((await witnessed((other) => other.reports.trend(ofDays))).chart)
    }

    const before = { start: day('2026-11-12'), end: day('2026-11-14') }
    const labels = [labelKey({ kind: 'text', text: network })]
    for (const query of [part, row]) {
      const request = { account: firstId, query, before, labels, isWhole: true, force: false }
      const { sides } = await desk.reports.before(request)
      const told = await witnessed((other) => other.reports.before(request))
      expect(sides?.before.all).toEqual(told.sides?.before.all)
      expect(sides?.before.rows).toEqual(told.sides?.before.rows)
    }
  })

  it('tells an overview, and that of each instance', async () => {
    const { desk, look, saved } = await looking()
    await look('#/overview')
    await saved()
    const witnessed = await witnessOf()
    await running.fault(reset)
    for (const instance of [null, '4101'] as const) {
      const query = {
        ...{ kind: 'overview', family: 'script', range: few, source: null, campaign: null, chart: true },
        instance,
      } as OverviewQuery
      const answer = await desk.ask(query)
      const told = overviewOf(await witnessed((other) => other.ask(query)))
      expect(answer.provenance.missing).toEqual([])
      expect(overviewOf(answer).total).toEqual(told.total)
      expect(overviewOf(answer).chart).toEqual(told.chart)
    }
  })
})

describe('a service that has enough', () => {
  it('is left alone once it asks for rest, and asked again once it answers', async () => {
    const { desk, look, clock } = await looking()
    await look('#/reports/script/networks')
    await eventually(async () => expect((await running.requests()).length).toBeGreaterThan(0))
    desk.events.emit({ kind: 'service/rests', account: firstId, until: (clock.now() + 60_000) as Instant })
    // It looks again by and by, and finds that the service rests.
    await eventually(() => expect(clock.waiting().length).toBeGreaterThan(0))
    desk.calls()
    await clock.move(59_000)
    expect(desk.calls()).toEqual([])
    desk.events.emit({ kind: 'service/rests', account: firstId, until: null })
    await eventually(async () => expect((await desk.asked()).length).toBeGreaterThan(0))
  })

  it('is asked for nothing while it is away', async () => {
    const { desk, look, store } = await looking()
    await running.fault(reset)
    await expect(desk.ask({ ...table, dimension: 'browsers' })).rejects.toMatchObject({
      failure: { kind: 'offline' },
    })
    desk.calls()
    await look('#/reports/script/networks')
    expect(await store.run('looks/list', undefined)).toHaveLength(1)
    expect(desk.calls()).toEqual([])
  })
})

it('goes on after a quit where it was', async () => {
  const folder = temporaryFolder()
  const first = await looking(folder)
  await running.fault({ path: 'script/networks', times: null, does: { kind: 'delay', milliseconds: 40 } })
  await first.look('#/reports/script/networks')
  await eventually(() => expect(first.desk.files().length).toBeGreaterThan(1))
  first.looks.stop()
  await first.desk.reports.stop()
  await running.control('DELETE', '/faults')
  const before = (await first.desk.asked()).length
  expect(before).toBeLessThan(7)
  const { desk, saved } = await looking(folder)
  await saved()
  // A request that was under way at the quit may have been answered and not saved.
  const more = (await desk.asked()).length
  expect(before + more).toBeGreaterThanOrEqual(7)
  expect(before + more).toBeLessThanOrEqual(8)
})
