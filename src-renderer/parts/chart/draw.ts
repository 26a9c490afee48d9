import {
  BarController,
  BarElement,
  CategoryScale,
  Chart,
  LineController,
  LineElement,
  LinearScale,
  PointElement,
  Tooltip,
} from 'chart.js'
import type { ChartDataset, PointStyle } from 'chart.js'
import type { Day } from '../../../src-shared/values/day.ts'
import { count, dayBriefly, dayInFull, share, shareOf, shortCount } from '../formats.ts'
import type { Ink, Series } from './series.ts'

Chart.register(
  BarController,
  BarElement,
  CategoryScale,
  LineController,
  LineElement,
  LinearScale,
  PointElement,
  Tooltip,
)

type Drawn = { readonly stop: () => void }
type Bars = ChartDataset<'bar' | 'line', (number | null)[]>

/** Draws the daily figures: the parts of requests stacked, the others as dashed lines over them. */
export function draw(canvas: HTMLCanvasElement, days: readonly Day[], series: readonly Series[]): Drawn {
  const style = getComputedStyle(canvas)
  const colour = (token: string) => style.getPropertyValue(token).trim()
  const wholes = days.map((_, day) =>
    series.reduce((sum, each) => sum + (each.part ? (each.values[day] ?? 0) : 0), 0),
  )
  Chart.defaults.font.family = style.fontFamily
  const chart = new Chart<'bar' | 'line', (number | null)[]>(canvas, {
    type: 'bar',
    data: {
      labels: days.map(dayBriefly),
      datasets: series.map((each): Bars => datasetOf(each, colour)),
    },
    options: {
      animation: false,
      maintainAspectRatio: false,
      interaction: { mode: 'index', intersect: false },
      color: colour('--text-quiet'),
      scales: {
        x: {
          stacked: true,
          grid: { display: false },
          border: { color: colour('--edge-control') },
          ticks: { color: colour('--text-quiet'), maxRotation: 0, autoSkipPadding: 12 },
        },
        y: {
          stacked: true,
          beginAtZero: true,
          border: { display: false },
          grid: { color: colour('--chart-grid') },
          ticks: {
            color: colour('--text-quiet'),
            maxTicksLimit: 5,
            callback: (value) => shortCount(Number(value)),
          },
        },
      },
      plugins: {
        tooltip: {
          backgroundColor: colour('--text'),
          titleColor: colour('--surface'),
          bodyColor: colour('--surface'),
          padding: 10,
          callbacks: {
            title: ([item]) => {
              const day = item && days[item.dataIndex]
              return day ? dayInFull(day) : ''
            },
            label: ({ dataset, dataIndex }) => {
              const each = series.find(({ header }) => header === dataset.label)
              const value = each?.values[dataIndex] ?? null
              const part = each?.part ? shareOf(value, wholes[dataIndex]) : null
              return ` ${dataset.label}: ${count(value)}${part === null ? '' : ` (${share(part)})`}`
            },
          },
        },
      },
    },
  })
  return { stop: () => chart.destroy() }
}

/** Lines are told apart by their stroke too, not by colour alone. */
const strokes: Partial<Record<Ink, { dash: number[]; point: PointStyle }>> = {
  'other-1': { dash: [6, 3], point: 'circle' },
  'other-2': { dash: [2, 3], point: 'rect' },
  'other-3': { dash: [10, 3, 2, 3], point: 'triangle' },
}

function datasetOf({ header, values, part, ink: name }: Series, colour: (token: string) => string): Bars {
  const ink = colour(`--series-${name}`)
  const common = { label: header, data: [...values] }
  return part
    ? {
        ...common,
        type: 'bar',
        stack: 'parts',
        backgroundColor: ink,
        borderColor: colour('--surface'),
        borderWidth: { top: 1 },
        borderSkipped: false,
        categoryPercentage: 0.86,
        barPercentage: 1,
        maxBarThickness: 56,
      }
    : {
        ...common,
        type: 'line',
        order: -1,
        stack: header,
        borderColor: ink,
        backgroundColor: ink,
        borderWidth: 2,
        borderDash: strokes[name]?.dash ?? [],
        pointStyle: strokes[name]?.point ?? 'circle',
        pointRadius: 4,
        tension: 0,
      }
}
