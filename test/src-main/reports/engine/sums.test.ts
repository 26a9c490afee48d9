import { overviewFrom } from '#main/reports/engine/totals.ts'
import { afterAll, describe, expect, it } from 'vitest'
import { labelText } from '#shared/reports/rows.ts'
import type { TableQuery } from '#shared/reports/query.ts'
import type { TableAnswer } from '#shared/api/answers.ts'
import { engineForAll } from './engine-thread.ts'
import { asked, Asking, dayOf, directHeaders, figuresOf, instance, scriptHeaders, written } from './tables.ts'
import type { Day, Row } from './tables.ts'

const { engine, end } = engineForAll()
afterAll(end)
const asking = new Asking(engine)

async function answerOf(days: readonly Day[], query: TableQuery = asked()): Promise<TableAnswer> {
  return figuresOf(await asking.engine.call('table', { tables: await asking.tables(days), query }))
}

const internal = { failure: { kind: 'internal' } }

const shown = ({ table }: TableAnswer) => table.rows.map(({ label, cells }) => [labelText(label), ...cells])
const names = (answer: TableAnswer) => answer.table.rows.map(({ label }) => labelText(label))

const script = (changes: Partial<TableQuery> = {}) => asked({ family: 'script', ...changes })

describe('the sum of days', () => {
  it('adds rows of the same label, whatever order and whichever days they come from', async () => {
    const later = dayOf('2026-11-02', {
      all: [9, 5, 4, 1],
      rows: [
        ['B', 6, 3, 3, 1],
        ['A', 3, 2, 1, 0],
      ],
    })
    const earlier = dayOf('2026-11-01', {
      all: [5, 4, 1, 2],
      rows: [
        ['A', 4, 3, 1, 2],
        ['C', 1, 1, 0, 0],
      ],
    })
    const answer = await answerOf([later, earlier])
    expect(answer.table.headers).toEqual(directHeaders)
    expect(answer.table.all).toEqual({ label: { kind: 'all', name: null }, cells: [14, 9, 5, 3] })
    expect(shown(answer)).toEqual([
      ['A', 7, 5, 2, 2],
      ['B', 6, 3, 3, 1],
      ['C', 1, 1, 0, 0],
    ])
    expect(answer.query).toEqual({ results: 3, pages: 1, echo: {} })
  })

  it('is not the sum of the best of each day: a row that never leads can lead in the sum', async () => {
    const led = (nth: number) => {
      const leaders = Array.from({ length: 20 }, (_, place): Row => [
        `day ${nth} leader ${place}`,
        100,
        100,
        0,
        0,
      ])
      return dayOf(`2026-11-0${nth}`, { rows: [...leaders, ['steady', 99, 99, 0, 0]] })
    }
    const answer = await answerOf([led(1), led(2), led(3)])
    expect(shown(answer)[0]).toEqual(['steady', 297, 297, 0, 0])
    expect(answer.query.results).toBe(61)
  })

  it('keeps null apart from zero', async () => {
    const cells = (adblocker: number | null) => [1, 1, 1, 0, 0, 0, adblocker]
    const one = dayOf('2026-11-01', {
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
    const other = dayOf('2026-11-02', {
      headers: scriptHeaders,
      all: cells(0),
      total: { good: 1, adblocker: null },
      rows: [
        ['null and null', ...cells(null)],
        ['null and 0', ...cells(0)],
        ['3 and null', ...cells(null)],
      ],
    })
    const { table, total } = await answerOf(
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

  it('of more rows than wait in memory is that of as many small days', async () => {
    const rows = Array.from({ length: 9_000 }, (_, nth): Row => [
      `row ${nth % 3_000} of ${nth}`,
      nth,
      1,
      0,
      0,
    ])
    // Late in the large one there is a count that is no whole number, and one that is a text.
    const odd: Row[] = [
      ['half', 0.5, 1, 0, 0],
      ['text', 'n/a', 1, 0, 0],
    ]
    const large = dayOf('2026-11-01', { rows: [...rows, ...odd], perPage: 1_000 })
    const small = [rows.slice(0, 4_500), rows.slice(4_500), odd].map((some, nth) =>
      dayOf(`2026-11-0${nth + 1}`, { rows: some, perPage: 1_000 }),
    )
    const query = asked({ limit: 1000, sort: [{ header: 'Requests', direction: 'asc' }] })
    const all = await answerOf([large], query)
    expect(all.query.results).toBe(9_002)
    expect(shown(all).find(([name]) => name === 'half')).toEqual(['half', 0.5, 1, 0, 0])
    const summed = await answerOf(small, query)
    const isPlain = ([name]: unknown[]) => name !== 'text' && name !== 'half'
    expect(shown(all).filter(isPlain).slice(0, 900)).toEqual(shown(summed).filter(isPlain).slice(0, 900))
    const found = await answerOf([large], asked({ search: 'text' }))
    expect(shown(found)).toEqual([['text', 'n/a', 1, 0, 0]])
  })

  it('holds counts beyond 2^31 and beyond 2^32', async () => {
    const rows: Row[] = [['A', 2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 52]]
    const days = ['2026-11-01', '2026-11-02'].map((each) => dayOf(each, { rows }))
    expect(shown(await answerOf(days))).toEqual([['A', 2 ** 32, 2 ** 33 - 2, 2 ** 33, 2 ** 53]])
  })

  it('of days without rows has none, and its rates are unknown, neither endless nor no number', async () => {
    const days = ['2026-11-01', '2026-11-02'].map((each) => dayOf(each, { total: { suspect: 0 } }))
    const { table, total, query } = await answerOf(days, asked({ rates: true }))
    expect(table.rows).toEqual([])
    expect(table.all?.cells).toEqual([0, null, 0, null, 0, null, 0, null])
    expect(total).toEqual({ suspect: 0 })
    expect(query).toEqual({ results: 0, pages: 0, echo: {} })
  })

  it('keeps instances apart by id, and calls one that was renamed by its last name', async () => {
    const headers = ['Instance', ...directHeaders.slice(1)]
    const one = dayOf('2026-11-01', {
      headers,
      rows: [
        [instance('1', 'Old'), 5, 5, 0, 0],
        [instance('2', 'Twin'), 3, 3, 0, 0],
      ],
    })
    const other = dayOf('2026-11-02', {
      headers,
      rows: [
        [instance('3', 'Twin'), 2, 2, 0, 0],
        [instance('1', 'New'), 1, 1, 0, 0],
      ],
    })
    const answer = await answerOf([other, one], asked({ dimension: 'sessions' }))
    expect(answer.table.rows.map(({ label, cells }) => [label, cells[0]])).toEqual([
      [instance('1', 'New'), 6],
      [instance('2', 'Twin'), 3],
      [instance('3', 'Twin'), 2],
    ])
    expect(names(await answerOf([one, other], asked({ dimension: 'sessions', search: 'new' })))).toEqual([
      'New',
    ])
  })

  it('adds a label that stands twice in one day to itself', async () => {
    const twice = dayOf('2026-11-01', {
      rows: [
        ['A', 1, 1, 0, 0],
        ['A', 2, 1, 1, 0],
      ],
    })
    expect(shown(await answerOf([twice]))).toEqual([['A', 3, 2, 1, 0]])
  })

  it('adds a name that is also the label of the remainder to it', async () => {
    const { engine } = asking
    const rows: Row[] = [
      ['Other', 1, 1, 0, 0],
      ['Other', 2, 1, 1, 0],
    ]
    const composed = await written(engine, { ...dayOf('2026-11-01', { rows }), composed: true })
    const answer = figuresOf(await engine.call('table', { tables: [composed], query: asked() }))
    expect(shown(answer)).toEqual([['Other', 3, 2, 1, 0]])
  })

  it('holds labels of 10,000 characters, from right to left, and with combining marks', async () => {
    const labels = ['x'.repeat(10_000), 'متصفح\u202e 1', 'e\u0301', 'é', '\u200b', 'text a', '']
    const rows = labels.map((label): Row => [label, 1, 1, 0, 0])
    const answer = await answerOf([dayOf('2026-11-01', { rows }), dayOf('2026-11-02', { rows })])
    expect(new Set(names(answer))).toEqual(new Set(labels))
    expect(answer.table.rows.every(({ cells }) => cells[0] === 2)).toBe(true)
  })

  it('holds labels that are no words, and as many columns as a service sends', async () => {
    const labels = ['null', '0', 'a\0b', "it's; DROP TABLE staged; --", '$1', '"', '\\', '\n', 'NaN']
    const headers = [...directHeaders, ...Array.from({ length: 200 }, (_, nth) => `Extra ${nth}`)]
    const rows = labels.map((label, nth): Row => [label, ...headers.slice(1).map(() => nth)])
    const answer = await answerOf(
      [dayOf('2026-11-01', { headers, rows }), dayOf('2026-11-02', { headers, rows })],
      asked({ limit: 50 }),
    )
    expect(new Map(shown(answer).map(([label, ...cells]) => [label, cells]))).toEqual(
      new Map(labels.map((label, nth) => [label, headers.slice(1).map(() => 2 * nth)])),
    )
  })

  it('holds counts that are no whole numbers, and totals of any size', async () => {
    const rows: Row[] = [['A', 0.5, 1e300, -3, 2 ** 53 + 2]]
    const total = { suspect: 1e300, nonsuspect: 0.5, day: 7, days: null, Suspect: 2 }
    const days = ['2026-11-01', '2026-11-02'].map((each) => dayOf(each, { rows, total }))
    const answer = await answerOf(days)
    expect(shown(answer)).toEqual([['A', 1, 2e300, -6, 2 ** 54 + 4]])
    expect(answer.total).toEqual({ suspect: 2e300, nonsuspect: 1, day: 14, days: null, Suspect: 4 })
    const [alone] = await asking.tables([dayOf('2026-11-01', { whole: false, all: null, total })])
    const overview = { kind: 'overview', family: 'direct', range: asked().range, chart: false } as const
    const query = { ...overview, instance: null, source: null, campaign: null }
    expect(figuresOf(overviewFrom(alone ? [alone] : [], query)).total).toEqual(total)
  })

  it('has no aggregate row where a day told none', async () => {
    const days = [dayOf('2026-11-01', {}), dayOf('2026-11-02', { all: null })]
    expect((await answerOf(days)).table.all).toBeNull()
  })

  it('refuses days that overlap, and no days at all', async () => {
    await expect(answerOf([dayOf('2026-11-01 2026-11-03'), dayOf('2026-11-03')])).rejects.toMatchObject(
      internal,
    )
    await expect(answerOf([])).rejects.toMatchObject(internal)
  })
})

describe('columns', () => {
  const rules = (day: string, codes: readonly string[], rows: readonly Row[]) =>
    dayOf(day, { headers: [...directHeaders, ...codes], all: [...[9, 9, 9, 9], ...codes.map(() => 1)], rows })

  it('of rule sets are joined: a day without a column broke none', async () => {
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
    const { table } = await answerOf([one, other], query)
    expect(table.headers.slice(5)).toEqual(['BT', 'SP', 'UE'])
    expect(table.all?.cells.slice(4)).toEqual([1, 1, 1])
    expect(shown(await answerOf([one, other], query)).map((row) => [row[0], ...row.slice(5)])).toEqual([
      ['A', 7, 2, 3],
      ['B', 0, 0, 1],
      ['C', 4, 0, 0],
    ])
  })

  it('never heard of are summed where every day has them, and left out where one lacks them', async () => {
    const headers = [...directHeaders, 'Clicks']
    const one = dayOf('2026-11-01', { headers, rows: [['A', 2, 2, 0, 0, 7]] })
    const other = dayOf('2026-11-02', { headers, rows: [['A', 2, 2, 0, 0, 5]] })
    const lacking = dayOf('2026-11-03', { rows: [['A', 2, 2, 0, 0]] })
    const { table } = await answerOf([one, other])
    expect(table.headers).toEqual(headers)
    expect(table.rows.map(({ cells }) => cells[4])).toEqual([12])
    // Its sum would be that of two days of three.
    expect((await answerOf([one, other, lacking])).table.headers).toEqual(directHeaders)
  })

  it('that hold no counts cannot be summed over days, but stand in the table of one', async () => {
    const headers = [...directHeaders, 'Owner', 'Share']
    const odd = (day: string) =>
      dayOf(day, { headers, all: [1, 1, 0, 0, 'nobody', 99.5], rows: [['A', 1, 1, 0, 0, 'Ann', 12.5]] })
    const one = await answerOf([odd('2026-11-01')])
    expect(one.table.headers).toEqual(headers)
    expect(shown(one)).toEqual([['A', 1, 1, 0, 0, 'Ann', 12.5]])
    expect(one.table.all?.cells.slice(4)).toEqual(['nobody', 99.5])
    expect((await answerOf([odd('2026-11-01'), odd('2026-11-02')])).table.headers).toEqual(directHeaders)
  })

  it('of rates are computed from the sums', async () => {
    const one = dayOf('2026-11-01', { rows: [['A', 100, 100, 0, 0]] })
    const other = dayOf('2026-11-02', { rows: [['A', 200, 100, 100, 0]] })
    const { table } = await answerOf([one, other], asked({ rates: true }))
    expect(table.headers.slice(0, 5)).toEqual([
      ...['Browser', 'Requests', 'Requests Rate', 'Non-Suspect', 'Non-Suspect Rate'],
    ])
    expect(table.rows[0]?.cells).toEqual([300, 100, 200, 200 / 3, 100, 100 / 3, 0, 0])
  })

  it('that a day lacks are left out: their sum would be that of the other days', async () => {
    const one = dayOf('2026-11-01', { headers: ['Browser', 'Suspect', 'Requests'], rows: [['A', 1, 5]] })
    const other = dayOf('2026-11-02', { rows: [['A', 4, 2, 2, 1]] })
    const { table } = await answerOf([one, other])
    expect(table.headers).toEqual(['Browser', 'Requests', 'Suspect'])
    expect(table.rows[0]?.cells).toEqual([9, 3])
    expect(table.all?.cells).toHaveLength(2)
  })
})
