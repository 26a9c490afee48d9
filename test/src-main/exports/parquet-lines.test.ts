import { rename } from 'node:fs/promises'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parquetLines } from '#main/exports/parquet-lines.ts'
import { readParquet } from '#test/helpers/parquet.ts'
import { day } from '#shared/values/day.ts'
import { engineForAll } from '../reports/engine/engine-thread.ts'
import { asWritten, awkwardRows, seeded } from './awkward.ts'
import { withFile } from './files.ts'
import type { Made } from './helpers.ts'
import { headers, textRow } from './helpers.ts'

let made: ReturnType<typeof engineForAll>
beforeAll(() => (made = engineForAll()))
afterAll(() => made.end())

const text = 'BYTE_ARRAY UTF8'
const count = 'INT64 INT_64'

/** What another library reads from the file. */
const written = (table: Made, columns?: readonly string[]) =>
  withFile(
    parquetLines,
    table,
    async (path, { parquet }) => {
      if (!parquet) throw new TypeError('No columns')
      await rename(await made.engine.call('parquet', { lines: path, ...parquet }), path)
      return await readParquet(path)
    },
    columns,
  )

describe('Parquet', () => {
  it('has names as texts, counts as integers, rates as fractions, and null where nothing is known', async () => {
    const { types, rows } = await written({
      headers: ['Campaign', 'Requests', 'Requests Rate', 'Bad', 'Bad Rate', 'Ad Blocker'],
      rows: [
        textRow('0042', Number.MAX_SAFE_INTEGER, 100, 1, '0.1', null),
        textRow('', 0, 100, -1, 1 / 3, null),
      ],
    })
    expect(types).toEqual({
      ...{ Campaign: text, Requests: count, 'Requests Rate': 'DOUBLE', Bad: count, 'Bad Rate': 'DOUBLE' },
      'Ad Blocker': count,
    })
    expect(rows).toEqual([
      {
        ...{ Campaign: '0042', Requests: BigInt(Number.MAX_SAFE_INTEGER), 'Requests Rate': 100 },
        ...{ Bad: 1n, 'Bad Rate': 0.1, 'Ad Blocker': null },
      },
      {
        ...{ Campaign: '', Requests: 0n, 'Requests Rate': 100 },
        ...{ Bad: -1n, 'Bad Rate': 1 / 3, 'Ad Blocker': null },
      },
    ])
  })

  it('gives only the columns another type whose cells need it', async () => {
    const { types, rows } = await written({
      headers: ['Browser', 'Requests', 'Bad', 'Score', 'Rules', 'Large'],
      rows: [
        textRow('Chrome', 3, 5, 1, 7, 2 ** 53),
        textRow('Opera', '--', '< 10', 0.5, '', 1),
        textRow('Safari', ' ', '--', null, '–', 2),
      ],
    })
    expect(types).toEqual({
      ...{ Browser: text, Requests: count, Bad: text, Score: 'DOUBLE', Rules: count, Large: 'DOUBLE' },
    })
    expect(rows).toEqual([
      { Browser: 'Chrome', Requests: 3n, Bad: '5', Score: 1, Rules: 7n, Large: 2 ** 53 },
      { Browser: 'Opera', Requests: null, Bad: '< 10', Score: 0.5, Rules: null, Large: 1 },
      { Browser: 'Safari', Requests: null, Bad: '--', Score: null, Rules: null, Large: 2 },
    ])
  })

  it('names each column, also where headers are alike, empty or strange', async () => {
    const odd = ['Host', 'host', '', '"; DROP', 'A\0B', 'A', 'A']
    const { rows } = await written({ headers: odd, rows: [textRow('x', 1, 2, 3, 4, 5, 6)] })
    expect(rows).toEqual([
      { Host: 'x', 'host (2)': 1n, 'Column 3': 2n, '"; DROP': 3n, 'A B': 4n, A: 5n, 'A (2)': 6n },
    ])
  })

  it('has the age of its figures and the row for all in its metadata, not among the rows', async () => {
    const all = { label: { kind: 'all', name: null }, cells: [12] } as const
    const { rows, metadata } = await written({
      headers: ['Browser', 'Requests'],
      rows: [textRow('Chrome', 11)],
      all,
      provenance: { missing: [day('2026-11-14')] },
    })
    expect(rows).toEqual([{ Browser: 'Chrome', Requests: 11n }])
    expect(JSON.parse(metadata['traffic_desk'] ?? '')).toMatchObject({
      ...{ account: 'Kestrel Media', report: 'Script by browser', start: '2026-11-13', end: '2026-11-19' },
      ...{ fetchedAt: '2026-11-20T09:14:00.000Z', missing: ['2026-11-14'], partial: true, found: null },
      all: { Browser: 'All', Requests: 12 },
    })
  })

  it('has the columns asked for, in that order, also without rows', async () => {
    const { types, rows } = await written({ rows: [] }, ['Bad', 'Browser'])
    expect(Object.entries(types)).toEqual([
      ['Bad', count],
      ['Browser', text],
    ])
    expect(rows).toEqual([])
  })

  it('reads back as the table, whatever stands in it', async () => {
    await fc.assert(
      fc.asyncProperty(awkwardRows(headers.length - 1), async (rows) => {
        const expected = rows.map(({ label, cells }) => [
          asWritten(label.kind === 'text' ? label.text : ''),
          ...cells.map((cell) => (typeof cell === 'number' ? BigInt(cell) : cell)),
        ])
        const read = await written({ rows })
        expect(read.rows.map((row) => headers.map((header) => row[header]))).toEqual(expected)
      }),
      seeded(100),
    )
  })

  it('reads numbers back to the last digit', async () => {
    const scores = fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), { minLength: 1 })
    await fc.assert(
      fc.asyncProperty(scores, async (values) => {
        const rows = values.map((value) => textRow('x', value))
        const read = await written({ headers: ['Browser', 'Score'], rows: [...rows, textRow('y', 0.5)] })
        expect(read.rows.slice(0, -1).map((row) => row['Score'])).toEqual(values.map((value) => value + 0))
      }),
      seeded(100),
    )
  })
})
