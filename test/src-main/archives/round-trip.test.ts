import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import fc from 'fast-check'
import Papa from 'papaparse'
import { readSheet } from 'read-excel-file/node'
import { expect, it } from 'vitest'
import { spreadsheetSafe } from '#shared/values/delimited.ts'
import type { CsvForm } from '#shared/values/delimited.ts'
import type { RowsFormat } from '#shared/archives/rows.ts'
import type { RowsEntry } from '#main/analytics/rows-layout.ts'
import { checkAsyncProperty } from '#test/helpers/properties.ts'
import { answered, cellsOf, openRowsDesk, rowsOf } from './helpers.ts'
import type { RowsDesk } from './helpers.ts'

const controls = Array.from({ length: 32 }, (_, code) => String.fromCharCode(code)).concat('\u007f')
const pieces = [
  ...controls,
  ...[
    '"',
    '""',
    "'",
    ',',
    ';',
    '|',
    '\t',
    '\r\n',
    '\n',
    ' ',
    '=',
    '+',
    '-',
    '@',
    '=1+1',
    '; +https://a.example',
  ],
  ...[
    'a',
    'é',
    'e\u0301',
    'ß',
    'Łódź',
    '中文',
    '😀',
    '\\',
    '\\"',
    '#',
    'Total',
    '1e5',
    '007',
    '%41',
    '_x000D_',
  ],
]
const text = fc.oneof(
  fc.array(fc.constantFrom(...pieces), { maxLength: 5 }).map((all) => all.join('')),
  fc.constantFrom('', '1e5', '007', '00000', '9007199254740993', '=SUM(A1)', "'=1", '-5', '1,5', '0.90'),
)
const cost = fc.integer({ min: 0, max: 99_999 }).map((cents) => (cents / 100).toFixed(2))
/** Its first row says that a column is of texts, whatever stands below. */
const table = fc
  .array(fc.tuple(text, text, cost), { minLength: 4, maxLength: 12 })
  .map((rows): (readonly string[])[] => [['a', 'a1', '0.90'], ...rows])

const headers = ['Row', 'Source, "A"', 'Id', 'Cost']

/** The file that rows are saved as. */
async function saved(desk: RowsDesk, entry: RowsEntry, format: RowsFormat, csv?: CsvForm): Promise<Buffer> {
  const params = { ...rowsOf([entry]), columns: [], format, csv }
  const { path } = await answered(desk.engine.call('write', params))
  const bytes = readFileSync(path)
  rmSync(path)
  return bytes
}

const duckdb = DuckDBInstance.create(':memory:', { threads: '1' }).then((instance) => instance.connect())

/** As another library and the engine's own sniffer read a CSV. */
async function readByOthers(
  desk: RowsDesk,
  bytes: Buffer,
): Promise<readonly (readonly (readonly string[])[])[]> {
  const { data } = Papa.parse<string[]>(bytes.toString().replace('\uFEFF', '').trimEnd(), { newline: '\r\n' })
  const path = join(desk.folder, 'other.csv')
  writeFileSync(path, bytes)
  const reader = await (await duckdb).runAndReadAll(`SELECT * FROM read_csv('${path}', all_varchar = true)`)
  const rows = reader.getRows().map((cells) => cells.map((cell) => (typeof cell === 'string' ? cell : '')))
  return [data, [reader.columnNames(), ...rows]]
}

it('gives saved rows back as they were, to our own import and to other readers', async () => {
  const desk = openRowsDesk()
  await checkAsyncProperty(
    'rows saved and read',
    fc.asyncProperty(table, async (made) => {
      const source = [headers, ...made.map((cells, nth) => [`row ${nth}`, ...cells])]
      const entry = await desk.importArchive(Papa.unparse(source, { quotes: true }))
      const cells = (await cellsOf(desk, rowsOf([entry]))).map((row) => row.map((cell) => cell ?? ''))
      expect(cells).toHaveLength(made.length)
      for (const csv of ['comma', 'semicolon'] as const) {
        const bytes = await saved(desk, entry, 'csv', csv)
        const safe = cells.map((row) =>
          row.map((cell, nth) =>
            nth === 3 && csv === 'semicolon' ? cell.replace('.', ',') : spreadsheetSafe(cell),
          ),
        )
        const again = await desk.importArchive(bytes)
        expect(again.columns.map(({ name }) => name)).toEqual(headers)
        // Our own import takes away what guards formulas.
        const local = (row: readonly string[]) =>
          row.map((cell, nth) => (nth === 3 && csv === 'semicolon' ? cell.replace('.', ',') : cell))
        expect(await cellsOf(desk, rowsOf([again]))).toEqual(cells.map(local))
        expect(again.readAs?.[0]?.guarded).toBe(true)
        expect(again.columns[3]).toMatchObject({
          kind: 'number',
          form: csv === 'comma' ? 'decimal-point' : 'decimal-comma',
        })
        for (const read of await readByOthers(desk, bytes)) expect(read).toEqual([headers, ...safe])
      }
      const sheet = await readSheet(await saved(desk, entry, 'xlsx'), undefined, { trim: false })
      expect(sheet).toEqual([
        headers,
        ...cells.map((row) => row.map((cell, nth) => (nth === 3 ? Number(cell) : cell === '' ? null : cell))),
      ])
    }),
    100,
  )
}, 120_000)

it.each([3, 520])('gives negative numbers and headers like formulas back: %d columns', async (width) => {
  const desk = openRowsDesk()
  const names = ['=Row', '-5% off', 'Change', ...Array.from({ length: width - 3 }, (_, nth) => `@${nth}`)]
  const rows = ['-5', '12', '-0.5'].map((change, nth) => [
    `+row ${nth}`,
    `a; =${nth}`,
    change,
    ...names.slice(3).map(() => '-x'),
  ])
  const entry = await desk.importArchive(Papa.unparse([names, ...rows]))
  const again = await desk.importArchive(await saved(desk, entry, 'csv'))
  expect(again.columns.map(({ name, kind }) => [name, kind])).toEqual(
    entry.columns.map(({ name, kind }) => [name, kind]),
  )
  expect(again.columns[2]).toMatchObject({ kind: 'number' })
  expect(await cellsOf(desk, rowsOf([again]))).toEqual(rows)
  expect(again.readAs?.[0]?.guarded).toBe(true)
})

it('leaves the apostrophes of files that are not our own', async () => {
  const desk = openRowsDesk()
  for (const table of ["A,B\r\n'-5,x\r\n", '"A","B"\r\n"\'-5","x"\r\n', "\uFEFFA,B\r\n'-5,x\r\n"]) {
    const entry = await desk.importArchive(table)
    expect(await cellsOf(desk, rowsOf([entry]))).toEqual([["'-5", 'x']])
    expect(entry.readAs?.[0]).not.toHaveProperty('guarded')
  }
})
