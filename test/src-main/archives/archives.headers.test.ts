import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { Statement } from '#main/analytics/statement.ts'
import { nameColumns } from '#main/archives/csv/columns.ts'
import { Relation } from '#main/archives/engine/relation.ts'
import type { RowsEntry } from '#main/analytics/rows-layout.ts'
import { checkAsyncProperty } from '#test/helpers/properties.ts'
import { filesInZip } from '#test/helpers/files-in-zip.ts'
import { account, dropped, newFolder, openRows, theFile } from './open-rows.ts'

/** Names of the engine's own columns, of ours, of folders that a profile may lie in, and what looks like any of them in a file. */
const ownNames = [
  ...['file_row_number', 'filename', 'file_index', 'rowid', 'rest_of_row', 'account', 'label', 'label_id'],
  ...['f', 'r', 'k0', 'k1', 'k0_utc', 'c0', 'c1', 'c0_z', 'x0', 'x1', 'x_account', 'rest', 'line', 'why'],
  ...['text', 'day', 'kind', 'folded', 'name', 'timestamp', 'x_timestamp_utc', 'time_offset', '1', '_', '*'],
  ...['__proto__', 'constructor', '$p0', '"', "'", ' ', '', '(', '{}'],
]
let instance: DuckDBInstance
let words: readonly string[]
beforeAll(async () => {
  instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  const found = await connection.runAndReadAll('SELECT keyword_name FROM duckdb_keywords()')
  words = [...found.getRows().map(([word]) => String(word)), ...ownNames]
})

/** As a service may write it: `File Row Number`, `FILE ROW NUMBER`, `file_row_number`. */
const spelling = fc.constantFrom<((name: string) => string)[]>(
  (name) => name,
  (name) => name.toUpperCase(),
  (name) => name.replaceAll('_', ' '),
  (name) => name.replaceAll(/(?<=^|_)[a-z]/g, (letter) => letter.toUpperCase()).replaceAll('_', ' '),
)
const header = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.tuple(fc.nat(), spelling).map(([nth, spell]) => spell(words[nth % words.length] ?? '')),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 20 }) },
)

const quotedCell = (cell: string) => `"${cell.replaceAll('"', '""')}"`
const tableOf = (rows: readonly (readonly string[])[]) =>
  rows.map((row) => `${row.map(quotedCell).join(',')}\n`).join('')

/** The cells of a CSV file, whichever way its lines end. */
const cellsIn = (csv: string): string[][] =>
  [...csv.replace(/^\uFEFF/, '').matchAll(/((?:"(?:[^"]|"")*"|[^",\r\n]*)(?:,|\r?\n|$))/g)].reduce<
    string[][]
  >(
    (rows, [found]) => {
      if (found === '') return rows
      const cell = found.replace(/(?:,|\r?\n)$/, '')
      rows.at(-1)?.push(cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell)
      if (!found.endsWith(',')) rows.push([])
      return rows
    },
    [[]],
  )

/** Cells that begin with a later letter in an earlier row: in the order of any column they would stand the other way round. */
const rowsBelow = (headers: readonly string[]) =>
  ['zz', 'yy', 'xx'].map((row) => headers.map((_, nth) => `${row}${nth}`))

async function readBack(headers: readonly string[]) {
  // Folders whose names say that they are columns.
  const folder = join(newFolder(), 'c0=zz', 'label=zz', 'k0=zz', 'x_account=zz', 'line=7')
  mkdirSync(folder, { recursive: true })
  const path = join(folder, 'table.csv')
  writeFileSync(path, tableOf([headers, ...rowsBelow(headers)]))
  const { rows, exported } = openRows(folder)
  await dropped(rows, path)
  const { id, state } = await theFile(rows)
  const query = { account: account.id, files: [id], conditions: [], sort: [] }
  const page = await rows.queries.handlers['rows/page']({ query, offset: 0, limit: 10, columns: [] })
  const names = state.kind === 'whole' ? state.facts.columns.map(({ name }) => name) : []
  const save = async (format: 'csv' | 'json' | 'parquet' | 'xlsx') => {
    await rows.export({ query, columns: [], format })
    const out = join(folder, `out.${format}`)
    writeFileSync(out, '')
    await exported.at(-1)?.write(out, new AbortController().signal, () => undefined)
    return out
  }
  const json: unknown = JSON.parse(readFileSync(await save('json'), 'utf8'))
  const connection = await instance.connect()
  const parquet = await connection.runAndReadAll(
    'SELECT * FROM read_parquet($path, hive_partitioning = false)',
    {
      path: await save('parquet'),
    },
  )
  const sheet = (await filesInZip(await save('xlsx'))).get('xl/worksheets/sheet1.xml')?.toString() ?? ''
  return {
    names,
    page: page.rows.map(({ cells }) => cells),
    csv: cellsIn(readFileSync(await save('csv'), 'utf8')).slice(1, 4),
    json: (json as Record<string, string>[]).map((row) =>
      names.map((name) => row[name.replaceAll('\0', ' ')]),
    ),
    parquet: parquet.getRows(),
    sheet: ['zz', 'yy', 'xx'].map((row) =>
      [...sheet.matchAll(new RegExp(`>(${row}\\d+)<`, 'g'))].map(([, cell]) => cell),
    ),
  }
}

describe('whatever a header says', () => {
  const same = async (headers: readonly string[]) => {
    const rows = rowsBelow(headers)
    const { names, ...read } = await readBack(headers)
    expect(names).toHaveLength(headers.length)
    expect(read).toEqual({ page: rows, csv: rows, json: rows, parquet: rows, sheet: rows })
  }

  it('its cells come out one by one, on the page and in every file', async () => {
    const property = fc.asyncProperty(fc.array(header, { minLength: 2, maxLength: 12 }), same)
    await checkAsyncProperty('headers of raw rows', property, 200)
  }, 120_000)

  it('is the case of every word of the engine and of ours, all in one table', async () => {
    for (let at = 0; at < words.length; at += 300) await same(words.slice(at, at + 300))
  }, 60_000)
})

it('is stored under a name that no word and no column of anybody has', () => {
  for (const { stored } of nameColumns(words)) expect(stored).toMatch(/^x_[a-z0-9_]*$/)
})

it('opens rows that an earlier version stored under the name of a column of the engine', async () => {
  const path = join(newFolder(), 'rows.parquet')
  const connection = await instance.connect()
  await connection.run(
    `COPY (SELECT 'b' || range AS file_row_number, 'a' || range AS account, NULL::TIMESTAMP AS seen_utc,
      NULL::VARCHAR AS seen_offset, 't' || range AS seen_text FROM range(3)) TO '${path}' (FORMAT parquet)`,
  )
  const columns: RowsEntry['columns'] = [
    { name: 'File Row Number', kind: 'text', standard: null, stored: 'file_row_number' },
    { name: 'Account', kind: 'text', standard: null, stored: 'account' },
    { name: 'Seen', kind: 'time', standard: null, stored: 'seen' },
  ]
  const { bound, bind } = new Statement()
  const file = { columns } as RowsEntry
  const relation = new Relation([file], () => path, bind)
  const cells = columns.map(({ name }) => relation.slot(name).text)
  const found = await connection.runAndReadAll(
    `SELECT ${cells.join(', ')}, r FROM ${relation.from()} ORDER BY r`,
    bound,
  )
  expect(found.getRows()).toEqual([0, 1, 2].map((nth) => [`b${nth}`, `a${nth}`, `t${nth}`, BigInt(nth)]))
})
