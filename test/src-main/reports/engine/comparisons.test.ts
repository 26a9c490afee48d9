import { afterAll, describe, expect, it } from 'vitest'
import type { Lengths } from '#shared/reports/change.ts'
import type { TableQuery } from '#shared/reports/query.ts'
import { labelText } from '#shared/reports/rows.ts'
import { engineForAll } from './engine-thread.ts'
import { asked, Asking, dayOf, directHeaders, figuresOf, instance, scriptHeaders } from './tables.ts'
import type { Day, Row } from './tables.ts'

const { engine, end } = engineForAll()
afterAll(end)
const asking = new Asking(engine)

const browsers = (day: string, counts: Readonly<Record<string, number>>) =>
  dayOf(day, { rows: Object.entries(counts).map(([label, count]): Row => [label, count, count, 0, 0]) })

async function moved(
  now: readonly Day[],
  before: readonly Day[],
  {
    header = 'Requests',
    max = 10,
    query = asked(),
    lengths = { now: 1, before: 1 },
  }: { header?: string; max?: number; query?: TableQuery; lengths?: Lengths } = {},
) {
  const [tables, earlier] = await Promise.all([asking.tables(now), asking.tables(before)])
  const { up, down } = figuresOf(
    await asking.engine.call('movers', { tables, before: earlier, lengths, query, header, max }),
  )
  const told = (movers: typeof up) => movers.map(({ label, now, before }) => [labelText(label), before, now])
  return { up: told(up), down: told(down) }
}

describe('the rows that moved most', () => {
  it('grew or fell between two sums, the most first, ties by label', async () => {
    const now = [browsers('2026-11-03', { A: 5, B: 9, C: 1, D: 4, E: 2 }), browsers('2026-11-04', { A: 5 })]
    const before = [
      browsers('2026-11-01', { A: 3, B: 9, C: 8, D: 5 }),
      browsers('2026-11-02', { E: 3, A: 1 }),
    ]
    expect(await moved(now, before)).toEqual({
      up: [['A', 4, 10]],
      down: [
        ['C', 8, 1],
        ['D', 5, 4],
        ['E', 3, 2],
      ],
    })
    expect((await moved(now, before, { max: 1 })).down).toEqual([['C', 8, 1]])
  })

  it('count nothing where they are not there', async () => {
    const now = [browsers('2026-11-02', { New: 7, Same: 1 })]
    const before = [browsers('2026-11-01', { Gone: 3, Same: 1 })]
    expect(await moved(now, before)).toEqual({ up: [['New', 0, 7]], down: [['Gone', 3, 0]] })
  })

  it('are not those whose count is unknown on either side', async () => {
    const script = asked({ family: 'script' })
    const rows = (blockers: Readonly<Record<string, number | null>>) =>
      Object.entries(blockers).map(([label, count]): Row => [label, 9, 9, 9, 0, 0, 0, count])
    const now = [dayOf('2026-11-02', { headers: scriptHeaders, rows: rows({ A: 4, B: null, C: 6, D: 0 }) })]
    const before = [
      dayOf('2026-11-01', { headers: scriptHeaders, rows: rows({ A: null, B: 4, C: 1, D: 2 }) }),
    ]
    expect(await moved(now, before, { header: 'Ad Blocker', query: script })).toEqual({
      up: [['C', 1, 6]],
      down: [['D', 2, 0]],
    })
  })

  it('can have broken a rule set that nobody broke before', async () => {
    const query = asked({ rules: true })
    const now = [dayOf('2026-11-02', { headers: [...directHeaders, 'UE'], rows: [['A', 1, 1, 0, 0, 5]] })]
    const before = [dayOf('2026-11-01', { rows: [['A', 1, 1, 0, 0]] })]
    expect((await moved(now, before, { header: 'UE', query })).up).toEqual([['A', 0, 5]])
    expect((await moved(now, before, { header: 'UE' })).up).toEqual([])
  })

  it('are the same instance where it was renamed', async () => {
    const headers = ['Instance', ...directHeaders.slice(1)]
    const one = (day: string, name: string, count: number) =>
      dayOf(day, { headers, rows: [[instance('1', name), count, count, 0, 0]] })
    const query = asked({ dimension: 'sessions' })
    expect((await moved([one('2026-11-02', 'New', 9)], [one('2026-11-01', 'Old', 2)], { query })).up).toEqual(
      [['New', 2, 9]],
    )
  })

  it('are none under a header that is not there, nor under the label’s', async () => {
    const [now, before] = [[browsers('2026-11-02', { A: 7 })], [browsers('2026-11-01', { A: 3 })]]
    for (const header of ['Nothing', 'Browser'])
      expect(await moved(now, before, { header, query: asked({ rules: header === 'Browser' }) })).toEqual({
        up: [],
        down: [],
      })
  })
})
