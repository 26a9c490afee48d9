import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { noWindows } from '#shared/accounts/account.ts'
import { headersOf } from '#shared/api/dimensions.ts'
import type { Dimension } from '#shared/api/dimensions.ts'
import { explainKey } from '#shared/reports/explain-answer.ts'
import type { ExplainAnswer, ExplainedDimension } from '#shared/reports/explain-answer.ts'
import { plainTable } from '#shared/reports/query.ts'
import type { OverviewQuery } from '#shared/reports/query.ts'
import { labelKey, rateOf } from '#shared/reports/rows.ts'
import { day } from '#shared/values/day.ts'
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

const overview: OverviewQuery = {
  ...{ kind: 'overview', family: 'script', range: week, chart: false },
  ...{ instance: null, source: null, campaign: null },
}
const question = { query: overview, before, header: 'Bad', base: 'Requests', by: 'count' as const }

type Asked = Partial<Omit<typeof question, 'by'>> & {
  readonly load?: Dimension[]
  readonly row?: { dimension: Dimension; key: string }
  readonly by?: 'count' | 'rate'
}

const explain = ({ reports }: SandboxDesk, { load = [], ...asked }: Asked = {}) =>
  reports.explain({ account: firstId, ...question, ...asked, load })

const goAway = () => running.fault({ path: null, times: null, does: { kind: 'reset' } })

function explainedBy({ dimensions }: ExplainAnswer, dimension: Dimension) {
  const found = dimensions.find((each) => each.dimension === dimension)
  if (found?.kind !== 'explained') throw new Error(`${dimension} is ${found?.kind}`)
  return found
}

const dimensionsOf = ({ dimensions }: ExplainAnswer, kind: ExplainedDimension['kind']) =>
  dimensions.filter((each) => each.kind === kind).map(({ dimension }) => dimension)

/** Bad and Requests of each browser that the service has over these days, and of all. */
async function countsOf({ start, end }: DayRange) {
  const { answer } = await running.client().call('script/browsers', { start, end, limit: 1000 })
  const headers = headersOf('script', 'browsers')
  const at = (header: string) => headers.indexOf(header) - 1
  const counts = (cells: readonly unknown[]) =>
    [Number(cells[at('Bad')]), Number(cells[at('Requests')])] as const
  return {
    rows: new Map(answer.table.rows.map(({ label, cells }) => [labelKey(label), counts(cells)])),
    all: counts(answer.table.all?.cells ?? []),
  }
}

describe('what explains a change', () => {
  it('is not told of tables that are not stored: what they take is, and nobody asks for them', async () => {
    const desk = await sandboxDesk(running, { mostCalls: () => Promise.resolve(40) })
    await desk.asked()
    const answer = await explain(desk)
    expect(dimensionsOf(answer, 'missing')).toHaveLength(11)
    expect(answer).toMatchObject({ figure: null, failures: [], obstacle: null })
    expect(answer.due.map(({ requests, atMost }) => [requests, atMost])).toEqual([
      [2, false],
      [80, true],
      [80, true],
      ...Array.from({ length: 8 }, () => [2, false]),
    ])
    expect(await desk.asked()).toEqual([])
  })

  it('is loaded by as many requests as were told, and read offline from then on', async () => {
    const desk = await sandboxDesk(running)
    const loaded = ['browsers', 'networks'] as const
    const told = (await explain(desk)).due.filter(({ dimension }) =>
      loaded.some((name) => name === dimension),
    )
    await desk.asked()
    desk.received()
    const answer = await explain(desk, { load: [...loaded] })
    expect(await desk.asked()).toHaveLength(told.reduce((sum, { requests }) => sum + requests, 0))
    const received = desk.received()
    expect([received.at(0), received.at(-1)]).toEqual(['0 of 4 tables', '4 of 4 tables'])
    expect(dimensionsOf(answer, 'explained').toSorted()).toEqual(loaded)
    await goAway()
    const { figure, dimensions } = await explain(desk)
    expect([figure, dimensions]).toEqual([answer.figure, answer.dimensions])
  })

  it('adds up to what the service counted, value by value', async () => {
    const [now, then] = [await countsOf(week), await countsOf(before)]
    const desk = await sandboxDesk(running)
    const answer = await explain(desk, { load: ['browsers'] })
    const { explanation, agrees, compared, doubt } = explainedBy(answer, 'browsers')
    const { named, against, others, rest, change, whole } = explanation
    expect(change).toBe(now.all[0] - then.all[0])
    expect(whole).toEqual({
      now: { count: now.all[0], base: now.all[1] },
      before: { count: then.all[0], base: then.all[1] },
    })
    const told = [...named, ...(against ? [against] : [])]
    for (const { label, total, mix, rate } of told) {
      const [here = 0, there = 0] = [now, then].map(({ rows }) => rows.get(labelKey(label))?.[0] ?? 0)
      expect([total, mix + rate]).toEqual([here - there, here - there])
    }
    expect(told.reduce((sum, { total }) => sum + total, others.total + rest)).toBe(change)
    expect(others.values + told.length).toBe(new Set([...now.rows.keys(), ...then.rows.keys()]).size)
    expect({ agrees, compared, doubt }).toEqual({ agrees: true, compared: null, doubt: null })
    expect(answer.figure?.sides).toEqual(whole)

    // Of rates in points, as they are shown elsewhere.
    const { explanation: ofRate } = explainedBy(await explain(desk, { by: 'rate' }), 'browsers')
    const [rate, rateBefore] = [rateOf(...now.all), rateOf(...then.all)]
    expect(ofRate.change).toBe(Math.round(((rate ?? 0) - (rateBefore ?? 0)) * 100))
    expect(ofRate.scale).toBe(100)

    // Of one row: its part of the change.
    const [key = ''] = [...now.rows.keys()].slice(-1)
    const ofRow = await explain(desk, { load: ['networks'], row: { dimension: 'browsers', key } })
    expect(ofRow.dimensions).toHaveLength(1)
    const { focus } = explainedBy(ofRow, 'browsers').explanation
    expect(focus?.total).toBe((now.rows.get(key)?.[0] ?? 0) - (then.rows.get(key)?.[0] ?? 0))
  })

  it('is of the days that both periods have, where some are not stored, and says so', async () => {
    const [now, then] = await Promise.all([
      countsOf({ start: day('2026-11-06'), end: week.end }),
      countsOf({ start: day('2026-10-30'), end: before.end }),
    ])
    const desk = await sandboxDesk(running)
    const keep = (range: DayRange) =>
      desk.reports.storeWhole({
        account: firstId,
        query: { ...plainTable, family: 'script', dimension: 'browsers', range },
        signal: new AbortController().signal,
        progress: () => undefined,
      })
    await keep(week)
    await keep({ start: day('2026-10-30'), end: before.end })
    await goAway()
    const answer = await explain(desk)
    const { compared, explanation, agrees } = explainedBy(answer, 'browsers')
    expect([compared, answer.figure?.compared]).toEqual([
      { days: 4, total: 7 },
      { days: 4, total: 7 },
    ])
    expect([explanation.change, agrees]).toEqual([now.all[0] - then.all[0], true])
  })

  it('says that a table is of another time than the figure', async () => {
    const desk = await sandboxDesk(running)
    await explain(desk, { load: ['devices'] })
    await running.control('POST', '/days/restate', { days: [week.end] })
    desk.clock.moved = 60_000
    const answer = await explain(desk, { load: ['browsers'] })
    expect([explainedBy(answer, 'devices').agrees, explainedBy(answer, 'browsers').agrees]).toEqual([
      false,
      true,
    ])
  })

  it('has no rate by a dimension that does not count that of which it is a share', async () => {
    const desk = await sandboxDesk(running)
    const byRate = await explain(desk, { load: ['referrers'], by: 'rate' })
    expect(byRate.dimensions).toContainEqual({
      kind: 'not-counted',
      dimension: 'referrers',
      header: 'Requests',
    })
    expect(await desk.asked()).not.toContain('/v1/script/referrers')
    const { explanation, agrees } = explainedBy(await explain(desk, { load: ['referrers'] }), 'referrers')
    expect(explanation.sums.mix + explanation.sums.rate + explanation.rest).toBe(explanation.change)
    expect(agrees).not.toBe(true)
  })

  it('is not told by what the figure is limited to', async () => {
    const desk = await sandboxDesk(running)
    const limited = { ...overview, source: 'newsletter', campaign: 'spring' }
    const answer = await explain(desk, { query: limited })
    expect(dimensionsOf(answer, 'missing')).not.toContain('sources')
    expect(dimensionsOf(answer, 'missing')).not.toContain('campaigns')
    expect(dimensionsOf(answer, 'missing')).toContain('sessions')
  })

  it('says why what was asked for did not come, and what came stays', async () => {
    const desk = await sandboxDesk(running)
    await running.fault({ path: 'script/networks', times: null, does: { kind: 'status', status: 500 } })
    const answer = await explain(desk, { load: ['browsers', 'networks'] })
    expect(dimensionsOf(answer, 'explained')).toEqual(['browsers'])
    expect(answer.failures).toMatchObject([{ dimension: 'networks', failure: { kind: 'server-trouble' } }])
  })

  it('is given up with what has come by then', async () => {
    const desk = await sandboxDesk(running)
    const half = desk.until('2 of 8 tables')
    const asking = explain(desk, { load: ['browsers', 'networks', 'devices', 'geography'] })
    await half
    desk.reports.cancel(firstId, explainKey(question))
    const answer = await asking
    expect(dimensionsOf(answer, 'explained').length).toBeLessThan(4)
    expect(answer.failures).toEqual([])
  })

  it('cannot be told where no day is over', async () => {
    const desk = await sandboxDesk(running)
    const today = { start: day('2026-11-20'), end: day('2026-11-20') }
    await expect(explain(desk, { query: { ...overview, range: today } })).rejects.toThrow(
      'all of these days are still in progress',
    )
  })
})
