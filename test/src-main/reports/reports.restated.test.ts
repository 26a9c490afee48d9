import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { noWindows } from '#shared/accounts/account.ts'
import { answerKey, plainTable } from '#shared/reports/query.ts'
import type { OverviewQuery, ReportQuery, TableQuery } from '#shared/reports/query.ts'
import { labelKey } from '#shared/reports/rows.ts'
import { totalAt } from '#shared/reports/answer.ts'
import type { CountChange, Restatement } from '#shared/reports/answer.ts'
import type { Cell, TableAnswer, Totals } from '#shared/api/answers.ts'
import { day } from '#shared/values/day.ts'
import type { Day } from '#shared/values/day.ts'
import { runningSandbox } from '#test/helpers/running-sandbox.ts'
import type { RunningSandbox } from '#test/helpers/running-sandbox.ts'
import { firstId, temporaryFolder } from '../database/helpers.ts'
import { sandboxDesk } from './sandbox-desk.ts'
import type { SandboxDesk } from './sandbox-desk.ts'

let running: RunningSandbox
beforeAll(async () => {
  running = await runningSandbox()
})
afterAll(() => running.close())
beforeEach(() => running.behave({ windows: noWindows, restated: [] }))

const over = day('2026-11-02')
const table: TableQuery = {
  ...plainTable,
  family: 'script',
  dimension: 'browsers',
  range: { start: over, end: over },
  limit: 1000,
}

async function serviceSays(): Promise<TableAnswer> {
  const { start, end } = table.range
  return (await running.client().call('script/browsers', { start, end, limit: 1000 })).answer
}

/** What two answers say otherwise under the same names, by definition. */
function changed(
  before: Readonly<Record<string, Cell>>,
  after: Readonly<Record<string, Cell>>,
): CountChange[] {
  return Object.entries(before).flatMap(([name, count]) =>
    count === after[name] ? [] : [{ name, before: count as number, after: after[name] as number }],
  )
}

const rowsOf = ({ table: { headers, rows } }: TableAnswer) =>
  new Map(
    rows.map(({ label, cells }) => [
      labelKey(label),
      Object.fromEntries(cells.map((cell, place) => [headers[place + 1] ?? '', cell])),
    ]),
  )

function changedRows(before: TableAnswer, after: TableAnswer) {
  const [then, now] = [rowsOf(before), rowsOf(after)]
  const headers = before.table.headers.slice(1)
  const none = Object.fromEntries(headers.map((header) => [header, null]))
  return [...new Set([...then.keys(), ...now.keys()])]
    .map((key) => ({ key, changes: changed(then.get(key) ?? none, now.get(key) ?? none) }))
    .filter(({ changes }) => changes.length > 0)
}

const sizeOf = ({ changes }: { readonly changes: readonly CountChange[] }) =>
  Math.max(...changes.map(({ before, after }) => Math.abs((after ?? 0) - (before ?? 0))))

/** Asks anew by hand, and waits for what comes of it. */
async function refetch(desk: SandboxDesk, query: ReportQuery) {
  const key = `changed ${answerKey(query)}`
  const ended = desk.until(key)
  await desk.ask(query, true)
  await ended
  return await desk.ask(query)
}

const restatements = ({ reports }: SandboxDesk, query: ReportQuery) =>
  reports.restatements({ account: firstId, query })

const restate = (...days: Day[]) => running.behave({ restated: days })

describe('a day that is fetched again', () => {
  it('is restated where its figures differ: totals and rows, before and after', async () => {
    const desk = await sandboxDesk(running)
    await desk.ask(table)
    const before = await serviceSays()
    await restate(over)
    const after = await serviceSays()
    desk.clock.moved += 60_000
    const answer = await refetch(desk, table)
    const { items, total } = await restatements(desk, table)
    expect(total).toBe(1)
    const [restatement] = items
    if (!restatement) throw new Error('Nothing was restated')
    expect(restatement.range).toEqual(table.range)
    expect(restatement.totals).toEqual(changed(before.total, after.total))
    expect(restatement.totals.length).toBeGreaterThan(0)
    expect(restatement.afterFetchedAt - restatement.beforeFetchedAt).toBe(60_000)

    const [all, ...rows] = restatement.rows
    const told = ({ label, changes }: Restatement['rows'][number]) => ({ key: labelKey(label), changes })
    expect(all?.label.kind).toBe('all')
    const expected = changedRows(before, after)
    expect(expected.length).toBeGreaterThan(2)
    expect(restatement.differing).toBe(expected.length)
    const byKey = <T extends { key: string }>(list: readonly T[]) =>
      [...list].sort((one, other) => (one.key < other.key ? -1 : 1))
    expect(byKey(rows.map(told))).toEqual(byKey(expected))
    expect(rows.map(sizeOf)).toEqual(rows.map(sizeOf).sort((one, other) => other - one))
    expect(answer.provenance.restated).toEqual({ days: 1, latest: restatement.afterFetchedAt })
  })

  it('is marked in every view that touches it, and in no other', async () => {
    const folder = temporaryFolder()
    const desk = await sandboxDesk(running, { folder })
    const limited = { start: day('2026-11-01'), end: day('2026-11-04') }
    const days: TableQuery = { ...table, range: limited, whole: true, sort: [] }
    await running.behave({ windows: { ...noWindows, tables: 1 } })
    await desk.ask(days)
    await restate(over, day('2026-11-03'))
    const answer = await refetch(desk, days)
    expect(answer.provenance).toMatchObject({ from: 'computed', restated: { days: 2 } })
    expect((await desk.ask({ ...days, search: 'a' })).provenance.restated?.days).toBe(2)
    expect((await desk.ask({ ...days, range: table.range })).provenance.restated?.days).toBe(1)
    const other = { start: day('2026-11-04'), end: day('2026-11-04') }
    expect((await desk.ask({ ...days, range: other })).provenance.restated).toBeNull()
    expect((await desk.ask({ ...days, dimension: 'devices' })).provenance.restated).toBeNull()
    expect(await restatements(desk, { ...days, range: other })).toEqual({ items: [], total: 0 })
    // It is known after a start too.
    const again = await sandboxDesk(running, { folder })
    expect((await again.ask(days)).provenance.restated?.days).toBe(2)
  })

  it('is restated in its totals where nothing but these is kept', async () => {
    const desk = await sandboxDesk(running)
    const overview: OverviewQuery = {
      ...{ kind: 'overview', family: 'script', range: table.range, chart: false },
      ...{ instance: null, source: null, campaign: null },
    }
    const before = (await desk.ask(overview)).figures.total
    await restate(over)
    const after = (await refetch(desk, overview)).figures.total
    const { items } = await restatements(desk, overview)
    expect(items).toMatchObject([{ totals: changed(before, after), rows: [], differing: null }])
  })

  it('is not restated where it says the same', async () => {
    const desk = await sandboxDesk(running)
    await desk.ask(table)
    const answer = await refetch(desk, table)
    expect(await restatements(desk, table)).toEqual({ items: [], total: 0 })
    expect(answer.provenance.restated).toBeNull()
  })

  it.each([
    ['still ran when it was fetched', day('2026-11-20'), 'UTC'],
    ['still ran in the zone of the account', day('2026-11-19'), 'Pacific/Pago_Pago'],
  ])('is not restated where it %s: it went on', async (_, runs, dayZone) => {
    const desk = await sandboxDesk(running, { traits: { dayZone } })
    desk.clock.moved = dayZone === 'UTC' ? 0 : -4 * 60 * 60_000
    const query: TableQuery = { ...table, range: { start: runs, end: runs } }
    const before = await desk.ask(query)
    await restate(runs)
    const after = await refetch(desk, query)
    expect(after.figures.total).not.toEqual(before.figures.total)
    expect(after.provenance.restated).toBeNull()
  })

  it('is restated as often as it changes: what it was at a time can be told', async () => {
    const desk = await sandboxDesk(running)
    const at: number[] = []
    const totals: Totals[] = []
    const step = async (...restated: Day[]) => {
      await restate(...restated)
      desk.clock.moved += 60_000
      at.push(desk.clock.now())
      totals.push((await (at.length === 1 ? desk.ask(table) : refetch(desk, table))).figures.total)
    }
    await step()
    await step(over)
    await step()
    const { items } = await restatements(desk, table)
    expect(items).toHaveLength(2)
    expect(items[0]?.beforeFetchedAt).toBe(items[1]?.afterFetchedAt)
    for (const [place, time] of at.entries()) {
      expect(totalAt(items, 'bad', time)).toBe(totals[place]?.bad)
      expect(totalAt(items, 'bad', time + 59_999)).toBe(totals[place]?.bad)
    }
    expect(totals[0]?.bad).not.toBe(totals[1]?.bad)
    expect(totalAt(items, 'drops', at[0] ?? 0)).toBeUndefined()
  })

  it('is forgotten with its account', async () => {
    const folder = temporaryFolder()
    const desk = await sandboxDesk(running, { folder })
    await desk.ask(table)
    await restate(over)
    await refetch(desk, table)
    await desk.remove()
    const again = await sandboxDesk(running, { folder })
    await expect.poll(() => restatements(again, table)).toEqual({ items: [], total: 0 })
  })
})
