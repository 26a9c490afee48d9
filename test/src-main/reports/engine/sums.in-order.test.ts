import { afterAll, describe, expect, it } from 'vitest'
import { labelText } from '#shared/reports/rows.ts'
import type { TableQuery } from '#shared/reports/query.ts'
import type { TableAnswer } from '#shared/api/answers.ts'
import { engineForAll } from './engine-thread.ts'
import { asked, Asking, dayOf, directHeaders, figuresOf } from './tables.ts'
import type { Day, Row } from './tables.ts'

const { engine, end } = engineForAll()
afterAll(end)
const asking = new Asking(engine)

async function answerOf(days: readonly Day[], query: TableQuery = asked()): Promise<TableAnswer> {
  return figuresOf(await asking.engine.call('table', { tables: await asking.tables(days), query }))
}

const names = (answer: TableAnswer) => answer.table.rows.map(({ label }) => labelText(label))

describe('order, search and pages', () => {
  const headers = [...directHeaders, 'UE']
  const rows: Row[] = [
    ['b', 4, 3, 1, null, 1],
    ['B', 4, 1, 3, 0, 5],
    ['a', 8, 7, 1, 2, 5],
    ['é', 1, 1, 0, 2, 0],
    ['😀', 1, 0, 1, 2, 0],
    ['\uffee', 1, 1, 0, 2, 0],
  ]
  const days = [dayOf('2026-11-01', { headers, rows })]
  const order = async (sort: TableQuery['sort'], more: Partial<TableQuery> = {}) =>
    names(await answerOf(days, asked({ rules: true, sort, ...more }))).join(' ')

  it('is by the first count, the largest first, and ties by label in code points', async () => {
    expect(await order([])).toBe('a B b é \uffee 😀')
  })

  it('is by several keys, label, rule sets and rates too; null below zero', async () => {
    expect(await order([{ header: 'Browser', direction: 'desc' }])).toBe('😀 \uffee é b a B')
    expect(
      await order([
        { header: 'Mobile', direction: 'asc' },
        { header: 'Requests', direction: 'desc' },
      ]),
    ).toBe('b B a é \uffee 😀')
    expect(
      await order([
        { header: 'UE', direction: 'desc' },
        { header: 'Browser', direction: 'desc' },
      ]),
    ).toBe('a B b 😀 \uffee é')
    expect(await order([{ header: 'Suspect Rate', direction: 'desc' }], { rates: true })).toBe(
      '😀 B b a é \uffee',
    )
  })

  it('passes over a column that is not there', async () => {
    expect(await order([{ header: 'Nothing', direction: 'asc' }])).toBe(await order([]))
    expect(await order([{ header: 'Suspect Rate', direction: 'desc' }])).toBe(await order([]))
    expect(
      await order([
        { header: 'Nothing', direction: 'asc' },
        { header: 'Browser', direction: 'desc' },
      ]),
    ).toBe('😀 \uffee é b a B')
  })

  it('is by text where a service sends text', async () => {
    const odd = [
      dayOf('2026-11-01', {
        headers: ['Browser', 'Requests', 'Owner'],
        rows: [
          ['A', 3, 'Zoe'],
          ['B', 2, 'Ann'],
          ['C', 1, 7],
          ['D', 1, null],
        ],
      }),
    ]
    expect(names(await answerOf(odd, asked({ sort: [{ header: 'Owner', direction: 'asc' }] })))).toEqual([
      'D',
      'C',
      'B',
      'A',
    ])
  })

  it('is by text however many texts there are, and after every number', async () => {
    const words = ['Ann', 'Ben', 'Cem', 'Dan', 'Eve', 'Fay', 'Gus', 'Hal']
    const owned = (owner: Row[1], place: number): Row => [`row ${20 - place}`, 1, owner]
    const owners = [null, 0, 2 ** 53 + 2, ...words]
    const odd = [dayOf('2026-11-01', { headers: ['Browser', 'Requests', 'Owner'], rows: owners.map(owned) })]
    const { table } = await answerOf(odd, asked({ sort: [{ header: 'Owner', direction: 'asc' }] }))
    expect(table.rows.map(({ cells }) => cells[1])).toEqual(owners)
  })

  it('finds broadly or from the beginning, upper and lower case being the same; totals stay', async () => {
    const found = (search: string, startsWith = false) => answerOf(days, asked({ search, startsWith }))
    expect(names(await found('B'))).toEqual(['B', 'b'])
    expect(names(await found('É'))).toEqual(['é'])
    expect((await found('nowhere')).query).toEqual({ results: 0, pages: 0, echo: {} })
    expect((await found('nowhere')).table.all).not.toBeNull()
    const hosts = [
      dayOf('2026-11-01', {
        rows: [
          ['an apple', 2, 0, 0, 0],
          ['Apple', 1, 0, 0, 0],
        ],
      }),
    ]
    expect(names(await answerOf(hosts, asked({ search: 'apple', startsWith: true })))).toEqual(['Apple'])
  })

  it('pages, and a page beyond the last is empty', async () => {
    const page = (number: number) => answerOf(days, asked({ page: number, limit: 4 }))
    expect(names(await page(1))).toEqual(['a', 'B', 'b', 'é'])
    expect(names(await page(2))).toEqual(['\uffee', '😀'])
    expect(names(await page(3))).toEqual([])
    expect((await page(3)).query).toEqual({ results: 6, pages: 2, echo: {} })
  })
})

describe('rows of labels', () => {
  it('are found by their keys, whatever page they stand on; null where there is none', async () => {
    const days = [
      dayOf('2026-11-01', {
        rows: [
          ['A', 4, 3, 1, 0],
          ['all', 2, 2, 0, 0],
        ],
      }),
    ]
    const query = asked({ rates: true, page: 7, search: 'nowhere' })
    const labels = ['text all', 'text B', 'text A', 'all', 'A', 'instance A']
    const tables = await asking.tables(days)
    const found = figuresOf(await asking.engine.call('rowsOf', { tables, query, labels }))
    expect(found.headers).toHaveLength(9)
    expect(found.rows.map((cells) => cells && cells[0])).toEqual([2, null, 4, null, null, null])
    expect(found.all).toHaveLength(8)
    expect(found.rows[2]).toEqual([4, 100, 3, 75, 1, 25, 0, 0])
  })
})

describe('a chart', () => {
  const total = { suspect: 1, nonsuspect: 2, mobile: 0 }

  it('has each day’s totals, and comes only where every table is of one day', async () => {
    const daily = [
      dayOf('2026-11-02', { total }),
      dayOf('2026-11-01', { total: { suspect: 5, nonsuspect: null } }),
    ]
    expect((await answerOf(daily, asked({ chart: true }))).chart).toEqual({
      days: ['2026-11-01', '2026-11-02'],
      series: [
        { header: 'Suspect', values: [5, 1] },
        { header: 'Non-Suspect', values: [null, 2] },
      ],
    })
    expect((await answerOf(daily)).chart).toBeNull()
    const longer = [...daily, dayOf('2026-11-03 2026-11-04', { total })]
    expect((await answerOf(longer, asked({ chart: true }))).chart).toBeNull()
  })
})
