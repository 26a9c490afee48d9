import { afterAll, describe, expect, it } from 'vitest'
import type { Cell } from '#shared/api/answers.ts'
import { rounded } from '#shared/reports/explain.ts'
import { labelText } from '#shared/reports/rows.ts'
import { engineForAll } from './engine-thread.ts'
import { asked, Asking, dayOf, directHeaders, figuresOf, instance } from './tables.ts'
import type { Day, Row } from './tables.ts'
import type { ExplainParams } from '#main/reports/engine/table-calls.ts'

const { engine, end } = engineForAll()
afterAll(end)
const asking = new Asking(engine)

/** Requests and suspect ones by browser. */
const browsers = (
  day: string,
  counts: Readonly<Record<string, readonly [number | null, number | null]>>,
  all?: readonly Cell[] | null,
) =>
  dayOf(day, {
    rows: Object.entries(counts).map(([label, [requests, suspect]]): Row => [label, requests, 0, suspect, 0]),
    ...(all !== undefined && { all }),
  })

async function explained(now: readonly Day[], before: readonly Day[], how: Partial<ExplainParams> = {}) {
  const [tables, earlier] = await Promise.all([asking.tables(now), asking.tables(before)])
  const lengths = { now: now.length, before: before.length }
  const about = { query: asked(), header: 'Suspect', base: 'Requests', by: 'count' as const, lengths }
  return figuresOf(await asking.engine.call('explain', { tables, before: earlier, ...about, ...how }))
}

describe('what explains a change', () => {
  it('is told by the rows of both sums, over all of their days', async () => {
    const now = [
      browsers('2026-11-03', { A: [100, 30], B: [50, 5] }, null),
      browsers('2026-11-04', { A: [100, 50] }, null),
    ]
    const before = [
      browsers('2026-11-01', { A: [200, 20] }, null),
      browsers('2026-11-02', { B: [40, 4], C: [10, 1] }, null),
    ]
    const found = await explained(now, before)
    // Suspect: A from 20 to 80, B from 4 to 5, C from 1 to none.
    expect(found && rounded(found)).toMatchObject({
      whole: { now: { count: 85, base: 250 }, before: { count: 25, base: 250 } },
      change: 60,
      shape: 'few',
      named: [{ label: { text: 'A' }, now: { count: 80, base: 200 }, total: 60, mix: 0, rate: 60 }],
      others: { values: 2, total: 0 },
      rest: 0,
    })
    const byRate = await explained(now, before, { by: 'rate' })
    expect(byRate?.change).toBeCloseTo(34 - 10, 10)
    expect(byRate?.sums.total).toBeCloseTo(24, 10)
  })

  it('has a rest where the row for all counts more than the rows do', async () => {
    const found = await explained(
      [browsers('2026-11-02', { A: [100, 30] }, [120, 0, 35, 0])],
      [browsers('2026-11-01', { A: [100, 20] }, [100, 0, 20, 0])],
    )
    expect(found).toMatchObject({ change: 15, named: [{ total: 10 }], rest: 5 })
  })

  it('leaves out rows of which a count is unknown, and names them where they are asked about', async () => {
    const now = [browsers('2026-11-02', { A: [100, 30], B: [10, null], C: [10, 9] }, null)]
    const before = [browsers('2026-11-01', { A: [100, 20], B: [10, 3] }, null)]
    const found = await explained(now, before, { focus: 'text C' })
    expect(found).toMatchObject({ unknown: 1, focus: { label: { text: 'C' }, total: 9, mix: 9, rate: 0 } })
    expect(await explained(now, before, { focus: 'text B' })).toMatchObject({ focus: null })
  })

  it('is nothing where a count is not in the tables, or the rate is one of nothing', async () => {
    const [now, before] = [
      [browsers('2026-11-02', { A: [5, 1] })],
      [browsers('2026-11-01', { A: [0, 0] }, null)],
    ]
    expect(await explained(now, before, { header: 'Bad' })).toBeNull()
    expect(await explained(now, before, { by: 'rate' })).toBeNull()
  })

  it('is of the same instance where it was renamed, and of equals names the first by name', async () => {
    const headers = ['Instance', ...directHeaders.slice(1)]
    const day = (on: string, rows: readonly (readonly [id: string, name: string, suspect: number])[]) =>
      dayOf(on, {
        headers,
        all: null,
        rows: rows.map(([id, name, suspect]): Row => [instance(id, name), 90, 0, suspect, 0]),
      })
    const found = await explained(
      [
        day('2026-11-02', [
          ['1', 'New', 9],
          ['3', 'Zebra', 5],
          ['2', 'Ape', 5],
        ]),
      ],
      [
        day('2026-11-01', [
          ['1', 'Old', 2],
          ['3', 'Zebra', 1],
          ['2', 'Ape', 1],
        ]),
      ],
      { query: asked({ dimension: 'sessions' }) },
    )
    expect(found?.named.map(({ label, total }) => [labelText(label), total])).toEqual([
      ['New', 7],
      ['Ape', 4],
    ])
  })
})
