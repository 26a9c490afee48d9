import type { Workbook } from '@cj-tech-master/excelts'

/** Chart of a sheet's first rows: bars, and a line on an axis of its own. Categories are in the first column. */
export type SheetChart = {
  readonly title: string
  /** Index of the column of the bars. */
  readonly bars: number
  /** Index of the column of the line; null without a line. */
  readonly line: number | null
  /** Whether the rows are days. Others are dots on a hairline, because nothing lies between two of them. */
  readonly isByDay: boolean
  /** Maximum number of rows in the chart. */
  readonly rows: number
}

/** A chart, and the place of its rows in the workbook. */
export type PlacedChart = SheetChart & {
  readonly sheet: string
  /** Row of the headers, from 1. */
  readonly header: number
  /** Row of the last value. */
  readonly last: number
}

type HeldSheet = ReturnType<Workbook['addWorksheet']>

/** Columns and rows of cells that a chart takes on its sheet, with the gap to the next. */
const room = { columns: 10, rows: 20, gap: 1 } as const
const formats = { bars: '#,##0', line: '0.0%' } as const
const ink = { bars: 'C9CED6', line: 'B3261E' } as const

/** Quotes a sheet's name for a reference. */
export const quoted = (name: string): string => `'${name.replaceAll("'", "''")}'`

/** Name of a column by its index: A, B, …, AA. */
function columnName(index: number): string {
  const letter = String.fromCharCode(65 + (index % 26))
  return index < 26 ? letter : columnName(Math.floor(index / 26) - 1) + letter
}

/** Draws charts on a sheet, two beside each other. */
export function drawCharts(sheet: HeldSheet, charts: readonly PlacedChart[]): void {
  for (const [place, chart] of charts.entries()) {
    const col = (place % 2) * (room.columns + room.gap)
    // The first row has the sheet's header.
    const row = 2 + Math.floor(place / 2) * (room.rows + room.gap)
    drawChart(sheet, chart, { tl: { col, row }, br: { col: col + room.columns, row: row + room.rows } })
  }
}

function drawChart(sheet: HeldSheet, chart: PlacedChart, range: Parameters<HeldSheet['addChart']>[1]): void {
  const { title, bars, line, isByDay } = chart
  const volume = { ...seriesIn(chart, bars), fill: ink.bars }
  const legend = { title, showLegend: line !== null, legendPosition: 'b' } as const
  const columns = { type: 'bar', barDir: 'col', valueAxis: { numFmt: formats.bars } } as const
  if (line === null) {
    sheet.addChart({ ...columns, series: [volume], ...legend }, range)
    return
  }
  const rate = {
    ...seriesIn(chart, line),
    // Spreadsheets would draw a curve, which shows rates that no day had.
    smooth: false,
    ...(isByDay
      ? { line: ink.line, lineWidth: 2, marker: { symbol: 'none' as const } }
      : {
          ...{ line: ink.line, lineWidth: 0.25 },
          marker: { symbol: 'circle' as const, size: 7, fill: ink.line, border: ink.line },
        }),
  }
  const groups = [
    { ...columns, series: [volume] },
    {
      type: 'line' as const,
      ...{ series: [rate], useSecondaryAxis: true, valueAxis: { numFmt: formats.line, min: 0 } },
    },
  ]
  sheet.addComboChart({ groups, ...legend }, range)
}

/** References to a column's header, categories and values. */
function seriesIn({ sheet, header, last }: PlacedChart, column: number) {
  const cells = (index: number) =>
    `${quoted(sheet)}!$${columnName(index)}$${header + 1}:$${columnName(index)}$${last}`
  return {
    name: { formula: `${quoted(sheet)}!$${columnName(column)}$${header}` },
    categories: cells(0),
    values: cells(column),
  }
}
