import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { noWindows } from '#shared/accounts/account.ts'
import { plainTable } from '#shared/reports/query.ts'
import type { OverviewQuery, ReportQuery, TableQuery } from '#shared/reports/query.ts'
import { labelKey } from '#shared/reports/rows.ts'
import { day, daysOf } from '#shared/values/day.ts'
import type { DayRange } from '#shared/values/day.ts'
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
})

const week = { start: day('2026-11-03'), end: day('2026-11-09') }
const before = { start: day('2026-10-27'), end: day('2026-11-02') }
/** The last four days of each. */
const lastOfWeek = { start: day('2026-11-06'), end: week.end }
const lastBefore = { start: day('2026-10-30'), end: before.end }

const browsers: TableQuery = { ...plainTable, family: 'script', dimension: 'browsers', range: week }
const overview: OverviewQuery = {
  ...{ kind: 'overview', family: 'direct', range: week },
  ...{ instance: null, source: null, campaign: null, chart: false },
}

/** Keeps these days of a query one by one. */
const keep = ({ reports }: SandboxDesk, query: ReportQuery, range: DayRange) =>
  reports.storeWhole({
    account: firstId,
    query: { ...query, range },
    signal: new AbortController().signal,
    progress: () => undefined,
  })

const goAway = () => running.fault({ path: null, times: null, does: { kind: 'reset' } })

/** All rows that the service has over these days, Bad by label. */
async function badOf({ start, end }: DayRange): Promise<ReadonlyMap<string, number>> {
  const { answer } = await running.client().call('script/browsers', { start, end, limit: 1000 })
  return new Map(answer.table.rows.map(({ label, cells }) => [labelKey(label), Number(cells[4])]))
}

const moversOf = ({ reports }: SandboxDesk, max = 50) =>
  reports.movers({ account: firstId, query: browsers, before, header: 'Bad', max, force: false })
const pairedOf = ({ reports }: SandboxDesk, query: ReportQuery) =>
  reports.paired({ account: firstId, query, before })

describe('periods of which days are missing', () => {
  it('are compared by movers over the days that are kept of both', async () => {
    const [now, then] = [await badOf(lastOfWeek), await badOf(lastBefore)]
    const desk = await sandboxDesk(running)
    await keep(desk, browsers, week)
    await keep(desk, browsers, lastBefore)
    await goAway()
    const movers = await moversOf(desk)
    expect(movers.compared).toEqual({ days: 4, total: 7 })
    expect(movers.provenance.missing).toEqual(daysOf(before).slice(0, 3))
    expect(movers.up.length + movers.down.length).toBeGreaterThan(3)
    for (const { label, now: is, before: was } of [...movers.up, ...movers.down]) {
      expect([is, was]).toEqual([now.get(labelKey(label)) ?? 0, then.get(labelKey(label)) ?? 0])
    }
  })

  it('are not compared where no day is kept of both', async () => {
    const desk = await sandboxDesk(running)
    await keep(desk, browsers, lastOfWeek)
    await keep(desk, browsers, { start: before.start, end: day('2026-10-29') })
    await goAway()
    expect(await moversOf(desk)).toMatchObject({ up: [], down: [], compared: { days: 0, total: 7 } })
    expect(await pairedOf(desk, browsers)).toEqual({
      compared: { days: 0, total: 7 },
      sides: null,
      fetchedAt: null,
      doubt: null,
    })
  })

  it('are compared as they are where all of them is kept', async () => {
    const desk = await sandboxDesk(running)
    expect(await moversOf(desk)).toMatchObject({ compared: null, provenance: { missing: [] } })
  })

  it('have their totals over the days that are kept of both', async () => {
    const totalOf = async ({ start, end }: DayRange) =>
      (await running.client().call('direct/overview', { start, end })).answer.total
    const [now, then] = [await totalOf(lastOfWeek), await totalOf(lastBefore)]
    const desk = await sandboxDesk(running)
    await keep(desk, overview, week)
    await keep(desk, overview, lastBefore)
    await goAway()
    const { compared, sides } = await pairedOf(desk, overview)
    expect(compared).toEqual({ days: 4, total: 7 })
    expect(sides).toEqual({ now: { total: now }, before: { total: then } })
  })

  it('are compared over days that the view itself has: a span tells nothing of its days', async () => {
    const desk = await sandboxDesk(running)
    const charted = { ...overview, chart: true }
    await keep(desk, charted, lastOfWeek)
    await keep(desk, charted, before)
    // Days that came together stand in no chart.
    const { start } = week
    await desk.ask({ ...overview, range: { start, end: day('2026-11-05') } })
    await goAway()
    const { provenance } = await desk.ask(charted)
    expect(provenance.missing).toEqual(daysOf(week).slice(0, 3))
    expect((await pairedOf(desk, charted)).compared).toEqual({ days: 4, total: 7 })
    expect((await pairedOf(desk, overview)).compared).toEqual({ days: 7, total: 7 })
  })

  it('have their rows over the days that are kept of both, those that were never there among them', async () => {
    const [now, then] = [await badOf(lastOfWeek), await badOf(lastBefore)]
    const desk = await sandboxDesk(running)
    await keep(desk, browsers, week)
    await keep(desk, browsers, lastBefore)
    await goAway()
    const labels = [...now.keys(), 'text nobody']
    const { sides, compared } = await desk.reports.before({
      ...{ account: firstId, query: browsers, before, labels, isWhole: true, force: false },
    })
    expect(compared).toEqual({ days: 4, total: 7 })
    const bad = (rows: readonly (readonly unknown[] | null)[] | undefined) =>
      rows?.map((cells) => (cells ? cells[4] : null))
    expect(bad(sides?.now?.rows)).toEqual([...now.values(), null])
    expect(bad(sides?.before.rows)).toEqual(labels.map((label) => then.get(label) ?? null))
  })

  it('tell, compared with themselves, what is saved of them and since when', async () => {
    const { total } = (await running.client().call('direct/overview', lastOfWeek)).answer
    const desk = await sandboxDesk(running)
    await keep(desk, overview, lastOfWeek)
    await goAway()
    const asked = { account: firstId, query: overview, before: week }
    const { compared, sides, fetchedAt } = await desk.reports.paired(asked)
    expect(compared).toEqual({ days: 4, total: 7 })
    expect(sides?.now.total).toEqual(total)
    expect(fetchedAt).toEqual(expect.any(Number))
  })

  it('have their totals from tables too, and so has an overview that nobody saved', async () => {
    const { total } = (await running.client().call('script/overview', lastOfWeek)).answer
    const desk = await sandboxDesk(running)
    await keep(desk, { ...browsers, rules: true }, lastOfWeek)
    await goAway()
    const script: OverviewQuery = { ...overview, family: 'script', chart: true }
    const asked = { account: firstId, query: script, before: week }
    const { compared, sides } = await desk.reports.paired(asked)
    expect(compared).toEqual({ days: 4, total: 7 })
    expect(sides?.now.total).toEqual(total)
    const { figures, provenance } = await desk.ask(script)
    expect(figures.total).toEqual(total)
    expect(provenance.missing).toEqual(daysOf(week).slice(0, 3))
    expect(provenance.failure).not.toBeNull()
  })

  it('are asked of nobody', async () => {
    const desk = await sandboxDesk(running)
    await desk.asked()
    expect(await pairedOf(desk, overview)).toEqual({
      compared: { days: 0, total: 7 },
      sides: null,
      fetchedAt: null,
      doubt: null,
    })
    expect(await desk.asked()).toEqual([])
  })
})
