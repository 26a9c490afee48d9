import { afterAll, describe, expect, it } from 'vitest'
import { labelText } from '#shared/reports/rows.ts'
import type { Lengths } from '#shared/reports/change.ts'
import type { TableQuery } from '#shared/reports/query.ts'
import { day } from '#shared/values/day.ts'
import { engineForAll } from './engine-thread.ts'
import { asked, Asking, dayOf, figuresOf } from './tables.ts'
import type { Row } from './tables.ts'

const { engine, end } = engineForAll()
afterAll(end)
const asking = new Asking(engine)
const range = { start: day('2026-11-01'), end: day('2026-11-01') }

/** Requests and suspects of each row; the others were not suspect. */
const counted = (date: string, rows: Readonly<Record<string, readonly [number, number]>>) =>
  dayOf(date, {
    rows: Object.entries(rows).map(([label, [requests, suspect]]): Row => [
      label,
      requests,
      requests - suspect,
      suspect,
      0,
    ]),
  })

const now = counted('2026-11-02', { big: [1000, 100], small: [1, 1], new: [200, 20], calm: [500, 50] })
const before = counted('2026-11-01', { big: [900, 180], small: [1, 0], gone: [700, 7], calm: [500, 50] })

const even = { now: 1, before: 1 }

async function answer(query: Partial<TableQuery>, lengths: Lengths = even) {
  const [tables, earlier] = await Promise.all([asking.tables([now]), asking.tables([before])])
  const compared = { now: null, before: earlier, lengths }
  const about = { tables, query: asked({ before: range, ...query }), compared }
  const answer = figuresOf(await asking.engine.call('table', about))
  const narrowed = figuresOf(await asking.engine.call('narrowed', about))
  expect(narrowed.answer).toEqual(answer)
  const { foundTotal } = narrowed
  const { table, query: page } = answer
  return {
    rows: table.rows.map(({ label }) => labelText(label)),
    results: page.results,
    found: [labelText(foundTotal.label), ...foundTotal.cells],
  }
}

const by = (header: string, direction: 'asc' | 'desc' = 'desc') => ({ sort: [{ header, direction }] })
const atLeast = (header: string, value: number) => ({ where: [{ header, is: 'at-least', value }] }) as const

describe('rows that are compared', () => {
  it('stand by their change; a row that was not there counted nothing', async () => {
    expect((await answer(by('Requests change'))).rows).toEqual(['new', 'big', 'calm', 'small'])
    expect((await answer(by('Suspect change', 'asc'))).rows).toEqual(['big', 'calm', 'small', 'new'])
  })

  it('stand by the change of their rate, those without one last either way', async () => {
    expect((await answer(by('Suspect Rate change'))).rows).toEqual(['small', 'calm', 'big', 'new'])
    expect((await answer(by('Suspect Rate change', 'asc'))).rows).toEqual(['big', 'calm', 'small', 'new'])
  })

  it('are left out below a least volume, so that one request does not lead', async () => {
    const { rows, results, found } = await answer({
      ...by('Suspect Rate change'),
      ...atLeast('Requests', 50),
    })
    expect(rows).toEqual(['calm', 'big', 'new'])
    expect(results).toBe(3)
    expect(found).toEqual(['Found, 3 rows', 1700, 1530, 170, 0])
  })

  it('are limited by a change, a rate, and a change of a rate', async () => {
    expect((await answer(atLeast('Requests change', 100))).rows).toEqual(['big', 'new'])
    expect((await answer(atLeast('Suspect Rate', 50))).rows).toEqual(['small'])
    const fell = { where: [{ header: 'Suspect Rate change', is: 'at-most', value: -5 }] } as const
    expect((await answer(fell)).rows).toEqual(['big'])
  })
})

describe('rows that are left out', () => {
  it('are neither found nor counted, with a search and limits too', async () => {
    const without = ['text big', 'text calm', 'text nobody']
    const { rows, results, found } = await answer({ without })
    expect([rows, results]).toEqual([['new', 'small'], 2])
    expect(found).toEqual(['Found, 2 rows', 201, 180, 21, 0])
    expect((await answer({ without, search: 'M' })).rows).toEqual(['small'])
    expect((await answer({ without, ...atLeast('Requests', 50) })).rows).toEqual(['new'])
  })
})

describe('movers by their rate', () => {
  const moved = async (min: number) => {
    const [tables, earlier] = await Promise.all([asking.tables([now]), asking.tables([before])])
    const how = { header: 'Suspect', by: 'rate', min, max: 5 } as const
    const { up, down } = figuresOf(
      await asking.engine.call('movers', { tables, before: earlier, lengths: even, query: asked(), ...how }),
    )
    return { up: up.map(({ label }) => labelText(label)), down }
  }

  it('are told with what their rates are shares of', async () => {
    const { up, down } = await moved(0)
    expect(up).toEqual(['small'])
    expect(down).toEqual([
      { label: { kind: 'text', text: 'big' }, now: 100, before: 180, base: { now: 1000, before: 900 } },
    ])
  })

  it('are none of less than the least volume in either period', async () => {
    expect((await moved(50)).up).toEqual([])
  })
})
