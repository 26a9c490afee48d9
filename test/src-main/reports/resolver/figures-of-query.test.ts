import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { noWindows } from '#shared/accounts/account.ts'
import type { ReportAnswer } from '#shared/reports/answer.ts'
import { beforeKey, moversKey, trendKey, plainTable } from '#shared/reports/query.ts'
import type { OverviewQuery, ReportQuery, TableQuery } from '#shared/reports/query.ts'
import { labelKey } from '#shared/reports/rows.ts'
import { day, daysOf } from '#shared/values/day.ts'
import { runningSandbox } from '#test/helpers/running-sandbox.ts'
import type { RunningSandbox } from '#test/helpers/running-sandbox.ts'
import { firstId } from '#test/src-main/database/helpers.ts'
import { sandboxDesk } from '../sandbox-desk.ts'
import type { SandboxDesk } from '../sandbox-desk.ts'

let running: RunningSandbox
beforeAll(async () => {
  running = await runningSandbox()
})
afterAll(() => running.close())
beforeEach(async () => {
  await running.control('DELETE', '/faults')
  await running.behave({ windows: noWindows, charts: 'all' })
  await running.control('DELETE', '/requests')
})

const week = { start: day('2026-11-03'), end: day('2026-11-09') }
const fortnight = { start: day('2026-10-28'), end: day('2026-11-10') }

const browsers: TableQuery = { ...plainTable, family: 'script', dimension: 'browsers', range: week }
const overview: OverviewQuery = {
  ...{ kind: 'overview', family: 'direct', range: fortnight },
  ...{ instance: null, source: null, campaign: null, chart: false },
}

const trendOf = ({ reports }: SandboxDesk, query: ReportQuery, force = false) =>
  reports.trend({ account: firstId, query, force })

/** The next so many requests are answered, and no other. */
async function answersOnly(path: string, times: number): Promise<void> {
  await running.fault({ path, times, does: { kind: 'delay', milliseconds: 1 } })
  await running.fault({ path, times: null, does: { kind: 'delay', milliseconds: 600_000 } })
}

const rowsOf = (answer: ReportAnswer) => (answer.kind === 'table' ? answer.figures.table.rows : [])

describe('a trend', () => {
  it('is the service’s chart where it gives one, whatever is searched or sorted', async () => {
    const desk = await sandboxDesk(running)
    const { start, end } = week
    const said = await running.client().call('script/browsers', { start, end, chart: true })
    await desk.asked()
    const trend = await trendOf(desk, { ...browsers, search: 'chr', page: 2 })
    expect(trend).toMatchObject({ chart: said.answer.chart, provenance: { from: 'service', missing: [] } })
    expect(await desk.asked()).toEqual(['script/browsers'])
    const again = await trendOf(desk, { ...browsers, rules: true })
    expect(again).toMatchObject({ chart: trend.chart, provenance: { from: 'stored' } })
    expect(await desk.asked()).toEqual([])
  })

  it.each(['none', 'unknown-shape'] as const)(
    'is made of the days where the chart is %s, and equals it',
    async (charts) => {
      const desk = await sandboxDesk(running)
      const { start, end } = fortnight
      const said = await running.client().call('direct/overview', { start, end, chart: true })
      await running.behave({ charts })
      await desk.asked()
      const trend = await trendOf(desk, overview)
      expect(trend.provenance).toMatchObject({ from: 'computed', missing: [] })
      expect(trend.chart).toEqual(said.answer.chart)
      expect(await desk.asked()).toHaveLength(1 + 14)
      expect(desk.received()).toContain('7 of 14 days')
      await trendOf(desk, overview)
      await trendOf(desk, { ...overview, range: week })
      expect(await desk.asked()).toEqual([])
      // That this service gives no chart is not asked again.
      await trendOf(desk, { ...overview, range: { start: day('2026-10-27'), end: day('2026-10-27') } })
      expect(await desk.asked()).toHaveLength(1)
    },
  )

  it('of a table beyond its window is made of the days', async () => {
    const desk = await sandboxDesk(running)
    const { start, end } = fortnight
    const said = await running.client().call('script/browsers', { start, end, chart: true })
    await running.behave({ windows: { tables: 7 } })
    const trend = await trendOf(desk, { ...browsers, range: fortnight })
    expect(trend.chart).toEqual(said.answer.chart)
    await desk.asked()
    // The days came whole, so that the table is known as well.
    const table = await desk.ask({ ...browsers, range: fortnight })
    expect(table.provenance).toMatchObject({ from: 'computed', missing: [] })
    expect(await desk.asked()).toEqual([])
  })

  it('that is given up shows the days that have come', async () => {
    await running.behave({ charts: 'none' })
    // Of the chart and the days, so many are answered; the others are waited for until it is given up.
    await answersOnly('direct/overview', 1 + 6)
    const desk = await sandboxDesk(running)
    const waiting = trendOf(desk, overview)
    await desk.until('6 of 14 days')
    desk.reports.cancel(firstId, trendKey(overview))
    const { chart, provenance } = await waiting
    expect(provenance.failure).toMatchObject({ kind: 'cancelled' })
    expect(provenance.missing).toHaveLength(8)
    expect(chart.days).toEqual(daysOf(fortnight))
    const known = chart.days.filter((_, place) => chart.series[0]?.values[place] !== null)
    expect([...known, ...provenance.missing].sort()).toEqual(daysOf(fortnight))
  })

  it('fails in words where nothing of it is kept and the service is away', async () => {
    await running.fault({ path: null, times: null, does: { kind: 'reset' } })
    const desk = await sandboxDesk(running)
    await expect(trendOf(desk, overview)).rejects.toMatchObject({ failure: { kind: 'offline' } })
  })
})

describe('what stood there before', () => {
  it('is found for rows of any page, and asked for once', async () => {
    const desk = await sandboxDesk(running)
    const range = { start: day('2026-10-27'), end: day('2026-11-02') }
    const { start, end } = range
    const said = await running.client().call('script/browsers', { start, end, limit: 1000 })
    await desk.asked()
    const labels = [...said.answer.table.rows.map(({ label }) => labelKey(label)).reverse(), 'text nobody']
    const asked = { account: firstId, query: browsers, before: range, labels, isWhole: true, force: false }
    const { sides, provenance } = await desk.reports.before(asked)
    expect(sides?.now).toBeNull()
    expect(sides?.before.rows).toEqual([...said.answer.table.rows.map(({ cells }) => cells).reverse(), null])
    expect(sides?.before.all).toEqual(said.answer.table.all?.cells)
    expect(provenance.missing).toEqual([])
    expect(await desk.asked()).toEqual(['script/browsers'])
    await desk.reports.before({ ...asked, labels: labels.slice(0, 1) })
    expect(await desk.asked()).toEqual([])
  })

  it('is what is kept of it without the service', async () => {
    const desk = await sandboxDesk(running)
    await desk.ask({ ...browsers, range: { start: day('2026-11-03'), end: day('2026-11-04') }, whole: true })
    await running.fault({ path: null, times: null, does: { kind: 'reset' } })
    const query = { ...browsers, range: { start: day('2026-11-10'), end: day('2026-11-16') } }
    const asked = { account: firstId, query, before: week, labels: [], isWhole: true, force: false }
    const before = await desk.reports.before(asked)
    expect(before.provenance).toMatchObject({ failure: { kind: 'offline' }, missing: daysOf(week).slice(2) })
    desk.reports.cancel(firstId, beforeKey(query, week))
  })
})

describe('the rows that moved most', () => {
  it('are those that differ most between two ranges', async () => {
    const desk = await sandboxDesk(running)
    const before = { start: day('2026-10-27'), end: day('2026-11-02') }
    const asked = { account: firstId, query: browsers, before, header: 'Bad', max: 2, force: false }
    const [now, then] = await Promise.all([
      desk.ask({ ...browsers, limit: 1000 }),
      desk.ask({ ...browsers, limit: 1000, range: before }),
    ])
    const bad = (answer: ReportAnswer) =>
      new Map(rowsOf(answer).map(({ label, cells }) => [labelKey(label), Number(cells[4])]))
    const moved = [...bad(now)].map(([key, count]) => count - (bad(then).get(key) ?? 0))
    const movers = await desk.reports.movers(asked)
    expect(movers.up.map((each) => (each.now ?? 0) - (each.before ?? 0))).toEqual(
      moved
        .filter((each) => each > 0)
        .sort((one, other) => other - one)
        .slice(0, 2),
    )
    expect(movers.provenance).toMatchObject({ from: 'computed', missing: [] })
  })

  it('are told of with the days of both ranges, and given up together', async () => {
    await running.behave({ windows: { tables: 1 } })
    await answersOnly('script/browsers', 9)
    const desk = await sandboxDesk(running, { traits: { windows: { ...noWindows, tables: 1 } } })
    const before = { start: day('2026-10-27'), end: day('2026-11-02') }
    const asked = { account: firstId, query: browsers, before, header: 'Bad', max: 2, force: false }
    const waiting = desk.reports.movers(asked)
    await desk.until('9 of 14 days')
    desk.reports.cancel(firstId, moversKey(browsers, before, 'Bad'))
    const { provenance } = await waiting
    expect(provenance.missing).not.toHaveLength(0)
    expect(provenance.missing.every((each) => each <= before.end)).toBe(true)
  })

  it('says without the service of which days nothing is kept, those of one range alone', async () => {
    const desk = await sandboxDesk(running)
    await desk.ask({ ...browsers, limit: 1000 })
    await running.fault({ path: null, times: null, does: { kind: 'reset' } })
    const moversSince = (start: string, end: string) => {
      const before = { start: day(start), end: day(end) }
      return desk.reports.movers({
        ...{ account: firstId, query: browsers, header: 'Bad', max: 2, force: false },
        before,
      })
    }
    const lacking = (words: string) => ({
      failure: { kind: 'offline', message: expect.stringContaining(words) },
    })
    await expect(moversSince('2026-10-24', '2026-10-30')).rejects.toMatchObject(
      lacking('Nothing of these 7 days is saved.'),
    )
    await expect(moversSince('2026-10-31', '2026-10-31')).rejects.toMatchObject(
      lacking('Nothing of this day is saved.'),
    )
  })
})
