import { readFile } from 'node:fs/promises'
import fc from 'fast-check'
import readSheets, { readSheet } from 'read-excel-file/node'
import { describe, expect, it } from 'vitest'
import { shorten } from '#main/exports/safe-text.ts'
import { maxCellOfSheet } from '#shared/archives/rows.ts'
import { xlsxFile } from '#main/exports/xlsx-file.ts'
import { sheetName } from '#main/exports/workbook.ts'
import { day } from '#shared/values/day.ts'
import type { Instant } from '#shared/values/ids.ts'
import { asWritten, awkwardRows, seeded } from './awkward.ts'
import { seed } from '#test/helpers/properties.ts'
import { withFile } from './files.ts'
import type { Made } from './helpers.ts'
import { headers, textRow } from './helpers.ts'
import { partOf } from './zip.ts'

const rowsOf = (made: Made, columns?: readonly string[]) =>
  withFile(
    xlsxFile,
    made,
    async (path) => await readSheet(await readFile(path), undefined, { trim: false }),
    columns,
  )

const aboutOf = (made: Made) =>
  withFile(xlsxFile, made, async (path) => {
    const sheets = await readSheets(await readFile(path))
    const about = sheets.find(({ sheet }) => sheet === 'About')
    return new Map(about?.data.map(([name, value]) => [String(name), value]))
  })

describe('XLSX', () => {
  it('holds numbers as numbers, null as nothing, and formulas as text', async () => {
    const rows = [textRow('=1+1', 3_000_000_000, 2, 1, null, 0, 5, null), textRow('007', 1, 1, 1, 1, 1, 1, 1)]
    expect(await rowsOf({ rows })).toEqual([
      headers,
      ['=1+1', 3_000_000_000, 2, 1, null, 0, 5, null],
      ['007', 1, 1, 1, 1, 1, 1, 1],
    ])
  })

  it('has no formula in it, a frozen header and a filter over the rows', async () => {
    const rows = [textRow('=HYPERLINK("x")', 1, 1, 1, 1, 1, 1, 1)]
    const sheet = await withFile(xlsxFile, { rows }, (path) => partOf(path, 'xl/worksheets/sheet1.xml'))
    expect(sheet).not.toMatch(/<f[ >]/)
    expect(sheet).toMatch(/<pane [^>]*ySplit="1"[^>]*state="frozen"/)
    expect(sheet).toContain('<autoFilter ref="A1:H2"')
  })

  it.each([
    { columns: 8, across: 1 },
    { columns: 40, across: 3 },
  ])(
    'is printed as wide as can be read: $columns columns across $across pages',
    async ({ columns, across }) => {
      const made = {
        headers: Array.from({ length: columns }, (_, place) => `Column ${10 + place}`),
        rows: [textRow('x', ...Array.from({ length: columns - 1 }, () => 1))],
      }
      // A column is as wide as its header, a filter's button and a gap: 13 characters, and a page has 220.
      const parts = (name: string) => withFile(xlsxFile, made, (path) => partOf(path, name))
      expect(await parts('xl/worksheets/sheet1.xml')).toMatch(/<pageSetup [^>]*orientation="landscape"/)
      expect(await parts('xl/worksheets/sheet1.xml')).toMatch(
        across === 1 ? /fitToWidth="1"|<pageSetup (?![^>]*fitToWidth)/ : new RegExp(`fitToWidth="${across}"`),
      )
      expect((await parts('xl/workbook.xml')).includes('$A:$A')).toBe(across > 1)
    },
  )

  it('holds rates as shares that are shown as percentages', async () => {
    const made = {
      headers: ['Browser', 'Bad', 'Bad Rate'],
      rows: [textRow('a', 1, '41.5'), textRow('b', 2, 50)],
    }
    expect((await rowsOf(made)).slice(1)).toEqual([
      ['a', 1, 0.415],
      ['b', 2, 0.5],
    ])
    expect(await withFile(xlsxFile, made, (path) => partOf(path, 'xl/styles.xml'))).toMatch(
      /numFmtId="10"|0\.00%/,
    )
  })

  it('holds every number to its last digit, as another library reads it', async () => {
    const numbers = fc.sample(
      fc.oneof(
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.double({ min: 0, max: 100, noNaN: true }),
        fc.maxSafeInteger(),
      ),
      { seed, numRuns: 1000 },
    )
    // A file has one nought.
    const plain = numbers.map((each) => (each === 0 ? 0 : each))
    const rows = plain.map((each, index) => textRow(String(index), each, each))
    const read = await rowsOf({ headers: ['Browser', 'Bad', 'Bad Rate'], rows })
    expect(read.slice(1)).toEqual(
      plain.map((each, index) => [String(index), each, each / 100 === 0 ? 0 : each / 100]),
    )
  })

  it('reads back as the table, whatever stands in it', async () => {
    await fc.assert(
      fc.asyncProperty(awkwardRows(headers.length - 1), async (rows) => {
        const expected = rows.map(({ label, cells }) => {
          const text = shorten(asWritten(label.kind === 'text' ? label.text : ''), maxCellOfSheet)
          const held = text.replace(/[\ufffe\uffff]/g, '\ufffd')
          return [held === '' ? null : held, ...cells]
        })
        // Below them a sheet says which texts were too long for its cells.
        const read = await rowsOf({ rows })
        expect(read.slice(0, rows.length + 1)).toEqual([headers, ...expected])
        const isCut = rows.some(
          ({ label }) => label.kind === 'text' && asWritten(label.text).length > maxCellOfSheet,
        )
        expect(read).toHaveLength(rows.length + 1 + (isCut ? 2 : 0))
      }),
      seeded(120),
    )
  }, 60_000)

  it('says on a sheet of its own what is to be known of the figures', async () => {
    const about = await aboutOf({
      rows: [textRow('a', 1)],
      headers: ['Browser', 'Requests'],
      all: { label: { kind: 'all', name: null }, cells: [12] },
      ratesBy: 'desk',
      provenance: {
        missing: [day('2026-11-14'), day('2026-11-15')],
        doubt: 'labels-repeat',
        restated: { days: 2, latest: Date.parse('2026-11-19T10:12:30Z') as Instant },
      },
    })
    expect(about.get('Account')).toBe('Kestrel Media')
    expect(about.get('Report')).toBe('Script by browser')
    expect(about.get('First day')).toEqual(new Date('2026-11-13'))
    expect(about.get('Last day')).toEqual(new Date('2026-11-19'))
    expect(about.get('Updated (UTC)')).toEqual(new Date('2026-11-20T09:14:00Z'))
    expect(about.get('Partial')).toBe('5 of 7 days. Missing: 2026-11-14, 2026-11-15')
    expect(about.get('Does not add up')).toBe('the service sent several rows with the same name')
    expect(about.get('Restated')).toBe('2 days, the last on 2026-11-19 10:12 (UTC)')
    expect(about.get('Rates')).toBe('Computed by Traffic Desk from the counts')
    expect(about.get('All: Requests')).toBe(12)
  })

  it('gives sheets names that the format takes, none twice', () => {
    const taken = new Set<string>(['about'])
    expect(sheetName('Operating systems', taken)).toBe('Operating systems')
    expect(sheetName('operating SYSTEMS', taken)).toBe('operating SYSTEMS (2)')
    expect(sheetName('a/b\\c[d]*e?:f', taken)).toBe('a b c d  e  f')
    expect(sheetName("'About'", taken)).toBe('About (2)')
    expect(sheetName('x'.repeat(40), taken)).toHaveLength(31)
    expect(sheetName('', taken)).toBe('Sheet')
    expect(sheetName(`${'y'.repeat(30)}'s`, taken)).toBe('y'.repeat(30))
    expect(sheetName(`${'z'.repeat(30)}😀`, taken)).toBe('z'.repeat(30))
    expect(sheetName('History', taken)).toBe('History (2)')
  })
})
