import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { noWindows } from '#shared/accounts/account.ts'
import { headersOf } from '#shared/api/dimensions.ts'
import { plainTable } from '#shared/reports/query.ts'
import type { TableQuery } from '#shared/reports/query.ts'
import { day, daysOf } from '#shared/values/day.ts'
import type { Day, DayRange } from '#shared/values/day.ts'
import { runningSandbox } from '#test/helpers/running-sandbox.ts'
import type { RunningSandbox } from '#test/helpers/running-sandbox.ts'
import type { Channel } from '#main/workers/rpc.ts'
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
  await running.behave({ windows: noWindows })
})

const range = { start: day('2026-11-05'), end: day('2026-11-09') }
const browsers: TableQuery = { ...plainTable, family: 'script', dimension: 'browsers', range }

const mixOf = ({ reports }: SandboxDesk, query: TableQuery, load = false) =>
  reports.handlers['reports/rule-mix']({ account: firstId, query, load })

const keep = ({ reports }: SandboxDesk, query: TableQuery, days: DayRange = range) =>
  reports.storeWhole({
    account: firstId,
    query: { ...query, range: days },
    signal: new AbortController().signal,
    progress: () => undefined,
  })

/** Counts of each rule set that the service has on a day, of all rows or of those with a label. */
async function countsOn(on: Day, params: object = {}): Promise<ReadonlyMap<string, unknown>> {
  const asked = { start: on, end: on, limit: 1000, rules: true, ...params }
  const { table } = (await running.client().call('script/browsers', asked)).answer
  const standard = headersOf('script', 'browsers')
  return new Map(
    table.headers
      .slice(1)
      .flatMap((header, place) =>
        standard.includes(header) ? [] : [[header, table.all?.cells[place] ?? null] as const],
      ),
  )
}

/** The counts of an answer on a day, without the rule sets that nothing broke. */
const countsIn = ({ chart }: Awaited<ReturnType<typeof mixOf>>, on: Day) =>
  new Map(
    chart.series.flatMap(({ header, values }) => {
      const value = values[chart.days.indexOf(on)] ?? null
      return value === 0 || value === null ? [] : [[header, value] as const]
    }),
  )

it('has the counts that the service has of each day, of days that are stored', async () => {
  const desk = await sandboxDesk(running)
  await keep(desk, { ...browsers, rules: true })
  await desk.asked()
  const mix = await mixOf(desk, browsers)
  expect(await desk.asked()).toEqual([])
  expect(mix.provenance).toMatchObject({ missing: [], failure: null })
  expect(mix.chart.series.length).toBeGreaterThan(2)
  for (const on of daysOf(range)) expect(countsIn(mix, on)).toEqual(await countsOn(on))
})

it('sends no request for days that are not stored, and names them', async () => {
  const desk = await sandboxDesk(running)
  await keep(desk, browsers)
  await expect(mixOf(desk, browsers)).rejects.toMatchObject({
    failure: { kind: 'costly', cost: { calls: 5 } },
  })
  const some = { start: day('2026-11-08'), end: range.end }
  await keep(desk, { ...browsers, rules: true }, some)
  await desk.asked()
  const mix = await mixOf(desk, browsers)
  expect(await desk.asked()).toEqual([])
  expect(mix.provenance.missing).toEqual(daysOf(range).slice(0, 3))
  expect(mix.provenance.failure).toMatchObject({ kind: 'costly', cost: { calls: 3 } })
  const [first] = mix.chart.series
  expect(first?.values.map((value) => value === null)).toEqual([true, true, true, false, false])
})

it('loads the missing days alone when asked to', async () => {
  const desk = await sandboxDesk(running)
  await keep(desk, { ...browsers, rules: true }, { start: range.start, end: range.start })
  await desk.asked()
  const mix = await mixOf(desk, browsers, true)
  expect((await desk.asked()).filter((path) => path === 'script/browsers')).toHaveLength(4)
  expect(mix.provenance.missing).toEqual([])
})

it('is that of one row, from the tables of all rows too, with one read and without the service', async () => {
  const asked: string[] = []
  const between = (channel: Channel): Channel => ({
    ...channel,
    post: (message) => {
      const { kind, name } = message as { readonly kind: string; readonly name: string }
      if (kind === 'call') asked.push(name)
      channel.post(message)
    },
  })
  const desk = await sandboxDesk(running, { between })
  await keep(desk, { ...browsers, rules: true })
  const own = await countsOn(range.end, { browser: 'Chrome' })
  await running.fault({ path: null, times: null, does: { kind: 'reset' } })
  asked.length = 0
  const mix = await mixOf(desk, { ...browsers, filters: { browser: 'Chrome' } })
  expect(asked).toEqual(['rowByDay'])
  expect(mix.provenance.missing).toEqual([])
  expect(countsIn(mix, range.end)).toEqual(own)
})

it('is that of all instances where the service has no such table', async () => {
  const desk = await sandboxDesk(running)
  await keep(desk, { ...browsers, dimension: 'sessions', rules: true })
  const mix = await mixOf(desk, { ...browsers, dimension: 'sources' })
  expect(mix.provenance.missing).toEqual([])
  expect(countsIn(mix, range.end)).toEqual(await countsOn(range.end))
})

it('says why nothing can be loaded while the service is away', async () => {
  const desk = await sandboxDesk(running)
  await keep(desk, { ...browsers, dimension: 'geography', rules: true }, { start: range.end, end: range.end })
  await running.fault({ path: null, times: null, does: { kind: 'reset' } })
  await desk.ask(browsers).catch(() => undefined)
  await expect(mixOf(desk, browsers)).rejects.toMatchObject({ failure: { kind: 'offline' } })
  const some = await mixOf(desk, { ...browsers, dimension: 'geography' })
  expect(some.provenance.missing).toHaveLength(4)
  expect(some.provenance.failure).toMatchObject({ kind: 'offline' })
})
