import type { ChartConfiguration, PointStyle, ScaleOptionsByType } from 'chart.js'
import { shortCount, shortShare } from '../formats.ts'
import type { Shape } from './series.ts'

/** What the drawing library is told. */
export type Drawing = ChartConfiguration<'bar' | 'line', (number | null)[]>

/** Design tokens as they hold at this moment: `colour('--series-good')`. */
export type Palette = {
  readonly colour: (token: string) => string
  readonly font: { readonly family: string; readonly size: number }
}

export const pointStyles: Readonly<Record<Shape, PointStyle>> = {
  circle: 'circle',
  triangle: 'triangle',
  diamond: 'rectRot',
  square: 'rect',
  plus: 'cross',
  cross: 'crossRot',
  star: 'star',
  bar: 'line',
}

/** The axis of what is counted. */
export function figuresAxis(palette: Palette, unit: 'count' | 'share', stacked: boolean) {
  return {
    stacked,
    beginAtZero: true,
    ...(unit === 'share' && { suggestedMax: 1 }),
    border: { display: false },
    grid: { color: palette.colour('--chart-grid') },
    ticks: {
      color: palette.colour('--text-quiet'),
      font: palette.font,
      maxTicksLimit: 6,
      callback: (value: number | string) =>
        unit === 'share' ? shortShare(Number(value)) : shortCount(Number(value)),
    },
  } satisfies DeepPartial<ScaleOptionsByType<'linear'>>
}

/** The axis of days or rows. */
export function namesAxis(palette: Palette, stacked: boolean) {
  return {
    stacked,
    grid: { display: false },
    border: { color: palette.colour('--edge-control') },
    ticks: {
      color: palette.colour('--text-quiet'),
      font: palette.font,
      maxRotation: 0,
      autoSkipPadding: 12,
    },
  } satisfies DeepPartial<ScaleOptionsByType<'category'>>
}

type DeepPartial<T> = T extends (...given: never[]) => unknown
  ? T
  : T extends object
    ? { [K in keyof T]?: DeepPartial<T[K]> | undefined }
    : T
