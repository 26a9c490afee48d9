import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { noWindows } from '#shared/accounts/account.ts'
import { DeskFailure } from '#shared/api/failure.ts'
import { plainTable } from '#shared/reports/query.ts'
import type { OverviewQuery, TableQuery } from '#shared/reports/query.ts'
import { day } from '#shared/values/day.ts'
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
  await running.behave({ windows: noWindows })
  await running.control('DELETE', '/requests')
})

const query: TableQuery = {
  ...plainTable,
  family: 'script',
  dimension: 'networks',
  range: { start: day('2026-11-01'), end: day('2026-11-10') },
}

function keep({ reports }: SandboxDesk, about: TableQuery = query, signal = new AbortController().signal) {
  const told: string[] = []
  const progress = (done: number, of: number) => void told.push(`${done} of ${of}`)
  return { told, stored: reports.storeWhole({ account: firstId, query: about, signal, progress }) }
}

it('keeps every day of a query, tells how far it is, and asks for none of them again', async () => {
  const desk = await sandboxDesk(running)
  const { told, stored } = keep(desk)
  await stored
  expect(told[0]).toBe('0 of 10')
  expect(told.at(-1)).toBe('10 of 10')
  expect(await desk.asked()).toHaveLength(10)
  expect(await desk.reports.storedOf(firstId, query)).toEqual({
    days: 10,
    total: 10,
    oldest: desk.clock.now(),
    bytes: (await desk.reports.storedSize()).bytes,
  })
  desk.clock.moved += 24 * 3_600_000
  await keep(desk).stored
  const moved = { ...query, range: { start: day('2026-11-02'), end: day('2026-11-11') } }
  await keep(desk, moved).stored
  expect(await desk.asked()).toHaveLength(1)
})

it('keeps each day by itself, also where all of them were opened as one table', async () => {
  const desk = await sandboxDesk(running)
  const ruled = { ...query, rules: true }
  await desk.ask(ruled)
  expect(await desk.reports.storedOf(firstId, ruled)).toMatchObject({ days: 0, total: 10 })
  await keep(desk, ruled).stored
  expect(await desk.reports.storedOf(firstId, ruled)).toMatchObject({ days: 10, total: 10 })
  await running.fault({ path: null, times: null, does: { kind: 'reset' } })
  const few = { start: day('2026-11-03'), end: day('2026-11-05') }
  const answer = await desk.ask({ ...ruled, range: few })
  expect(answer.provenance).toMatchObject({ from: 'computed', missing: [], failure: null })
  // A chart is drawn without rule sets; the days that were kept with them tell it as well.
  const trend = await desk.reports.trend({
    account: firstId,
    query: { ...query, range: few },
    force: false,
  })
  expect(trend.chart.days).toHaveLength(3)
  expect(trend.provenance).toMatchObject({ from: 'computed', missing: [] })
})

it('keeps days before the one that could not be had, and says why it ended', async () => {
  const desk = await sandboxDesk(running)
  await keep(desk, { ...query, range: { start: day('2026-11-06'), end: day('2026-11-10') } }).stored
  await running.fault({ path: null, times: null, does: { kind: 'reset' } })
  await expect(keep(desk).stored).rejects.toMatchObject({ failure: { kind: 'offline' } })
  expect(await desk.reports.storedOf(firstId, query)).toMatchObject({ days: 5, total: 10 })
})

it('asks for no day that somebody else had fetched and kept meanwhile', async () => {
  const desk = await sandboxDesk(running, { traits: { windows: { ...noWindows, tables: 1 } } })
  // All places that nobody waits for are taken for a while; a person's is free.
  await running.fault({ path: null, times: 3, does: { kind: 'delay', milliseconds: 1500 } })
  const { stored } = keep(desk)
  let called = 0
  await expect.poll(() => (called += desk.calls().length)).toBe(4)
  const early = { start: day('2026-11-01'), end: day('2026-11-06') }
  const answer = await desk.ask({ ...query, range: early, whole: true })
  expect(answer.provenance).toMatchObject({ from: 'computed', missing: [], failure: null })
  // Those six; and more where the others were let go meanwhile.
  expect((await desk.reports.storedOf(firstId, query)).days).toBeGreaterThanOrEqual(6)
  await stored
  expect(await desk.reports.storedOf(firstId, query)).toMatchObject({ days: 10, total: 10 })
  expect(await desk.asked()).toHaveLength(10)
})

it('is given up by its signal, or when the account goes', async () => {
  const desk = await sandboxDesk(running)
  const controller = new AbortController()
  const { stored } = keep(desk, query, controller.signal)
  controller.abort()
  await expect(stored).rejects.toMatchObject({ failure: { kind: 'cancelled' } })
  const other = keep(desk)
  await desk.remove()
  // Whether it was given up or found no account any more is a matter of a moment.
  await expect(other.stored).rejects.toBeInstanceOf(DeskFailure)
  expect(await desk.reports.storedSize()).toEqual({ bytes: 0, days: 0 })
})

it('keeps an overview as the totals of its days', async () => {
  const desk = await sandboxDesk(running)
  const overview: OverviewQuery = {
    kind: 'overview',
    family: 'direct',
    range: query.range,
    instance: null,
    source: null,
    campaign: null,
    chart: false,
  }
  await desk.reports.storeWhole({
    account: firstId,
    query: overview,
    signal: new AbortController().signal,
    progress: () => undefined,
  })
  await running.fault({ path: null, times: null, does: { kind: 'reset' } })
  const answer = await desk.ask({ ...overview, range: { start: day('2026-11-03'), end: day('2026-11-05') } })
  expect(answer.provenance).toMatchObject({ from: 'computed', missing: [] })
})

it('lets the oldest go beyond a size, and spares what is pinned', async () => {
  const desk = await sandboxDesk(running)
  await keep(desk).stored
  desk.clock.moved += 1000
  const newer = { ...query, dimension: 'browsers' } as const
  await keep(desk, newer).stored
  const other = { ...newer, dimension: 'device-types' } as const
  await desk.ask(other)
  // It is kept behind its answer: who asks for its tables waits for it.
  await desk.reports.storedOf(firstId, other)
  const pinned = [{ account: firstId, query }]
  const { bytes } = await desk.reports.storedSize()
  await desk.reports.limitStorage(bytes, () => expect.fail('Nothing is deleted'))
  expect(await desk.reports.storedSize()).toMatchObject({ bytes })
  await desk.reports.limitStorage(0, () => pinned)
  expect(await desk.reports.storedOf(firstId, query)).toMatchObject({ days: 10 })
  expect(await desk.reports.storedOf(firstId, newer)).toMatchObject({ days: 0, oldest: null, bytes: 0 })
  await desk.reports.limitStorage(0, () => [])
  expect(await desk.reports.storedSize()).toEqual({ bytes: 0, days: 0 })
})

it('says beforehand what keeping takes, from what is kept already', async () => {
  const desk = await sandboxDesk(running)
  const range = { start: day('2026-10-01'), end: day('2026-10-10') }
  const unknown = await desk.reports.estimate(firstId, [{ ...query, range }])
  expect(unknown).toMatchObject({ total: 10, days: 10, requests: 10, assumed: ['size', 'time'] })
  await keep(desk).stored
  const known = await desk.reports.estimate(firstId, [{ ...query, range }, query])
  expect(known).toMatchObject({ total: 20, days: 10, requests: 10, assumed: [] })
  expect(await desk.asked()).toHaveLength(10)
  const before = (await desk.reports.storedSize()).bytes
  await keep(desk, { ...query, range }).stored
  const added = (await desk.reports.storedSize()).bytes - before
  expect(await desk.asked()).toHaveLength(known.requests)
  expect(Math.abs(added - known.bytes)).toBeLessThan(added / 4)
})

it('says what a limit would remove, and removes it when asked to', async () => {
  const desk = await sandboxDesk(running)
  await keep(desk).stored
  const { bytes } = await desk.reports.storedSize()
  expect(await desk.reports.beyondLimit(bytes, [])).toEqual({ bytes: 0, days: 0 })
  expect(await desk.reports.beyondLimit(0, [])).toEqual({ bytes, days: 10 })
  expect(await desk.reports.beyondLimit(0, [{ account: firstId, query }])).toEqual({ bytes: 0, days: 0 })
  expect(await desk.reports.storedSize()).toMatchObject({ bytes })
})

it('removes every figure of an account: files, answers and lists', async () => {
  const desk = await sandboxDesk(running)
  await keep(desk).stored
  await desk.ask({ ...query, dimension: 'browsers', search: 'a' })
  await desk.reports.instances({ account: firstId, name: null, page: 1, limit: 10 })
  await desk.reports.removeFigures(firstId)
  expect(await desk.reports.storedSize()).toEqual({ bytes: 0, days: 0 })
  expect(await desk.reports.storedOf(firstId, query)).toMatchObject({ days: 0 })
  await desk.asked()
  await keep(desk).stored
  expect(await desk.asked()).toHaveLength(10)
})

it('compacts settled days after syncing, and answers from them as before', async () => {
  const desk = await sandboxDesk(running)
  await keep(desk).stored
  await keep(desk, { ...query, range: { start: day('2026-11-11'), end: day('2026-11-20') } }).stored
  const whole = { ...query, range: { start: day('2026-11-01'), end: day('2026-11-20') } }
  const before = await desk.ask(whole)
  desk.events.emit({ kind: 'sync/ended' })
  await expect.poll(() => desk.files().length).toBe(4)
  expect(await desk.ask(whole)).toEqual(before)
})
