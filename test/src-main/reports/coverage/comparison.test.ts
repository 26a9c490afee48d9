import fc from 'fast-check'
import { describe, expect, it, afterAll, beforeAll, beforeEach } from 'vitest'
import type { StoredTable } from '#main/database/cache/catalogue-repository.ts'
import { pairDays } from '#main/reports/coverage/comparison.ts'
import { noWindows } from '#shared/accounts/account.ts'
import type { Mover } from '#shared/reports/answer.ts'
import { plainTable } from '#shared/reports/query.ts'
import type { TableQuery } from '#shared/reports/query.ts'
import { labelKey } from '#shared/reports/rows.ts'
import { addDays, day, daysBetween, daysOf } from '#shared/values/day.ts'
import type { Day, DayRange } from '#shared/values/day.ts'
import { checkProperty, checkAsyncProperty } from '#test/helpers/properties.ts'
import { runningSandbox } from '#test/helpers/running-sandbox.ts'
import type { RunningSandbox } from '#test/helpers/running-sandbox.ts'
import { firstId } from '#test/src-main/database/helpers.ts'
import { sandboxDesk } from '../sandbox-desk.ts'
import type { SandboxDesk } from '../sandbox-desk.ts'
import { storedTable } from './tables.ts'

const nowStart = day('2026-11-08')
const thenStart = day('2026-11-01')

/** A kept table of days counted from a day. */
const from = (start: Day) => (first: number, last: number, fetchedAt: number) =>
  storedTable({ start: addDays(start, first), end: addDays(start, last) }, fetchedAt)
const now = (first: number, last = first, fetchedAt = 100): StoredTable =>
  from(nowStart)(first, last, fetchedAt)
const then = (first: number, last = first, fetchedAt = 100): StoredTable =>
  from(thenStart)(first, last, fetchedAt)

const sideOf = (start: Day, stored: readonly StoredTable[], days = 7) => ({
  range: { start, end: addDays(start, days - 1) },
  stored,
})
const pair = (here: readonly StoredTable[], there: readonly StoredTable[], daysBefore = 7) =>
  pairDays(sideOf(nowStart, here), sideOf(thenStart, there, daysBefore), () => true, 1000)

/** Places of the days of some tables, from 0 at the first of their range. */
const placesOf = (start: Day, tables: readonly StoredTable[]) =>
  tables.flatMap(({ range }) => daysOf(range).map((each) => daysBetween(start, each))).sort((a, b) => a - b)

describe('pairs of days', () => {
  it('are those that are kept of both periods, the same day of each', () => {
    const here = [now(0), now(1), now(2), now(3), now(4), now(5), now(6)]
    const there = [then(1), then(2), then(6)]
    const pairs = pair(here, there)
    expect(pairs.compared).toEqual({ days: 3, total: 7 })
    expect(placesOf(nowStart, pairs.now)).toEqual([1, 2, 6])
    expect(placesOf(thenStart, pairs.before)).toEqual([1, 2, 6])
  })

  it('are not made of a part of a table that is about more days', () => {
    expect(pair([now(0, 6)], [then(0), then(1)])).toMatchObject({
      compared: { days: 0, total: 7 },
      now: [],
      before: [],
      fetchedAt: null,
    })
    const pairs = pair([now(0, 2), now(3, 6)], [then(0), then(1, 2), then(3)])
    expect(placesOf(nowStart, pairs.now)).toEqual([0, 1, 2])
    expect(placesOf(thenStart, pairs.before)).toEqual([0, 1, 2])
  })

  it('are made of smaller tables where a greater one reaches too far', () => {
    const pairs = pair([now(0, 6, 200), now(0), now(1)], [then(0), then(1)])
    expect(pairs.compared.days).toBe(2)
    expect(placesOf(nowStart, pairs.now)).toEqual([0, 1])
  })

  it('are found where tables overlap, and the more promising one has no counterpart', () => {
    expect(pair([now(2, 5, 900), now(0, 3)], [then(0), then(1), then(2), then(3)]).compared.days).toBe(4)
  })

  it('are not looked for in periods of unequal length: of each, all days that are there', () => {
    const there = Array.from({ length: 12 }, (_, place) => then(place + 2))
    const pairs = pair([now(0), now(6)], there, 14)
    expect(pairs.compared).toEqual({ days: 2, total: 7, against: { days: 12, total: 14 } })
    expect(placesOf(nowStart, pairs.now)).toEqual([0, 6])
    expect(placesOf(thenStart, pairs.before)).toEqual(Array.from({ length: 12 }, (_, place) => place + 2))
    expect(pair([now(0)], [], 14)).toMatchObject({ compared: { days: 0, total: 7 }, now: [], before: [] })
  })

  it('are as old as the oldest table that is used', () => {
    expect(pair([now(0, 0, 40), now(1, 1, 10)], [then(0, 0, 60)]).fetchedAt).toBe(40)
  })

  it('are the same places of both, each once, and all that there are of single days', () => {
    const tables = (make: typeof now, single: boolean) =>
      fc.array(
        fc
          .tuple(fc.integer({ min: -2, max: 8 }), fc.nat(3), fc.nat(100))
          .map(([first, more, at]) => make(first, single ? first : first + more, at)),
        { maxLength: 8 },
      )
    checkProperty(
      'pairs',
      fc.property(tables(now, false), tables(then, false), (here, there) => {
        const pairs = pair(here, there)
        const places = placesOf(nowStart, pairs.now)
        expect(placesOf(thenStart, pairs.before)).toEqual(places)
        expect(new Set(places).size).toBe(places.length)
        expect(pairs.compared.days).toBe(places.length)
        expect(places.every((place) => place >= 0 && place < 7)).toBe(true)
      }),
    )
    checkProperty(
      'pairs of single days',
      fc.property(tables(now, true), tables(then, true), (here, there) => {
        const inside = (places: readonly number[]) =>
          new Set(places.filter((place) => place >= 0 && place < 7))
        const known = inside(placesOf(thenStart, there))
        const wanted = [...inside(placesOf(nowStart, here))].filter((place) => known.has(place))
        expect(placesOf(nowStart, pair(here, there).now)).toEqual(wanted.sort((a, b) => a - b))
      }),
    )
  })
})

/** The sandbox's day; desks stand at its noon. */
const today = day('2026-11-20')
const hour = 3_600_000
type Counts = ReadonlyMap<string, number>

let running: RunningSandbox
/** Bad requests of each browser, day by day, as the service tells them of single days. */
const daily = new Map<Day, Counts>()
beforeAll(async () => {
  running = await runningSandbox()
  const client = running.client()
  for (const each of daysOf({ start: addDays(today, -25), end: addDays(today, -1) })) {
    const { answer } = await client.call('script/browsers', { start: each, end: each, limit: 1000 })
    daily.set(each, new Map(answer.table.rows.map(({ label, cells }) => [labelKey(label), Number(cells[4])])))
  }
})
afterAll(() => running.close())
beforeEach(async () => {
  await running.control('DELETE', '/faults')
  await running.behave({ windows: noWindows, charts: 'all' })
})

const goAway = () => running.fault({ path: null, times: null, does: { kind: 'reset' } })
const badOver = (days: readonly Day[], label: string) =>
  days.reduce((all, each) => all + (daily.get(each)?.get(label) ?? 0), 0)
const labels = () => [...new Set([...daily.values()].flatMap((each) => [...each.keys()]))].sort()

const browsers = (range: DayRange): TableQuery => ({
  ...plainTable,
  ...{ family: 'script', dimension: 'browsers', range },
})
const asked = (range: DayRange, before: DayRange) => ({
  ...{ account: firstId, query: browsers(range), before, force: false },
})

type Sides = { readonly now: Counts; readonly before: Counts }

/** Bad requests of each browser as the columns of changes have them; those of now as they are shown where those are compared. */
async function columns(
  desk: SandboxDesk,
  range: DayRange,
  before: DayRange,
  isWhole: boolean,
): Promise<Sides> {
  const all = labels()
  const { sides } = await desk.reports.before({ ...asked(range, before), labels: all, isWhole })
  const countsOf = (rows: readonly (readonly unknown[] | null)[]): Counts =>
    new Map(all.map((label, row) => [label, Number(rows[row]?.[4] ?? 0)]))
  if (!sides) return { now: new Map(), before: new Map() }
  if (sides.now) return { now: countsOf(sides.now.rows), before: countsOf(sides.before.rows) }
  const shown = await desk.ask({ ...browsers(range), limit: 1000, whole: true })
  if (shown.kind !== 'table') throw new TypeError('Not a table')
  const now = shown.figures.table.rows.map(({ label, cells }) => [labelKey(label), Number(cells[4])] as const)
  return { now: new Map(now), before: countsOf(sides.before.rows) }
}

async function moved(desk: SandboxDesk, range: DayRange, before: DayRange) {
  const { up, down } = await desk.reports.movers({ ...asked(range, before), header: 'Bad', max: 50 })
  return { up, down, all: [...up, ...down] }
}

/** Labels by how much their bad requests grew, the most first; those that did not change are left out. */
const order = (changes: readonly (readonly [string, number])[]) =>
  changes
    .filter(([, change]) => change !== 0)
    .toSorted(([, one], [, other]) => other - one)
    .map(([label, change]) => `${label} ${change.toFixed(6)}`)

/** What columns, movers and the order of a table by its changes say, against single days of the service. */
async function expectComparison(desk: SandboxDesk, range: DayRange, before: DayRange, days: [Day[], Day[]]) {
  const [here, there] = days
  const perDay = here.length !== there.length
  const changeOf = (label: string) => {
    const [now, then] = [badOver(here, label), badOver(there, label)]
    return perDay ? now / here.length - then / there.length : now - then
  }
  const isWhole = range.end < today
  const { now, before: then } = await columns(desk, range, before, isWhole)
  for (const label of labels()) {
    expect([label, now.get(label) ?? 0]).toEqual([label, badOver(here, label)])
    expect([label, then.get(label) ?? 0]).toEqual([label, badOver(there, label)])
  }
  const movers = await moved(desk, range, before)
  for (const { label, now: is, before: was } of movers.all)
    expect([is, was]).toEqual([badOver(here, labelKey(label)), badOver(there, labelKey(label))])
  const changes = labels().map((label) => [label, changeOf(label)] as const)
  const toldBy = (some: readonly Mover[]) =>
    order(some.map(({ label }) => [labelKey(label), changeOf(labelKey(label))]))
  expect(toldBy(movers.up)).toEqual(order(changes.filter(([, change]) => change > 0)))
  expect(movers.up.map(({ label }) => changeOf(labelKey(label)).toFixed(6))).toEqual(
    movers.up
      .map(({ label }) => changeOf(labelKey(label)).toFixed(6))
      .toSorted((a, b) => Number(b) - Number(a)),
  )
  const sorted = await desk.ask({
    ...{ ...browsers(range), before, limit: 1000, whole: true },
    sort: [{ header: 'Bad change', direction: 'desc' }],
  })
  if (sorted.kind !== 'table') throw new TypeError('Not a table')
  const seen = sorted.figures.table.rows.map(({ label }) => changeOf(labelKey(label)))
  seen.forEach((change, place) => {
    if (place > 0) expect(change).toBeLessThanOrEqual((seen[place - 1] ?? 0) + 1e-9)
  })
}

/** The days that have to be compared, found in another way than the desk finds them. */
function expectedDays(range: DayRange, before: DayRange): [Day[], Day[]] {
  const isOver = (each: Day | undefined) => each !== undefined && each < today
  const [here, there] = [daysOf(range), daysOf(before)]
  if (here.length !== there.length) return [here.filter(isOver), there.filter(isOver)]
  const places = here.map((_, place) => place).filter((place) => isOver(here[place]) && isOver(there[place]))
  const at = (days: readonly Day[]) => places.flatMap((place) => days[place] ?? [])
  return [at(here), at(there)]
}

describe('a comparison', () => {
  it('is of equal days that are over, or per day, for any two periods, in columns, movers and order', async () => {
    const desk = await sandboxDesk(running)
    const period = fc
      .tuple(fc.integer({ min: -24, max: 0 }), fc.integer({ min: 1, max: 9 }))
      .map(([first, days]) => ({
        start: addDays(today, first),
        end: addDays(today, Math.min(0, first + days - 1)),
      }))
      .filter(({ start }) => start < today)
    await checkAsyncProperty(
      'comparisons',
      fc.asyncProperty(period, period, fc.boolean(), async (range, other, alike) => {
        const length = daysOf(range).length
        const before = alike
          ? { start: addDays(range.start, -length), end: addDays(range.end, -length) }
          : other
        if (before.start < addDays(today, -25)) return
        await expectComparison(desk, range, before, expectedDays(range, before))
      }),
      60,
    )
  })

  const soFar = { start: day('2026-11-16'), end: today }
  const weekBefore = { start: day('2026-11-09'), end: day('2026-11-13') }

  it('is the same half an hour after midnight and at noon: the day that runs is in neither side', async () => {
    const desk = await sandboxDesk(running)
    for (const moved of [-11.5 * hour, 0]) {
      desk.clock.moved = moved
      await expectComparison(desk, soFar, weekBefore, [
        daysOf({ start: soFar.start, end: day('2026-11-19') }),
        daysOf({ start: weekBefore.start, end: day('2026-11-12') }),
      ])
      const { periods, compared } = await desk.reports.movers({
        ...{ ...asked(soFar, weekBefore), header: 'Bad', max: 1 },
      })
      expect({ periods, compared }).toMatchObject({ periods: { leftOut: [today] }, compared: null })
    }
  })

  it('moves by rates of all requests, as the cards beside them, whatever the rates of the tables are of', async () => {
    const before = { start: day('2026-11-02'), end: day('2026-11-08') }
    const range = { start: day('2026-11-09'), end: day('2026-11-15') }
    const others = await sandboxDesk(running, { traits: { rateBases: { script: { Bad: 'Responses' } } } })
    const usual = await sandboxDesk(running)
    const movers = await moved(others, range, before)
    expect(movers).toEqual(await moved(usual, range, before))
    const shown = await usual.ask({ ...browsers(range), limit: 1000, whole: true })
    if (shown.kind !== 'table') throw new TypeError('Not a table')
    const requests = new Map(shown.figures.table.rows.map(({ label, cells }) => [labelKey(label), cells[0]]))
    expect(movers.all.length).toBeGreaterThan(2)
    for (const { label, base } of movers.all) expect(base?.now).toBe(requests.get(labelKey(label)) ?? 0)
  })

  it('asks of a running week for no day twice', async () => {
    const desk = await sandboxDesk(running)
    await desk.calls()
    await desk.ask({
      ...{ ...browsers(soFar), before: weekBefore, whole: true },
      sort: [{ header: 'Bad change', direction: 'desc' }],
    })
    const ranges = desk.calls().map((call) => /"start":(\d+|"[^"]+"),"end":(\d+|"[^"]+")/.exec(call)?.[0])
    expect(ranges).toHaveLength(3)
    expect(new Set(ranges).size).toBe(3)
  })

  it('is refused in words where no day is over yet', async () => {
    const desk = await sandboxDesk(running)
    const [range, before] = [
      { start: today, end: today },
      { start: addDays(today, -1), end: addDays(today, -1) },
    ]
    await expect(moved(desk, range, before)).rejects.toMatchObject({
      failure: {
        kind: 'invalid',
        message: 'Nothing to compare yet: all of these days are still in progress.',
      },
    })
    await expect(columns(desk, range, before, false)).rejects.toMatchObject({ failure: { kind: 'invalid' } })
  })

  it('leaves out a day that was saved before it was over, also the day after', async () => {
    const desk = await sandboxDesk(running)
    const keep = (range: DayRange) =>
      desk.reports.storeWhole({
        ...{ account: firstId, query: browsers(range), progress: () => undefined },
        signal: new AbortController().signal,
      })
    await keep(soFar)
    await keep(weekBefore)
    await goAway()
    desk.clock.moved = 20 * hour
    const { compared, periods } = await desk.reports.movers({
      ...{ ...asked(soFar, weekBefore), header: 'Bad', max: 1 },
    })
    expect(periods.leftOut).toEqual([])
    expect(compared).toEqual({ days: 4, total: 5 })
    const { now, before } = await columns(desk, soFar, weekBefore, false)
    for (const label of labels()) {
      expect(now.get(label)).toBe(badOver(daysOf({ start: soFar.start, end: day('2026-11-19') }), label))
      expect(before.get(label)).toBe(
        badOver(daysOf({ start: weekBefore.start, end: day('2026-11-12') }), label),
      )
    }
  })
})
