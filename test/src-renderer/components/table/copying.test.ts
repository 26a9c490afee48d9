import { expect, it } from 'vitest'
import { daysToCopy } from '#renderer/components/chart/tips.ts'
import type { Series } from '#renderer/components/chart/series.ts'
import type { Column } from '#renderer/components/table/columns.ts'
import { copyOf } from '#renderer/components/table/copying.ts'
import { rowsAtHand } from '#renderer/components/table/row-pool.ts'
import { ALL_ROW, HEADER_ROW, onlyCell } from '#renderer/components/table/selection.ts'
import type { CellSelection } from '#renderer/components/table/selection.ts'
import type { TableRow } from '#shared/api/answers.ts'
import { day } from '#shared/values/day.ts'
import { cellsThatRun, hostileCells } from '#test/helpers/hostile-cells.ts'

const rows = hostileCells.map((text): TableRow => ({ label: { kind: 'text', text }, cells: [1, text] }))
const columns: Column[] = [
  { kind: 'count', key: '=Requests', header: '=Requests', place: 0 },
  { kind: 'label', key: '@Browser', header: '@Browser' },
  { kind: 'text', key: ';=Text', header: ';=Text', place: 1 },
]
const copied = (selection: CellSelection) =>
  copyOf(selection, {
    drawing: { columns, changes: () => () => undefined },
    rows: rowsAtHand(rows),
    all: rows[0] ?? null,
  }).text

it('copies rows in which nothing runs, behind figures too', () => {
  const text = copied({ from: { row: HEADER_ROW, column: 0 }, to: { row: rows.length - 1, column: 2 } })
  expect(text.match(/HYPERLINK/g)?.length).toBeGreaterThan(400)
  expect(cellsThatRun(text)).toEqual([])
})

it('copies one cell, or one header, in which nothing runs', () => {
  for (const [row] of rows.entries()) expect(cellsThatRun(copied(onlyCell({ row, column: 1 })))).toEqual([])
  expect(copied(onlyCell({ row: ALL_ROW, column: 0 }))).toBe('1')
  expect(copied(onlyCell({ row: HEADER_ROW, column: 0 }))).toBe("'=Requests")
})

it('copies the days of a chart in which nothing runs', () => {
  const series = hostileCells.map((header): Series => ({
    header,
    unit: 'count',
    ink: 'good',
    shape: 'circle',
    values: [1],
    before: [2],
    part: true,
  }))
  const text = daysToCopy(series, { start: day('2026-11-13'), end: day('2026-11-13') })
  expect(text).toContain('HYPERLINK')
  expect(cellsThatRun(text)).toEqual([])
})
