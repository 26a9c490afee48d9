import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import Papa from 'papaparse'
import readSheets from 'read-excel-file/node'
import { describe, expect, it } from 'vitest'
import { aggregatesOf, withRates } from '#shared/reports/rows.ts'
import type { Table, TableRow } from '#shared/api/answers.ts'
import type { Reports } from '#main/reports/reports.ts'
import { overviewSheet } from '#main/exports/overview-sheet.ts'
import { withEnoughDecimals } from '#main/exports/workbook.ts'
import type { TableReader } from '#main/exports/table-reader.ts'
import { soundFigures } from '#test/helpers/known-figures.ts'
import { fake } from '#test/helpers/fake.ts'
import {
  account,
  asking,
  exportsTo,
  fromPages,
  neverCompared,
  pageOf,
  query,
  temporaryFolder,
  textRow,
} from './helpers.ts'
import { partOf } from './zip.ts'

/** One day of a source of which almost all is good. */
const table: Table = withRates(
  {
    headers: ['Browser', 'Requests', 'Responses', 'Good', 'Warning', 'Bad'],
    all: { label: { kind: 'all', name: null }, cells: [249_950, 249_950, 249_944, 4, 2] },
    rows: [textRow('Chrome', 249_940, 249_940, 249_934, 4, 2), textRow('Opera', 10, 10, 10, 0, 0)],
  },
  'script',
  'browsers',
)

async function saved(format: 'csv' | 'json' | 'xlsx', rows: 'seen' | 'all', reports: Reports) {
  const folder = temporaryFolder()
  const columns = rows === 'all' ? table.headers : []
  const state = await exportsTo(folder, { reports }).run({ kind: 'table', format, rows, query, columns })
  if (state.kind !== 'done' || state.file === null) throw new Error(JSON.stringify(state))
  return join(folder, state.file)
}

const goodRates = [(249_944 * 100) / 249_950, (249_934 * 100) / 249_940, 100]

describe.each(['seen', 'all'] as const)('shares of %s rows', (scope) => {
  const reports = asking({ ...table, all: table.all })

  it('are unrounded numbers in CSV, JSON and XLSX', async () => {
    const text = readFileSync(await saved('csv', scope, reports), 'utf8').replace('\uFEFF', '')
    const csv = Papa.parse<Record<string, string>>(text.trimEnd(), { header: true }).data
    expect(csv.map((row) => Number(row['Good Rate']))).toEqual(goodRates)
    const json: unknown = JSON.parse(readFileSync(await saved('json', scope, reports), 'utf8'))
    expect(json).toMatchObject({
      all: { 'Good Rate': goodRates[0] },
      rows: [{ 'Good Rate': goodRates[1] }, {}],
    })
    const path = await saved('xlsx', scope, reports)
    const [sheet] = await readSheets(readFileSync(path))
    const place = sheet?.data[0]?.indexOf('Good Rate') ?? -1
    expect(sheet?.data.slice(1, 3).map((row) => row[place])).toEqual(
      goodRates.slice(1).map((rate) => rate / 100),
    )
    // What is less than all is seen as less, and what is all as all.
    const styles = await partOf(path, 'xl/styles.xml')
    expect(styles).toContain('0.000%')
    expect(styles).toContain('numFmtId="10"')
  })
})

it('a sheet shows enough decimals, and no more than are needed', () => {
  const rate = '0.00%'
  expect([0, 1, 0.5, 0.0001, 0.9999].map((share) => withEnoughDecimals(share, rate))).toEqual([
    rate,
    rate,
    rate,
    rate,
    rate,
  ])
  expect([2 / 249_950, 249_948 / 249_950].map((share) => withEnoughDecimals(share, rate))).toEqual([
    '0.0000%',
    '0.0000%',
  ])
  expect(withEnoughDecimals(-0.0004, '+0.0%;-0.0%;0.0%')).toBe('+0.00%;-0.00%;0.00%')
  expect(withEnoughDecimals(0.004, '+0.00;-0.00;0.00')).toBe('+0.000;-0.000;0.000')
  expect(withEnoughDecimals(3, '#,##0')).toBe('#,##0')
})

it('the cards of Overview have their shares unrounded', async () => {
  const total = { drops: 0, good: 249_944, warning: 4, bad: 2, mobile: 0, adblocker: null }
  const read = ((asked: unknown) =>
    Promise.resolve({
      ...{ kind: 'overview', query: asked, figures: { total, chart: null } },
      provenance: soundFigures,
    })) as Parameters<typeof overviewSheet>[0]['read']
  const overview = { ...query, kind: 'overview', family: 'script', chart: true } as const
  const { rows } = await overviewSheet(
    fake<TableReader>('reader', {
      read,
      periods: () => ({ kind: 'nothing', leftOut: [] }),
      paired: () => Promise.reject(new TypeError('Nothing is compared here')),
      zone: 'UTC',
    }),
    account,
    { kind: 'overview', queries: [overview], format: 'csv' } as unknown as Parameters<
      typeof overviewSheet
    >[2],
  )
  const shareOf = (name: string) =>
    rows.find(({ label }) => label.kind === 'text' && label.text === `Script: ${name}`)?.cells[1]
  expect(shareOf('Good')).toBeCloseTo((249_944 / 249_950) * 100, 12)
  expect(shareOf('Bad')).toBeCloseTo((2 / 249_950) * 100, 15)
  expect(shareOf('Drops')).toBe(0)
})

describe('All and Found in a workbook', () => {
  const rows = [textRow('Chrome', 30), textRow('Chromium', 20)]
  const all: TableRow = { label: { kind: 'all', name: null }, cells: [100] }
  const reports = fromPages({
    ask: ({ query: asked }) => {
      if (asked.kind !== 'table') throw new TypeError('Tables only')
      const made = pageOf(asked, { headers: ['Browser', 'Requests'], rows, all })
      const { matching } = aggregatesOf(asked, made.figures, 'everything')
      return Promise.resolve({ ...made, ...(matching && { matching }) })
    },
    ...neverCompared,
  })

  it.each(['seen', 'all'] as const)(
    'stand outside of the filter and of sums of its rows: %s',
    async (scope) => {
      const folder = temporaryFolder()
      const searched = { ...query, search: 'chrom' }
      const order = { kind: 'table', format: 'xlsx', rows: scope, query: searched, columns: [] } as const
      const state = await exportsTo(folder, { reports }).run(order)
      if (state.kind !== 'done' || state.file === null) throw new Error(JSON.stringify(state))
      const path = join(folder, state.file)
      const xml = await partOf(path, 'xl/worksheets/sheet1.xml')
      const [, from, to] = /<autoFilter ref="A(\d+):B(\d+)"/.exec(xml) ?? []
      const [sheet] = await readSheets(readFileSync(path))
      const data = sheet?.data ?? []
      expect(data[Number(from) - 1]).toEqual(['Browser', 'Requests'])
      const filtered = data.slice(Number(from), Number(to))
      expect(filtered).toEqual([
        ['Chrome', 30],
        ['Chromium', 20],
      ])
      expect(filtered.reduce((sum, [, count]) => sum + Number(count), 0)).toBe(50)
      // A blank row keeps a spreadsheet from taking what follows for more of the table.
      expect(data.slice(Number(to))).toEqual([
        [null, null],
        ['All', 100],
        ['Found, 2 rows', 50],
      ])
      expect(xml).toMatch(/<pane [^>]*ySplit="1"[^>]*state="frozen"/)
    },
  )
})

describe('cells that a sheet cannot hold whole', () => {
  const long = 'https://shop.example/'.padEnd(40_000, 'x')
  const rows = [textRow(`${long}1`, 1), textRow('b', 2), textRow(`${long}2`, 3)]
  const reports = asking({ headers: ['Browser', 'Requests'], rows })

  it.each(['seen', 'all'] as const)('are counted in the message and in the sheet: %s rows', async (scope) => {
    const folder = temporaryFolder()
    const { run } = exportsTo(folder, { reports })
    const state = await run({ kind: 'table', format: 'xlsx', rows: scope, query, columns: [] })
    expect(state).toMatchObject({ kind: 'done', cut: [{ column: 'Browser', cells: 2 }] })
    if (state.kind !== 'done' || state.file === null) throw new Error('Not saved')
    const [sheet] = await readSheets(readFileSync(join(folder, state.file)))
    expect(sheet?.data.slice(-2).map(([cell]) => cell)).toEqual([
      null,
      '2 cells in Browser were cut to 32,767 characters, the most an Excel cell holds. CSV and JSON have them whole.',
    ])
    expect(String(sheet?.data[1]?.[0])).toHaveLength(32_767)
    for (const format of ['csv', 'json'] as const) {
      const whole = await run({ kind: 'table', format, rows: scope, query, columns: [] })
      expect(whole).not.toHaveProperty('cut')
      if (whole.kind !== 'done' || whole.file === null) throw new Error('Not saved')
      expect(readFileSync(join(folder, whole.file), 'utf8')).toContain(`${long}2`)
    }
  })
})
