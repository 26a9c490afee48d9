import { statSync } from 'node:fs'
import { expect, it } from 'vitest'
import { answered, cellsOf, openRowsDesk, rowsOf } from '../helpers.ts'

const rows = 1500
const cellOf = (row: number, column: number) => `${row} ${column} ${'long text '.repeat(30)}`

it('reads in and saves many columns of long texts, whose rows do not fit into memory at once', async () => {
  const desk = openRowsDesk()
  const columns = Array.from({ length: 151 }, (_, nth) => `C${nth}`)
  const lines = Array.from({ length: rows }, (_, row) => columns.map((_name, nth) => cellOf(row, nth)).join())
  const entry = await desk.importArchive([columns.join(), ...lines, ''].join('\n'))
  expect(entry.count).toBe(rows)
  expect(await cellsOf(desk, rowsOf([entry]), ['C7'])).toEqual(lines.map((_, row) => [cellOf(row, 7)]))
  for (const format of ['csv', 'parquet'] as const) {
    const written = await answered(
      desk.engine.call('write', { ...rowsOf([entry]), columns: [], format, csv: 'comma' }),
    )
    expect(written.rows).toBe(rows)
    expect(statSync(written.path).size).toBeGreaterThan(100_000)
  }
}, 180_000)
