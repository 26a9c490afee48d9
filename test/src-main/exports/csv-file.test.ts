import { readFile } from 'node:fs/promises'
import fc from 'fast-check'
import Papa from 'papaparse'
import { describe, expect, it } from 'vitest'
import { csvFile } from '#main/exports/csv-file.ts'
import { spreadsheetSafe } from '#shared/values/delimited.ts'
import { asWritten, awkwardRows, seeded } from './awkward.ts'
import { withFile } from './files.ts'
import type { Made } from './helpers.ts'
import { headers, textRow } from './helpers.ts'

const written = (made: Made, columns?: readonly string[]) =>
  withFile(csvFile, made, (path) => readFile(path, 'utf8'), columns)

/** Read back by another library. */
function readBack(text: string): string[][] {
  const { data, errors } = Papa.parse<string[]>(text, { delimiter: ',', newline: '\r\n' })
  expect(errors).toEqual([])
  expect(data.pop()).toEqual([''])
  return data
}

describe('CSV', () => {
  it('is what a spreadsheet opens', async () => {
    const rows = [
      textRow('Chrome', 3_000_000_000, 2, 1, null, 0, 5, null),
      textRow('say "=1"', 1, 1, 1, 1, 1, 1, 1),
    ]
    expect(await written({ rows })).toBe(
      '\ufeff"Browser","Requests","Responses","Good","Warning","Bad","Mobile","Ad Blocker"\r\n' +
        '"Chrome",3000000000,2,1,,0,5,\r\n' +
        '"say ""=1""",1,1,1,1,1,1,1\r\n',
    )
  })

  it('has the headers alone where there are no rows', async () => {
    expect(readBack(await written({ rows: [] }))).toEqual([headers])
  })

  it('writes the columns asked for, in that order', async () => {
    const rows = [textRow('Chrome', 1, 2, 3, 4, 5, 6, 7)]
    expect(readBack(await written({ rows }, ['Browser', 'Bad', 'Gone', 'Good']))).toEqual([
      ['Browser', 'Bad', 'Good'],
      ['Chrome', '5', '3'],
    ])
  })

  it('keeps headers and cells that are text from being formulas', async () => {
    const made = { headers: ['Browser', '=A1', '+b'], rows: [textRow('a', '=1+1', '-5')] }
    expect(readBack(await written(made))).toEqual([
      ['Browser', "'=A1", "'+b"],
      ['a', "'=1+1", "'-5"],
    ])
  })

  it('writes rates in percent with a dot, whether they came as numbers or as text', async () => {
    const made = {
      headers: ['Browser', 'Bad', 'Bad Rate'],
      rows: [textRow('a', 1, '41.37'), textRow('b', 2, 0.0000001)],
    }
    expect(readBack(await written(made)).slice(1)).toEqual([
      ['a', '1', '41.37'],
      ['b', '2', '0.0000001'],
    ])
  })

  it('names an instance, or gives its id where it has no name', async () => {
    const label = (id: string, name: string) => ({
      label: { kind: 'instance', id, name } as never,
      cells: [1],
    })
    const made = { headers: ['Instance', 'Requests'], rows: [label('7', '=Shop'), label('8', '')] }
    expect(readBack(await written(made)).slice(1)).toEqual([
      ["'=Shop", '1'],
      ['8', '1'],
    ])
  })

  it('reads back as the table, whatever stands in it', async () => {
    await fc.assert(
      fc.asyncProperty(awkwardRows(headers.length - 1), async (rows) => {
        const expected = rows.map(({ label, cells }) => [
          asWritten(spreadsheetSafe(label.kind === 'text' ? label.text : '')),
          ...cells.map((value) => (value === null ? '' : String(value))),
        ])
        expect(readBack(await written({ rows }))).toEqual([headers, ...expected])
      }),
      seeded(200),
    )
  })
})
