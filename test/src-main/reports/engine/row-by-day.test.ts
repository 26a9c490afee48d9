import { afterAll, expect, it } from 'vitest'
import { historyStemOf, newTableId } from '#main/analytics/history-layout.ts'
import { labelKey } from '#shared/reports/rows.ts'
import { day } from '#shared/values/day.ts'
import type { InstanceId } from '#shared/values/ids.ts'
import { engineForAll } from './engine-thread.ts'
import { dataScope } from './kept-days.ts'
import { Asking, asked, dayOf, figuresOf, instance, written } from './tables.ts'
import type { Day } from './tables.ts'

const { engine, end } = engineForAll()
afterAll(end)
const asking = new Asking(engine)

const chrome = labelKey({ kind: 'text', text: 'Chrome' })
const withRules = (on: string, codes: readonly string[], cells: readonly (number | null)[]): Day =>
  dayOf(on, {
    headers: ['Browser', 'Requests', 'Suspect', ...codes],
    rows: [
      ['Chrome', ...cells],
      ['Firefox', ...cells.map(() => 7)],
    ],
  })

const days = [
  withRules('2026-11-01', ['UE', 'SP'], [100, null, 3, 4]),
  withRules('2026-11-02', ['SP'], [90, 5, 6]),
  dayOf('2026-11-03', { rows: [['Firefox', 8, 8, 8, 8]] }),
  dayOf('2026-11-05', { all: null, rows: [['Chrome', 1, 2, 3, 4]] }),
]

it('is a row as each day’s own table has it, with one statement', async () => {
  const tables = await asking.tables(days)
  const byDay = figuresOf(await asking.engine.call('rowByDay', { tables, key: chrome }))
  expect(byDay.map(({ day: on }) => on)).toEqual(tables.map(({ range }) => range.start))
  expect(byDay.map(({ cells }) => cells)).toEqual([[100, null, 3, 4], [90, 5, 6], null, [1, 2, 3, 4]])
  for (const [nth, table] of tables.entries()) {
    const request = { tables: [table], query: asked({ rules: true }), labels: [chrome], bases: null }
    const own = figuresOf(await asking.engine.call('rowsOf', request))
    const found = byDay[nth]
    expect([...(found?.headers ?? [])].toSorted()).toEqual([...own.headers].toSorted())
    expect(found?.all === null).toBe(own.all === null)
  }
})

it('is found in a file of several days, and by the id of an instance', async () => {
  const subject = 'direct/sessions?'
  const named = (on: string, requests: number) =>
    written(engine, dayOf(on, { subject, rows: [[instance('5', `Name on ${on}`), requests, 0, 0, 0]] }))
  const parts = [await named('2026-11-01', 11), await named('2026-11-02', 12), await named('2026-11-03', 13)]
  const range = { start: day('2026-11-01'), end: day('2026-11-03') }
  const stem = historyStemOf({ dataScope, subject, range }, newTableId())
  const joined = await engine.call('join', {
    tables: parts.map((each) => ({ ...each, dataScope, subject })),
    stem,
  })
  if (!joined) throw new Error('Not joined')
  const tables = parts.slice(1).map((each) => ({ ...each, file: joined }))
  const key = labelKey({ kind: 'instance', id: '5' as InstanceId, name: '' })
  const byDay = figuresOf(await asking.engine.call('rowByDay', { tables, key }))
  expect(byDay.map(({ day: on, cells }) => [on, cells?.[0]])).toEqual([
    ['2026-11-02', 12],
    ['2026-11-03', 13],
  ])
})
