import { describe, expect, it } from 'vitest'
import { SummedTable } from '../../../../src-main/figures/engine/summed-table.ts'
import { labelText } from '../../../../src-shared/reports/labels.ts'
import type { TableQuery } from '../../../../src-shared/reports/query.ts'
import type { TableAnswer } from '../../../../src-shared/service/answers.ts'
import { asked, block, directHeaders, instance, scriptHeaders } from './blocks.ts'
import type { Row } from './blocks.ts'

type Blocks = ConstructorParameters<typeof SummedTable>[0]

const answerOf = (blocks: Blocks, query: TableQuery = asked()): TableAnswer =>
  new SummedTable(blocks, query).answer(query)

const shown = ({ table }: TableAnswer) => table.rows.map(({ label, cells }) => [labelText(label), ...cells])
const names = (answer: TableAnswer) => answer.table.rows.map(({ label }) => labelText(label))

const script = (changes: Partial<TableQuery> = {}) => asked({ family: 'script', ...changes })

describe('the sum of days', () => {
  it('adds rows of the same label, whatever order and whichever days they come from', () => {
    const later = block('2026-11-02', {
      all: [9, 5, 4, 1],
      rows: [
        ['B', 6, 3, 3, 1],
        ['A', 3, 2, 1, 0],
      ],
    })
    const earlier = block('2026-11-01', {
      all: [5, 4, 1, 2],
      rows: [
        ['A', 4, 3, 1, 2],
        ['C', 1, 1, 0, 0],
      ],
    })
    const answer = answerOf([later, earlier])
    expect(answer.table.headers).toEqual(directHeaders)
    expect(answer.table.all).toEqual({ label: { kind: 'all', name: null }, cells: [14, 9, 5, 3] })
    expect(shown(answer)).toEqual([
      ['A', 7, 5, 2, 2],
      ['B', 6, 3, 3, 1],
      ['C', 1, 1, 0, 0],
    ])
    expect(answer.query).toEqual({ results: 3, pages: 1, echo: {} })
  })

  it('is not the sum of the best of each day: a row that never leads can lead in the sum', () => {
    const dayOf = (nth: number) => {
      const leaders = Array.from({ length: 20 }, (_, place): Row => [
        `day ${nth} leader ${place}`,
        100,
        100,
        0,
        0,
      ])
      return block(`2026-11-0${nth}`, { rows: [...leaders, ['steady', 99, 99, 0, 0]] })
    }
    const answer = answerOf([dayOf(1), dayOf(2), dayOf(3)])
    expect(shown(answer)[0]).toEqual(['steady', 297, 297, 0, 0])
    expect(answer.query.results).toBe(61)
  })

  it('keeps null apart from zero', () => {
    const cells = (adblocker: number | null) => [1, 1, 1, 0, 0, 0, adblocker]
    const one = block('2026-11-01', {
      headers: scriptHeaders,
      all: cells(null),
      total: { good: 1, adblocker: null },
      rows: [
        ['null and null', ...cells(null)],
        ['null and 0', ...cells(null)],
        ['3 and null', ...cells(3)],
        ['null alone', ...cells(null)],
      ],
    })
    const other = block('2026-11-02', {
      headers: scriptHeaders,
      all: cells(0),
      total: { good: 1, adblocker: null },
      rows: [
        ['null and null', ...cells(null)],
        ['null and 0', ...cells(0)],
        ['3 and null', ...cells(null)],
      ],
    })
    const { table, total } = answerOf(
      [one, other],
      script({ sort: [{ header: 'Ad Blocker', direction: 'asc' }] }),
    )
    expect(table.rows.map(({ label, cells }) => [labelText(label), cells.at(-1)])).toEqual([
      ['null alone', null],
      ['null and null', null],
      ['null and 0', 0],
      ['3 and null', 3],
    ])
    expect(table.all?.cells.at(-1)).toBe(0)
    expect(total).toEqual({ good: 2, adblocker: null })
  })

  it('holds counts beyond 2^31 and beyond 2^32', () => {
    const rows: Row[] = [['A', 2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 52]]
    const days = ['2026-11-01', '2026-11-02'].map((each) => block(each, { rows }))
    expect(shown(answerOf(days))).toEqual([['A', 2 ** 32, 2 ** 33 - 2, 2 ** 33, 2 ** 53]])
  })

  it('of days without rows has none, and its rates are unknown, neither endless nor no number', () => {
    const days = ['2026-11-01', '2026-11-02'].map((each) => block(each, { total: { suspect: 0 } }))
    const { table, total, query } = answerOf(days, asked({ rates: true }))
    expect(table.rows).toEqual([])
    expect(table.all?.cells).toEqual([0, null, 0, null, 0, null, 0, null])
    expect(total).toEqual({ suspect: 0 })
    expect(query).toEqual({ results: 0, pages: 0, echo: {} })
  })

  it('keeps instances apart by id, and calls one that was renamed by its last name', () => {
    const headers = ['Instance', ...directHeaders.slice(1)]
    const one = block('2026-11-01', {
      headers,
      rows: [
        [instance('1', 'Old'), 5, 5, 0, 0],
        [instance('2', 'Twin'), 3, 3, 0, 0],
      ],
    })
    const other = block('2026-11-02', {
      headers,
      rows: [
        [instance('3', 'Twin'), 2, 2, 0, 0],
        [instance('1', 'New'), 1, 1, 0, 0],
      ],
    })
    const answer = answerOf([other, one], asked({ dimension: 'sessions' }))
    expect(answer.table.rows.map(({ label, cells }) => [label, cells[0]])).toEqual([
      [instance('1', 'New'), 6],
      [instance('2', 'Twin'), 3],
      [instance('3', 'Twin'), 2],
    ])
    expect(names(answerOf([one, other], asked({ dimension: 'sessions', search: 'new' })))).toEqual(['New'])
  })

  it('adds a label that stands twice in one day to itself', () => {
    const twice = block('2026-11-01', {
      rows: [
        ['A', 1, 1, 0, 0],
        ['A', 2, 1, 1, 0],
      ],
    })
    expect(shown(answerOf([twice]))).toEqual([['A', 3, 2, 1, 0]])
  })

  it('holds labels of 10,000 characters, from right to left, and with combining marks', () => {
    const labels = ['x'.repeat(10_000), 'متصفح\u202e 1', 'e\u0301', 'é', '\u200b', 'text a', '']
    const rows = labels.map((label): Row => [label, 1, 1, 0, 0])
    const answer = answerOf([block('2026-11-01', { rows }), block('2026-11-02', { rows })])
    expect(new Set(names(answer))).toEqual(new Set(labels))
    expect(answer.table.rows.every(({ cells }) => cells[0] === 2)).toBe(true)
  })

  it('has no aggregate row where a day told none', () => {
    const days = [block('2026-11-01', {}), block('2026-11-02', { all: null })]
    expect(answerOf(days).table.all).toBeNull()
  })

  it('refuses days that overlap, and no days at all', () => {
    expect(() => answerOf([block('2026-11-01 2026-11-03', {}), block('2026-11-03', {})])).toThrow(RangeError)
    expect(() => answerOf([])).toThrow(RangeError)
  })
})

describe('columns', () => {
  const rules = (day: string, codes: readonly string[], rows: readonly Row[]) =>
    block(day, { headers: [...directHeaders, ...codes], all: [...[9, 9, 9, 9], ...codes.map(() => 1)], rows })

  it('of rule sets are joined: a day without a column broke none', () => {
    const query = asked({ rules: true })
    const one = rules(
      '2026-11-01',
      ['SP', 'UE'],
      [
        ['A', 5, 5, 0, 0, 2, 3],
        ['B', 4, 4, 0, 0, 0, 1],
      ],
    )
    const other = rules(
      '2026-11-02',
      ['BT'],
      [
        ['A', 1, 1, 0, 0, 7],
        ['C', 1, 1, 0, 0, 4],
      ],
    )
    const { table } = answerOf([one, other], query)
    expect(table.headers.slice(5)).toEqual(['BT', 'SP', 'UE'])
    expect(table.all?.cells.slice(4)).toEqual([1, 1, 1])
    expect(shown(answerOf([one, other], query)).map((row) => [row[0], ...row.slice(5)])).toEqual([
      ['A', 7, 2, 3],
      ['B', 0, 0, 1],
      ['C', 4, 0, 0],
    ])
  })

  it('never heard of are summed where they count, and not taken as zero where they are missing', () => {
    const headers = [...directHeaders, 'Clicks']
    const one = block('2026-11-01', { headers, rows: [['A', 2, 2, 0, 0, 7]] })
    const other = block('2026-11-02', {
      rows: [
        ['A', 2, 2, 0, 0],
        ['B', 1, 1, 0, 0],
      ],
    })
    const { table } = answerOf([one, other])
    expect(table.headers).toEqual(headers)
    expect(table.rows.map(({ cells }) => cells[4])).toEqual([7, null])
  })

  it('that hold no counts cannot be summed over days, but stand in the table of one', () => {
    const headers = [...directHeaders, 'Owner', 'Share']
    const dayOf = (day: string) =>
      block(day, { headers, all: [1, 1, 0, 0, 'nobody', 99.5], rows: [['A', 1, 1, 0, 0, 'Ann', 12.5]] })
    const one = answerOf([dayOf('2026-11-01')])
    expect(one.table.headers).toEqual(headers)
    expect(shown(one)).toEqual([['A', 1, 1, 0, 0, 'Ann', 12.5]])
    expect(one.table.all?.cells.slice(4)).toEqual(['nobody', 99.5])
    expect(answerOf([dayOf('2026-11-01'), dayOf('2026-11-02')]).table.headers).toEqual(directHeaders)
  })

  it('that are rates are never summed, but computed from the sums', () => {
    const headers = [
      'Browser',
      'Requests',
      'Requests Rate',
      'Non-Suspect',
      'Non-Suspect Rate',
      'Suspect',
      'Mobile',
    ]
    const one = block('2026-11-01', { headers, rows: [['A', 100, 100, 100, 100, 0, 0]] })
    const other = block('2026-11-02', { headers, rows: [['A', 200, 100, 100, 50, 100, 0]] })
    expect(answerOf([one, other]).table.headers).toEqual(directHeaders)
    const { table } = answerOf([one, other], asked({ rates: true }))
    expect(table.headers.slice(0, 5)).toEqual(headers.slice(0, 5))
    expect(table.rows[0]?.cells).toEqual([300, 100, 200, 66.67, 100, 33.33, 0, 0])
  })

  it('that a day lacks stay out of the sum', () => {
    const one = block('2026-11-01', { headers: ['Browser', 'Suspect', 'Requests'], rows: [['A', 1, 5]] })
    const other = block('2026-11-02', { rows: [['A', 4, 2, 2, 1]] })
    const { table } = answerOf([one, other])
    expect(table.headers).toEqual(directHeaders)
    expect(table.rows[0]?.cells).toEqual([9, 2, 3, 1])
  })
})

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
  const days = [block('2026-11-01', { headers, rows })]
  const order = (sort: TableQuery['sort'], more: Partial<TableQuery> = {}) =>
    names(answerOf(days, asked({ rules: true, sort, ...more }))).join(' ')

  it('is by the first count, the largest first, and ties by label in code points', () => {
    expect(order([])).toBe('a B b é \uffee 😀')
  })

  it('is by several keys, label, rule sets and rates too; null below zero', () => {
    expect(order([{ header: 'Browser', direction: 'desc' }])).toBe('😀 \uffee é b a B')
    expect(
      order([
        { header: 'Mobile', direction: 'asc' },
        { header: 'Requests', direction: 'desc' },
      ]),
    ).toBe('b B a é \uffee 😀')
    expect(
      order([
        { header: 'UE', direction: 'desc' },
        { header: 'Browser', direction: 'desc' },
      ]),
    ).toBe('a B b 😀 \uffee é')
    expect(order([{ header: 'Suspect Rate', direction: 'desc' }], { rates: true })).toBe('😀 B b a é \uffee')
  })

  it('passes over a column that is not there', () => {
    expect(order([{ header: 'Nothing', direction: 'asc' }])).toBe(order([]))
    expect(order([{ header: 'Suspect Rate', direction: 'desc' }])).toBe(order([]))
    expect(
      order([
        { header: 'Nothing', direction: 'asc' },
        { header: 'Browser', direction: 'desc' },
      ]),
    ).toBe('😀 \uffee é b a B')
  })

  it('is by text where a service sends text', () => {
    const odd = [
      block('2026-11-01', {
        headers: ['Browser', 'Requests', 'Owner'],
        rows: [
          ['A', 3, 'Zoe'],
          ['B', 2, 'Ann'],
          ['C', 1, 7],
          ['D', 1, null],
        ],
      }),
    ]
    expect(names(answerOf(odd, asked({ sort: [{ header: 'Owner', direction: 'asc' }] })))).toEqual([
      'D',
      'C',
      'B',
      'A',
    ])
  })

  it('is by text however many texts there are, and after every number', () => {
    const words = ['Ann', 'Ben', 'Cem', 'Dan', 'Eve', 'Fay', 'Gus', 'Hal']
    const owned = (owner: Row[1], place: number): Row => [`row ${20 - place}`, 1, owner]
    const owners = [null, 0, 2 ** 53 + 2, ...words]
    const odd = [block('2026-11-01', { headers: ['Browser', 'Requests', 'Owner'], rows: owners.map(owned) })]
    const { table } = answerOf(odd, asked({ sort: [{ header: 'Owner', direction: 'asc' }] }))
    expect(table.rows.map(({ cells }) => cells[1])).toEqual(owners)
  })

  it('finds broadly or from the beginning, upper and lower case being the same; totals stay', () => {
    const found = (search: string, startsWith = false) => answerOf(days, asked({ search, startsWith }))
    expect(names(found('B'))).toEqual(['B', 'b'])
    expect(names(found('É'))).toEqual(['é'])
    expect(found('nowhere').query).toEqual({ results: 0, pages: 0, echo: {} })
    expect(found('nowhere').table.all).not.toBeNull()
    const hosts = [
      block('2026-11-01', {
        rows: [
          ['an apple', 2, 0, 0, 0],
          ['Apple', 1, 0, 0, 0],
        ],
      }),
    ]
    expect(names(answerOf(hosts, asked({ search: 'apple', startsWith: true })))).toEqual(['Apple'])
  })

  it('pages, and a page beyond the last is empty', () => {
    const page = (number: number) => answerOf(days, asked({ page: number, limit: 4 }))
    expect(names(page(1))).toEqual(['a', 'B', 'b', 'é'])
    expect(names(page(2))).toEqual(['\uffee', '😀'])
    expect(names(page(3))).toEqual([])
    expect(page(3).query).toEqual({ results: 6, pages: 2, echo: {} })
  })
})

describe('rows of labels', () => {
  it('are found by their keys, whatever page they stand on; null where there is none', () => {
    const days = [
      block('2026-11-01', {
        rows: [
          ['A', 4, 3, 1, 0],
          ['all', 2, 2, 0, 0],
        ],
      }),
    ]
    const query = asked({ rates: true, page: 7, search: 'nowhere' })
    const found = new SummedTable(days, query).rowsOf(query, [
      'text all',
      'text B',
      'text A',
      'all',
      'A',
      'instance A',
    ])
    expect(found.headers).toHaveLength(9)
    expect(found.rows.map((cells) => cells && cells[0])).toEqual([2, null, 4, null, null, null])
    expect(found.all).toHaveLength(8)
    expect(found.rows[2]).toEqual([4, 100, 3, 75, 1, 25, 0, 0])
  })
})

describe('a chart', () => {
  const total = { suspect: 1, nonsuspect: 2, mobile: 0 }

  it('has each day’s totals, and comes only where every table is of one day', () => {
    const daily = [
      block('2026-11-02', { total }),
      block('2026-11-01', { total: { suspect: 5, nonsuspect: null } }),
    ]
    expect(answerOf(daily, asked({ chart: true })).chart).toEqual({
      days: ['2026-11-01', '2026-11-02'],
      series: [
        { header: 'Suspect', values: [5, 1] },
        { header: 'Non-Suspect', values: [null, 2] },
      ],
    })
    expect(answerOf(daily).chart).toBeNull()
    const longer = [...daily, block('2026-11-03 2026-11-04', { total })]
    expect(answerOf(longer, asked({ chart: true })).chart).toBeNull()
  })
})
