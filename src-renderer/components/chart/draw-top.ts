import type { ChartDataset } from 'chart.js'
import { figuresAxis, namesAxis } from './drawing.ts'
import type { Drawing, Palette } from './drawing.ts'
import type { Top } from './top.ts'

/** What the drawing library is told of a table's first rows: bars from the left, the first row on top. */
export function drawTop({ sets, stacked }: Top, labels: readonly string[], palette: Palette): Drawing {
  const names = namesAxis(palette, stacked)
  return {
    type: 'bar',
    data: {
      labels: [...labels],
      datasets: sets.map(({ header, values, ink }): ChartDataset<'bar', (number | null)[]> => ({
        type: 'bar',
        label: header,
        data: [...values],
        ...(stacked && { stack: 'rows' }),
        backgroundColor: palette.colour(`--series-${ink}`),
        borderColor: palette.colour('--surface'),
        borderWidth: { right: 1 },
        borderSkipped: false,
        categoryPercentage: 0.8,
        barPercentage: 0.95,
        maxBarThickness: 28,
      })),
    },
    options: {
      indexAxis: 'y',
      scales: {
        x: figuresAxis(palette, 'count', stacked),
        y: { ...names, ticks: { ...names.ticks, autoSkip: false } },
      },
    },
  }
}
