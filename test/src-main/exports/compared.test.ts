import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import Papa from 'papaparse'
import readSheets, { readSheet } from 'read-excel-file/node'
import { describe, expect, it } from 'vitest'
import type { Reports } from '#main/reports/reports.ts'
import { labelKey } from '#shared/reports/rows.ts'
import { plainTable } from '#shared/reports/query.ts'
import type { OverviewQuery } from '#shared/reports/query.ts'
import type { TableRow } from '#shared/api/answers.ts'
import { day } from '#shared/values/day.ts'
import { exportsTo, fromPages, pageOf, provenance, query, temporaryFolder, textRow } from './helpers.ts'
import { partOf } from './zip.ts'

const headers = ['Browser', 'Requests', 'Bad', 'Bad Rate']
const before = { start: day('2026-11-06'), end: day('2026-11-12') }
const all = (...cells: TableRow['cells']): TableRow => ({ label: { kind: 'all', name: null }, cells })
const now = { all: all(1000, 57, 5.7), rows: [textRow('Chrome', 800, 40, 5), textRow('New', 200, 17, 8.5)] }
const then = { all: all(1200, 126, 10.5), rows: [textRow('Chrome', 1000, 100, 10)] }
const columns = ['Browser', 'Requests', 'Bad', 'Bad Rate']
const asked = { ...query, rates: true }

/** Two periods of one table; where days are `missing`, the days of both have half of everything. */
function reports(missing: boolean): Reports {
  const half = (cells: TableRow['cells']) =>
    cells.map((cell, place) => (place < 2 && typeof cell === 'number' ? cell / 2 : cell))
  const rowsOf = (
    { all: whole, rows }: typeof now,
    labels: readonly string[],
    by = (c: TableRow['cells']) => c,
  ) => ({
    headers,
    all: by(whole.cells),
    rows: labels.map((label) => {
      const found = rows.find((row) => labelKey(row.label) === label)
      return found ? by(found.cells) : null
    }),
  })
  return fromPages({
    ask: ({ query: wanted }) =>
      wanted.kind === 'table'
        ? Promise.resolve(pageOf(wanted, { headers, ...now }))
        : Promise.resolve({
            kind: 'overview',
            query: wanted,
            figures: {
              total:
                wanted.range.start === before.start
                  ? { drops: 0, good: 1000, warning: 74, bad: 126, mobile: 10, adblocker: null }
                  : { drops: 0, good: 900, warning: 43, bad: 57, mobile: 12, adblocker: null },
              chart: null,
              query: {},
              unknown: {},
            },
            provenance,
          }),
    before: ({ query: shown, before: range, labels }) =>
      Promise.resolve({
        periods: { kind: 'periods', now: shown.range, before: range, leftOut: [] },
        compared: missing ? { days: 6, total: 7, against: { days: 6, total: 7 } } : null,
        sides: missing
          ? { now: rowsOf(now, labels, half), before: rowsOf(then, labels, half) }
          : { now: null, before: rowsOf(then, labels) },
        provenance: { ...provenance, missing: missing ? [before.start] : [] },
      }),
    paired: () => Promise.reject(new TypeError('No overview lacks days here')),
  })
}

async function exported(format: 'csv' | 'xlsx' | 'json', missing = false): Promise<string> {
  const folder = temporaryFolder()
  const { run } = exportsTo(folder, { reports: reports(missing) })
  const state = await run({ kind: 'table', format, rows: 'seen', query: asked, columns, before })
  if (state.kind !== 'done' || state.file === null) throw new Error(JSON.stringify(state))
  return join(folder, state.file)
}

const written = [
  'Browser',
  ...['Requests', 'Requests before', 'Requests change', 'Requests change %'],
  ...['Bad', 'Bad before', 'Bad change', 'Bad change %'],
  ...['Bad Rate', 'Bad Rate before', 'Bad Rate change (points)'],
]

/** As many digits as a spreadsheet keeps. */
const digits = (value: number) => Number(value.toPrecision(15))
const [fewerRequests, fewerBad] = [digits(-200 / 12), digits(-6900 / 126)]

/** By hand: 57 of 1000 is 5.7 %, 126 of 1200 was 10.5 %: 4.8 points fewer. */
const inPercent = [
  ['All', 1000, 1200, -200, fewerRequests, 57, 126, -69, fewerBad, 5.7, 10.5, -4.8],
  ['Chrome', 800, 1000, -200, -20, 40, 100, -60, -60, 5, 10, -5],
  ['New', 200, null, null, null, 17, null, null, null, 8.5, null, null],
]

describe('a comparison that is taken out', () => {
  it('stands in a CSV with the row for all, as another library reads it', async () => {
    const text = readFileSync(await exported('csv'), 'utf8').replace('\ufeff', '')
    const { data } = Papa.parse<string[]>(text.trimEnd())
    expect(data).toEqual([
      written,
      ...inPercent.map((row) => row.map((cell) => (cell === null ? '' : String(cell)))),
    ])
  })

  it('stands in a workbook as numbers with their formats', async () => {
    const path = await exported('xlsx')
    const share = (value: unknown, place: number) =>
      typeof value === 'number' && [4, 8, 9, 10].includes(place) ? value / 100 : value
    const sheet = await readSheet(readFileSync(path))
    const [all = [], ...rows] = inPercent.map((row) => row.map(share))
    // The row for all stands below, where no filter or sort has it.
    expect(sheet).toEqual([written, ...rows, written.map(() => null), all])
    expect(await partOf(path, 'xl/worksheets/sheet1.xml')).toContain('<autoFilter ref="A1:L3"')
    const styles = await partOf(path, 'xl/styles.xml')
    for (const format of ['+#,##0;-#,##0;0', '+0.0%;-0.0%;0.0%', '+0.00;-0.00;0.00'])
      expect(styles).toContain(`formatCode="${format}"`)
    const about = (await readSheets(readFileSync(path))).find(({ sheet: name }) => name === 'About')
    expect(about?.data).toContainEqual(['Compared with', '2026-11-06 to 2026-11-12'])
  })

  it('stands in JSON, with the days compared with', async () => {
    const read: unknown = JSON.parse(readFileSync(await exported('json'), 'utf8'))
    const named = (row: readonly unknown[] | undefined) =>
      Object.fromEntries(written.map((header, place) => [header, row?.[place]]))
    expect(read).toMatchObject({
      compared: { range: before, missing: [], days: null },
      all: named(inPercent[0]),
      rows: inPercent.slice(1).map(named),
    })
  })

  it('is over the days of both periods where some are missing, and says so', async () => {
    const read: unknown = JSON.parse(readFileSync(await exported('json', true), 'utf8'))
    expect(read).toMatchObject({
      compared: { missing: [before.start], days: { days: 6, of: 7, against: { days: 6, of: 7 } } },
      rows: [
        { Requests: 800, 'Requests before': 500, 'Requests change': -100, 'Requests change %': -20 },
        {},
      ],
    })
  })

  it('goes into the clipboard too', async () => {
    const { run, copied } = exportsTo(temporaryFolder(), { reports: reports(false) })
    await run({ kind: 'table', format: 'clipboard', rows: 'seen', query: asked, columns, before })
    const lines = copied[0]?.split('\n').map((line) => line.split('\t'))
    expect(lines?.slice(0, 2)).toEqual([written, (inPercent[0] ?? []).map(String)])
  })
})

describe('Overview', () => {
  const { range, family, instance, source, campaign } = { ...plainTable, ...query }
  const overview: OverviewQuery = {
    ...{ kind: 'overview', family, range, instance, source: 'news', campaign, chart: true },
  }

  it('is a row for each figure, with its rate and how both changed', async () => {
    const folder = temporaryFolder()
    const { run } = exportsTo(folder, { reports: reports(false) })
    const state = await run({ kind: 'overview', format: 'csv', queries: [overview], before })
    const file = 'Kestrel Media - Overview - 2026-11-13 to 2026-11-19 - news.csv'
    expect(state).toEqual({ kind: 'done', file, rows: 7 })
    const { data } = Papa.parse<string[]>(readFileSync(join(folder, file), 'utf8').replace('\ufeff', ''))
    expect(data[0]).toEqual([
      ...['Figure', 'Count', 'Rate', 'Count before', 'Count change', 'Count change %'],
      ...['Rate before', 'Rate change (points)'],
    ])
    expect(data).toContainEqual([
      'Script: Requests',
      '1000',
      '',
      '1200',
      '-200',
      String(fewerRequests),
      '',
      '',
    ])
    expect(data).toContainEqual(['Script: Bad', '57', '5.7', '126', '-69', String(fewerBad), '10.5', '-4.8'])
    expect(data).toContainEqual(['Script: Ad blocker', '', '', '', '', '', '', ''])
    expect(source).toBeNull()
  })
})
