import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { RowsEntry } from '#main/analytics/rows-layout.ts'
import type { CellTest, GroupKey } from '#shared/archives/rows.ts'
import type { Instant } from '#shared/values/ids.ts'
import { cellsOf, openRowsDesk, answered, rowsOf } from '../helpers.ts'
import type { RowsDesk } from '../helpers.ts'

const fixture = (name: string) => readFileSync(join('test/fixtures/tables', name))
const daysOf = async (desk: RowsDesk, entry: RowsEntry, zone = 'UTC') =>
  await answered(desk.engine.call('days', { ...rowsOf([entry]), zone }))

/** A table of one column of moments, each of a row of its own. */
async function momentsOf(texts: readonly string[], zone = 'UTC') {
  const desk = openRowsDesk()
  const entry = await desk.importArchive(`Date|N\n${texts.map((text, nth) => `${text}|${nth}\n`).join('')}`, {
    zone,
  })
  const cells = await cellsOf(desk, rowsOf([entry]))
  expect(cells.map(([cell]) => cell)).toEqual(texts)
  return entry
}

const iso = (moment: number | null) => (moment === null ? null : new Date(moment).toISOString())

describe('moments', () => {
  it.each(['time-space.csv', 'time-ms.csv', 'time-us-ampm.csv', 'time-epoch-ms.csv'])(
    'are those of the same 60 rows: %s',
    async (name) => {
      const desk = openRowsDesk()
      const entry = await desk.importArchive(fixture(name))
      const days = await daysOf(desk, entry)
      const perDay = new Map<string, number>()
      for (const { day, rows } of days) perDay.set(day, (perDay.get(day) ?? 0) + rows)
      expect([...perDay]).toEqual([
        ['2026-11-18', 20],
        ['2026-11-19', 20],
        ['2026-11-20', 20],
      ])
      expect(entry.readAs?.[0]?.doubts).toEqual([])
      expect(entry.columns[0]).toMatchObject({ kind: 'time' })
      expect(entry.columns[0]).not.toHaveProperty('odd')
    },
  )

  it('are said to be missing where the column of times has none', async () => {
    const serials = [1, 2, 3, 4].map((nth) => `46344.${nth}5,s${nth}\n`).join('')
    const desk = openRowsDesk()
    const entry = await desk.importArchive(`TIMESTAMP,SOURCE\n${serials}`)
    expect(entry).toMatchObject({ count: 4, first: null, readAs: [{ doubts: ['times'] }] })
    const whole = await desk.importArchive('TIMESTAMP,SOURCE\n')
    expect(whole.readAs?.[0]?.doubts).toEqual([])
  })

  it.each([
    ['18/11/2026 10:00', '2026-11-18T10:00:00.000Z'],
    ['18.11.2026', '2026-11-18T00:00:00.000Z'],
    ['18-11-26 9:05:07', '2026-11-18T09:05:07.000Z'],
    ['11/18/26 9:05 PM', '2026-11-18T21:05:00.000Z'],
    ['11/18/2026, 12:00:00 a.m.', '2026-11-18T00:00:00.000Z'],
    ['2026/11/18 10:00:00', '2026-11-18T10:00:00.000Z'],
    ['2026-11-18 10:00:00,250', '2026-11-18T10:00:00.250Z'],
    ['2026-11-18T10:00:00.123456Z', '2026-11-18T10:00:00.123Z'],
    ['2026-11-18 10:00:00 UTC', '2026-11-18T10:00:00.000Z'],
    ['2026-11-18 10:00:00 +0100', '2026-11-18T09:00:00.000Z'],
    ['2026-11-18 05:00:00 -05', '2026-11-18T10:00:00.000Z'],
    ['18 Nov 2026 10:00', '2026-11-18T10:00:00.000Z'],
    ['Nov 18, 2026, 9:05:00 PM', '2026-11-18T21:05:00.000Z'],
    ['November 18, 2026', '2026-11-18T00:00:00.000Z'],
    ['18-Nov-2026 10:00:00', '2026-11-18T10:00:00.000Z'],
    ['1794996000', '2026-11-18T10:00:00.000Z'],
    ['1794996000.5', '2026-11-18T10:00:00.500Z'],
    ['1794996000500', '2026-11-18T10:00:00.500Z'],
    ['1794996000500.25', '2026-11-18T10:00:00.500Z'],
    ['1794996000500250', '2026-11-18T10:00:00.500Z'],
    ['1794996000500250125', '2026-11-18T10:00:00.500Z'],
    ['2026-11-18t10:00:00z', '2026-11-18T10:00:00.000Z'],
    ['2026-11-18T10:00Z', '2026-11-18T10:00:00.000Z'],
    ['2026-11-18 11:00 +01:00', '2026-11-18T10:00:00.000Z'],
    ['2026-11-18 10', '2026-11-18T10:00:00.000Z'],
    ['20261118', '2026-11-18T00:00:00.000Z'],
    // As seconds since 1970, this hour would be in 2034.
    ['2026111810', '2026-11-18T10:00:00.000Z'],
    ['202611181005', '2026-11-18T10:05:00.000Z'],
    ['20261118T100507Z', '2026-11-18T10:05:07.000Z'],
    ['20261118 10:05:07', '2026-11-18T10:05:07.000Z'],
    ['11/18/2026, 9:05:00\u202fPM', '2026-11-18T21:05:00.000Z'],
    ['\u200e11\u200e/\u200e18\u200e/\u200e2026\u00a09:05 PM', '2026-11-18T21:05:00.000Z'],
    ['11/18/2026 9 PM', '2026-11-18T21:00:00.000Z'],
    ['[18/Nov/2026:10:05:07 +0100]', '2026-11-18T09:05:07.000Z'],
    ['Wed, 18 Nov 2026 10:05:07 GMT', '2026-11-18T10:05:07.000Z'],
    ['Wed Nov 18 10:05:07 2026', '2026-11-18T10:05:07.000Z'],
    ['Wed Nov 18 2026 11:05:07 GMT+0100 (Central European Standard Time)', '2026-11-18T10:05:07.000Z'],
    ['2026-11-18T11:05:07+01:00[Europe/Berlin]', '2026-11-18T10:05:07.000Z'],
    ['2026-11-18 05:05:07 EST', '2026-11-18T10:05:07.000Z'],
    ['11/18/2026 5:05 AM EST', '2026-11-18T10:05:00.000Z'],
    ['11/18/2026 9:05:07 PM +0100', '2026-11-18T20:05:07.000Z'],
    ['November 18, 2026 at 10:05 AM', '2026-11-18T10:05:00.000Z'],
    ['18-Nov-26 10:05', '2026-11-18T10:05:00.000Z'],
    ['18-NOV-26 09.05.07.250000 PM', '2026-11-18T21:05:07.250Z'],
    ['18.11.2026 10:05 Uhr', '2026-11-18T10:05:00.000Z'],
    ['18. Dezember 2026 10:05', '2026-12-18T10:05:00.000Z'],
    ['18. Okt. 2026', '2026-10-18T00:00:00.000Z'],
    ['1er août 2026 10:05:07', '2026-08-01T10:05:07.000Z'],
    ['18 de enero de 2026', '2026-01-18T00:00:00.000Z'],
    ['2026年11月18日 10:05', '2026-11-18T10:05:00.000Z'],
  ])('are read as people write them: %s', async (text, moment) => {
    const entry = await momentsOf([text, text])
    expect(iso(entry.first)).toBe(moment)
    expect(entry.readAs?.[0]?.doubts).toEqual([])
  })

  it('are those of the clocks of their account where they name no zone', async () => {
    const entry = await momentsOf(['2026-11-18 00:30:00', '2026-07-01 00:30:00'], 'Europe/Berlin')
    expect([iso(entry.first), iso(entry.last)]).toEqual([
      '2026-06-30T22:30:00.000Z',
      '2026-11-17T23:30:00.000Z',
    ])
    expect(entry.zone).toBe('Europe/Berlin')
    const named = await momentsOf(['2026-11-18T00:30:00Z'], 'Europe/Berlin')
    expect(iso(named.first)).toBe('2026-11-18T00:30:00.000Z')
    expect(named.zone).toBeUndefined()
  })

  it('have the order of their dates from the whole column', async () => {
    const early = Array.from({ length: 3000 }, (_, nth) => `0${1 + (nth % 9)}/0${1 + (nth % 7)}/2026`)
    const entry = await momentsOf([...early, '31/01/2026'])
    expect(iso(entry.last)).toBe('2026-09-07T00:00:00.000Z'.replace('09-07', '07-09'))
    expect(entry.readAs?.[0]?.doubts).toEqual([])
  })

  it('are in doubt where no date tells day from month', async () => {
    const entry = await momentsOf(['11/1/2026', '11/2/2026', '11/3/2026'])
    expect([iso(entry.first), iso(entry.last)]).toEqual([
      '2026-11-01T00:00:00.000Z',
      '2026-11-03T00:00:00.000Z',
    ])
    expect(entry.readAs?.[0]?.doubts).toEqual(['month-first'])
  })

  it('are in doubt where half of the column is written the other way round, and what does not fit is counted', async () => {
    const entry = await momentsOf(['13/11/2026', '14/11/2026', '15/11/2026', '11/16/2026', '11/17/2026'])
    expect(entry.readAs?.[0]?.doubts).toEqual(['day-first'])
    expect(entry.columns[0]).toMatchObject({ kind: 'time', odd: 2 })
    const halves = await momentsOf(['13/02/2026', '14/02/2026', '02/15/2026', '02/13/2026'])
    expect(halves.readAs?.[0]?.doubts).toHaveLength(1)
    expect(halves.columns[0]).toMatchObject({ kind: 'time', odd: 2 })
  })

  it('stay moments where one cell is odd, and placeholders are nothing', async () => {
    const plain = Array.from({ length: 40 }, (_, nth) => `2026-11-18 10:${10 + nth}:00`)
    const entry = await momentsOf([...plain, 'soon', '--', 'N/A'])
    expect(entry.columns[0]).toMatchObject({ kind: 'time', odd: 1 })
  })

  it('are a group of their own where they cannot be read, with as many rows as it says', async () => {
    const desk = openRowsDesk()
    const plain = Array.from({ length: 80 }, (_, nth) => `2026-11-18 10:${10 + (nth % 50)}:00`)
    const entry = await desk.importArchive(`Date|N\n${[...plain, 'soon', '--', ''].join('|1\n')}|1\n`)
    const groups = await groupsOf(desk, entry, { column: 'Date', by: 'day' })
    expect(groups.map(({ keys, rows }) => [keys[0], rows])).toEqual([
      ['', 3],
      ['2026-11-18', 80],
    ])
    const conditions = [
      { column: 'Date', out: true, test: { kind: 'between', from: null, to: null } } as const,
    ]
    expect(await cellsOf(desk, rowsOf([entry], { conditions }), ['Date'])).toEqual([['soon'], ['--'], ['']])
  })

  it('are no ids of ten digits', async () => {
    const entry = await openRowsDesk().importArchive('Campaign ID,N\n2147000000,1\n2147000017,2\n')
    expect(entry.columns[0]?.kind).toBe('number')
  })
})

describe('numbers', () => {
  const sorted = async (cells: readonly string[], direction: 'asc' | 'desc' = 'asc') => {
    const desk = openRowsDesk()
    const entry = await desk.importArchive(
      `Cost\tN\n${cells.map((cell, nth) => `${cell}\t${nth}\n`).join('')}`,
    )
    const found = await cellsOf(desk, rowsOf([entry], { sort: [{ column: 'Cost', direction }] }))
    return {
      kind: entry.columns[0]?.kind,
      odd: entry.columns[0]?.odd ?? 0,
      cells: found.map(([cell]) => cell),
    }
  }

  it.each([
    ['with separators', ['3', '12', '1,105', '20,000']],
    ['with decimal commas', ['0,3', '1,2', '10,5', '1.000,25']],
    ['with blanks between', ['3,5', '12 000,5', '1 000 000']],
    ['in percent', ['0.3%', '1.2%', '10.5 %']],
    ['of money', ['$0.30', '$1.20', '$1,010.50']],
    ['of money behind', ['0,30 €', '9,20 €', '1.010,50 €']],
    ['below zero', ['-20', '(3.50)', '−1', '0', '7']],
    [
      'of many digits',
      ['9007199254740992', '9007199254740993', '1234567890123456789', '1234567890123456790'],
    ],
    ['with exponents', ['1e-2', '3', '1e5']],
    ['with thin blanks between', ['3,5', '12\u2009000,5', '1\u2007000\u2007000']],
    ['of money by letters', ['US$2.50', 'R$ 10.00', 'CA$1,010.50']],
    ['of money by words', ['0,30 zł', '9,20 Kč', '10,00 kr', '1.010,50 Euro']],
    ['of money in yen', ['120円', '1,010円']],
  ])('%s are sorted by size and stay as they came', async (_, cells) => {
    expect(await sorted(cells.toReversed())).toEqual({ kind: 'number', odd: 0, cells })
    expect((await sorted(cells, 'desc')).cells).toEqual(cells.toReversed())
  })

  it('are found by their size', async () => {
    const desk = openRowsDesk()
    const entry = await desk.importArchive(fixture('number-forms.csv'))
    const counted = async (column: string, kind: 'more-than' | 'less-than', value: string) =>
      await countWhere(desk, entry, column, { kind, value })
    expect(await counted('ADDITIONAL 1', 'more-than', '100')).toBe(6)
    const sizes = new Map(entry.columns.map(({ name, kind }) => [name, kind]))
    expect([...sizes].filter(([name]) => name.startsWith('ADDITIONAL')).map(([, kind]) => kind)).toEqual(
      Array.from({ length: 5 }, () => 'number'),
    )
    expect(await counted('ADDITIONAL 1', 'less-than', '-100')).toBe(0)
    expect(await counted('RESULT', 'more-than', '0')).toBe(0)
  })

  it('have placeholders at their end', async () => {
    const { kind, cells } = await sorted(['--', '3', 'N/A', '1', '2'])
    expect({ kind, cells }).toEqual({ kind: 'number', cells: ['1', '2', '3', '--', 'N/A'] })
  })

  it.each(['NA', '#N/A', '#DIV/0!', '(none)', '[NULL]', '<null>', 'nil', 'undefined', 'k. A.', 'n.d.', '?'])(
    'have this placeholder at their end: %s',
    async (placeholder) => {
      const found = await sorted(['10', placeholder, '9', placeholder, '8'])
      expect(found).toEqual({
        kind: 'number',
        odd: 0,
        cells: ['8', '9', '10', placeholder, placeholder],
      })
    },
  )

  it.each(['see notes', '12 of 30', '1.234,50'])('stay numbers where one cell is odd: %s', async (odd) => {
    const numbers = Array.from({ length: 60 }, (_, nth) => `${nth + 1}.5`)
    expect(await sorted([odd, ...numbers])).toEqual({ kind: 'number', odd: 1, cells: [...numbers, odd] })
  })

  it.each([
    ['thousands or decimals with points', 'N\n1.234\n12.500\n', 'decimal-point', ['decimal-point']],
    ['thousands or decimals with commas', 'N;M\n1,234;a\n12,500;b\n', 'decimal-point', ['decimal-point']],
    ['beside plain numbers', 'N\n1.234\n7\n250\n', 'decimal-point', ['decimal-point']],
    ['where two others disagree', 'N;M;O\n1.234;0,5;0.5\n', 'decimal-point', ['decimal-point']],
    ['where one cell decides', 'N\n1.234\n0.500\n', 'decimal-point', []],
    ['where a cell has both signs', 'N;M\n1.234;a\n1.234,50;b\n', 'decimal-comma', []],
    ['where a cell has two groups', 'N\n1.234\n1.234.567\n', 'decimal-comma', []],
    ['beside others with a comma', 'N;M\n1.234;0,5\n2.500;12,75\n', 'decimal-comma', []],
    ['beside others with a point', 'N;M\n1,234;0.5\n2,500;1.75\n', 'decimal-point', []],
    ['without a sign', 'N\n1234\n7\n', 'decimal-point', []],
  ] as const)('are in doubt where no cell tells the decimal sign: %s', async (_, table, form, doubts) => {
    const entry = await openRowsDesk().importArchive(table)
    expect(entry.columns[0]).toMatchObject({ kind: 'number', form })
    expect(entry.readAs?.[0]?.doubts).toEqual(doubts)
  })

  it.each([
    ['ids with leading zeros', ['007', '012', '100']],
    ['moments of the day', ['10:30', '11:45']],
    ['texts with digits', ['a1', 'b2']],
    ['version numbers', ['1.2.3', '1.10.0']],
  ])('are no %s', async (_, cells) => {
    expect((await sorted(cells)).kind).toBe('text')
  })
})

describe('what columns hold', () => {
  const rolesOf = ({ columns }: RowsEntry) => columns.map(({ standard }) => standard)

  it('is told by the headers of others, in any capitals', async () => {
    const desk = openRowsDesk()
    const entry = await desk.importArchive(fixture('click-log-ip.csv'))
    expect(rolesOf(entry)).toEqual([
      'timestamp',
      'click_id',
      'remote_address',
      'remote_address',
      'user_agent',
      'page',
      null,
    ])
    expect(entry.type).toBeNull()
    for (const text of ['192.0.2.1', 'clk_00431']) {
      const found = await answered(desk.engine.call('search', { file: entry, text, max: 100 }))
      expect(found.count, text).toBeGreaterThan(0)
    }
  })

  it('is told by cells where headers say nothing', async () => {
    const desk = openRowsDesk()
    const entry = await desk.importArchive(fixture('no-header-at-all.csv'))
    expect(entry.columns[0]?.kind).toBe('time')
    expect(rolesOf(entry)).toEqual([null, null, null, null, 'result', 'remote_address', null, null, null])
  })

  it('is no verdict of ours where others judge in words of their own', async () => {
    const entry = await openRowsDesk().importArchive('Click ID,Verdict\na1,ok\na2,blocked\n')
    expect(rolesOf(entry)).toEqual(['click_id', null])
  })
})

describe('moments since 1970', () => {
  const moments = (count: number, from: string) =>
    Array.from({ length: count }, (_, nth) => `${from}${String(nth).padStart(3, '0')},${nth}`)

  it.each([
    ['1763', '17632500001234567', 'epoch-ms', '1763250000'],
    ['1763250', '1763250000123', 'epoch-s', ''],
    ['1763250', '-5', 'epoch-s', ''],
  ])(
    'that are none of their column are odd, and no row is lost: %s…, %s',
    async (begin, other, form, middle) => {
      const desk = openRowsDesk()
      const lines = ['timestamp,n', ...moments(60, `${begin}${middle.slice(begin.length)}`), `${other},60`]
      const entry = await desk.importArchive(lines.join('\n'))
      expect(entry).toMatchObject({ count: 61, unreadable: 0 })
      expect(entry.columns[0]).toMatchObject({ kind: 'time', form, odd: 1 })
      expect(new Date(Number(entry.last)).getUTCFullYear()).toBe(2025)
      expect((await daysOf(desk, entry)).map(({ day, rows }) => [day, rows])).toContainEqual(['', 1])
    },
  )
})

describe('a column behind the 500th', () => {
  it('is text where moments were chosen for it, and is found and counted by its cells', async () => {
    const names = Array.from({ length: 503 }, (_, nth) => `c${nth}`)
    const row = (value: string, ip: string) => [...names.slice(2).map(() => 'x'), value, ip].join('\t')
    const table = [names.join('\t'), row('2026-11-20', '192.0.2.1'), row('2026-11-21', '192.0.2.2')].join(
      '\n',
    )
    const desk = openRowsDesk()
    writeFileSync(join(desk.folder, 'wide.csv'), table)
    const source = join(desk.folder, 'wide.csv')
    const { shape } = await desk.engine.call('preview', { source, choices: [] }, new AbortController().signal)
    const columns = [
      { name: 'c501', role: null, form: 'year-first' },
      { name: 'c502', role: 'remote_address', form: 'text' },
    ] as const
    const entry = await desk.importArchive(table, {
      name: 'wide.csv',
      choices: [{ shape, choice: { columns } }],
    })
    expect(await cellsOf(desk, rowsOf([entry]), ['c501', 'c502'])).toEqual([
      ['2026-11-20', '192.0.2.1'],
      ['2026-11-21', '192.0.2.2'],
    ])
    expect(await countWhere(desk, entry, 'c501', { kind: 'is', value: '2026-11-20' })).toBe(1)
    expect(await countWhere(desk, entry, 'c502', { kind: 'is', value: '192.0.2.2' })).toBe(1)
  })
})

const groupsOf = async (desk: RowsDesk, entry: RowsEntry, key: GroupKey, zone = 'UTC') => {
  const params = { ...rowsOf([entry]), by: [key], search: '', zone, offset: 0, limit: 50 }
  const groupSort = { by: { kind: 'key', place: 0 }, direction: 'asc' } as const
  const { groups } = await answered(desk.engine.call('groups', { ...params, groupSort }))
  return groups
}
const countWhere = async (desk: RowsDesk, entry: RowsEntry, column: string, test: CellTest) =>
  (await cellsOf(desk, rowsOf([entry], { conditions: [{ column, out: false, test }] }))).length

describe('texts', () => {
  it('are the same with composed letters and decomposed ones', async () => {
    const desk = openRowsDesk()
    const entry = await desk.importArchive(fixture('nfc-nfd.csv'))
    const groups = await groupsOf(desk, entry, { column: 'SOURCE', by: 'value' })
    expect(
      groups.map(({ keys, rows, series }) => [keys[0], rows, series.reduce((a, b) => a + b, 0)]),
    ).toEqual([['Café Müller', 20, 20]])
    const facets = { ...rowsOf([entry]), columns: ['SOURCE', 'CAMPAIGN'], top: 5 }
    const [facet] = (await answered(desk.engine.call('facets', facets))).facets
    expect(facet?.values.map(({ value, rows }) => [value, rows])).toEqual([['Café Müller', 20]])
    for (const value of ['Café Müller', 'Café Müller'.normalize('NFD')])
      expect(await countWhere(desk, entry, 'SOURCE', { kind: 'is', value })).toBe(20)
    for (const value of ['menü', 'MENU', 'menu\u0308'])
      expect(await countWhere(desk, entry, 'PAGE', { kind: 'contains', value })).toBe(20)
    const found = await answered(desk.engine.call('search', { file: entry, text: 'MENÜ', max: 5 }))
    expect(found.count).toBe(20)
  })
})

describe('an hour that clocks show twice', () => {
  it.each([
    ['Europe/Berlin', '2026-10-25 02 +02:00', '2026-10-25 02 +01:00'],
    ['UTC', '2026-10-25 00', '2026-10-25 01'],
  ])('is two groups in %s, and what is pressed has the rows that it says', async (zone, first, second) => {
    const desk = openRowsDesk()
    const entry = await desk.importArchive(fixture('dst-berlin.csv'))
    const groups = await groupsOf(desk, entry, { column: 'TIMESTAMP', by: 'hour' }, zone)
    const counts = new Map(groups.map(({ keys, rows }) => [keys[0], rows]))
    expect([counts.get(first), counts.get(second)]).toEqual([7, 11])
    expect(groups.reduce((sum, { rows }) => sum + rows, 0)).toBe(entry.count)
    for (const { keys, rows, series } of groups) {
      const [, day, hour, offset = 'Z'] = /^(\S{10}) (\d\d) ?(\S{6})?$/.exec(keys[0] ?? '') ?? []
      const isNamed = zone === 'UTC' || offset !== 'Z'
      const from = Date.parse(`${day}T${hour}:00:00${offset}`) as Instant
      const span = { from, to: (from + 3_600_000) as Instant }
      expect(series.reduce((sum, each) => sum + each, 0)).toBe(rows)
      if (!isNamed) continue
      expect(await countWhere(desk, entry, 'TIMESTAMP', { kind: 'between', ...span })).toBe(rows)
    }
  })
})
