import {
  BarController,
  BarElement,
  CategoryScale,
  Chart,
  Filler,
  LineController,
  LineElement,
  LinearScale,
  PointElement,
} from 'chart.js'
import type { ChartConfiguration, PointStyle, ScaleOptionsByType } from 'chart.js'
import { share, shortCount, shortShare } from '../formats.ts'
import { marksHeight, marksPlugin } from './note-marks.ts'
import type { DayMark } from './note-marks.ts'
import type { Plot, PlotSet, Top } from './plot.ts'
import type { Palette, Shape } from './series.ts'

/** Configuration of the chart library. */
export type ChartDrawing = ChartConfiguration<'bar' | 'line', (number | null)[]>

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

/** Axis of counts or shares. */
export function figuresAxis(palette: Palette, unit: Plot['unit'], stacked: boolean) {
  return {
    stacked,
    beginAtZero: true,
    ...(unit !== 'count' && { suggestedMax: unit === 'share' ? 1 : 0.01 }),
    border: { display: false },
    // A rounding error above the whole would take the axis to 150 %.
    ...(unit === 'share' && {
      afterDataLimits: (axis: { max: number }) => {
        if (axis.max < 1 + 1e-6) axis.max = 1
      },
    }),
    grid: { color: palette.colour('--chart-grid') },
    ticks: {
      color: palette.colour('--text-quiet'),
      font: palette.font,
      maxTicksLimit: 6,
      callback: (value: number | string, _: number, ticks: { value: number }[]) => {
        if (unit === 'count') return shortCount(Number(value))
        const step = (ticks[1]?.value ?? 1) - (ticks[0]?.value ?? 0)
        return step < 0.01 ? share(Number(value)) : shortShare(Number(value))
      },
    },
  } satisfies DeepPartial<ScaleOptionsByType<'linear'>>
}

/** Bars behind lines use this share of the plot's height. */
const VOLUME_PART = 0.45

/** Axis of volume, on the right side. Labels end at the highest bar. */
function volumeAxis(palette: Palette, sets: readonly PlotSet[]) {
  const max = Math.max(1, ...sets.flatMap(({ mark, values }) => (mark === 'bar' ? values : [])).map(Number))
  const { ticks, ...axis } = figuresAxis(palette, 'count', false)
  return {
    ...axis,
    position: 'right',
    suggestedMax: max / VOLUME_PART,
    grid: { display: false },
    ticks: {
      ...ticks,
      callback: (value: number | string) =>
        Number(value) > max || Number(value) === 0 ? '' : shortCount(Number(value)),
    },
  } satisfies DeepPartial<ScaleOptionsByType<'linear'>>
}

/** Axis of days or rows. */
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

type Datasets = ChartDrawing['data']['datasets']

/** Above this number of days only some points are marked, because shapes would merge into a band. */
const MAX_POINTS = 31

/** Whether a day's point has no line on either side. */
const isAlone = (values: PlotSet['values'], day: number): boolean =>
  [day - 1, day + 1].every((index) => (values[index] ?? null) === null)

/** Whether a day's point is marked: at regular intervals, and if no line touches it. */
export const isMarked = (values: PlotSet['values'], day: number): boolean =>
  day % Math.ceil(values.length / MAX_POINTS) === 0 || isAlone(values, day)

/**
 * Configures a chart of daily figures: stacked bars, lines over them, or rates as lines over bars of volume. Compared
 * figures use the same mark in a paler colour.
 */
export function drawDays(
  plot: Plot,
  labels: readonly string[],
  palette: Palette,
  faint: readonly number[] = [],
): ChartDrawing {
  const { sets, unit, stacked } = plot
  const compares = sets.some(({ time, mark }) => time === 'before' && mark === 'bar')
  const rates = unit === 'rate'
  return {
    type: 'bar',
    data: {
      labels: [...labels],
      datasets: [
        ...sets.map((set): Datasets[number] => {
          const open = set.time === 'now' ? faint : []
          if (set.mark === 'line') return line(set, palette, open)
          return { ...bars(set, palette, open), ...(rates && behindLines(set, compares)) }
        }),
        ...bandOf(plot, palette),
      ],
    },
    options: {
      scales: {
        x: namesAxis(palette, stacked),
        y: figuresAxis(palette, unit, stacked),
        ...(rates && sets.some(({ mark }) => mark === 'bar') && { volume: volumeAxis(palette, sets) }),
      },
    },
  }
}

/** Bars of volume overlap. The compared bar is wider, and visible on both sides of the current one. */
const behindLines = ({ time }: PlotSet, compares: boolean) =>
  ({
    yAxisID: 'volume',
    grouped: false,
    order: time === 'now' ? 2 : 3,
    barPercentage: compares && time === 'now' ? 0.6 : 1,
  }) as const

/** Paler colour of compared figures. */
const ghostly = (colour: string, { colour: token }: Palette): string =>
  `color-mix(in srgb, ${colour} 50%, ${token('--surface')})`

const inkOf = ({ ink, time }: PlotSet, palette: Palette): string => {
  const full = palette.colour(`--series-${ink}`)
  return time === 'now' ? full : ghostly(full, palette)
}

function bars(set: PlotSet, palette: Palette, faint: readonly number[]): Datasets[number] {
  const { header, values, stack, time } = set
  const fill = inkOf(set, palette)
  return {
    type: 'bar',
    label: header,
    data: [...values],
    stack: stack ?? `${time} ${header}`,
    // The compared stack of a day comes first.
    order: time === 'now' ? 2 : 1,
    backgroundColor: ({ dataIndex }) => (faint.includes(dataIndex) ? faintly(fill) : fill),
    borderColor: palette.colour('--surface'),
    borderWidth: { top: 1 },
    borderSkipped: false,
    categoryPercentage: 0.86,
    barPercentage: 1,
    maxBarThickness: 56,
  }
}

/** Colour of figures that may still change. */
const faintly = (colour: string): string => `color-mix(in srgb, ${colour} 40%, transparent)`

/** Two lines of equal days without a stroke, with the area between them filled. A single limit is a line. */
function bandOf({ band }: Plot, palette: Palette): Datasets {
  if (!band) return []
  const edge = (label: string, values: readonly (number | null)[]): Datasets[number] => ({
    type: 'line',
    label,
    data: [...values],
    stack: label,
    order: 9,
    borderWidth: 0,
    pointRadius: 0,
    backgroundColor: palette.colour('--chart-band'),
  })
  const [only, ...others] = [band.high, band.low].filter((values) => values.some((value) => value !== null))
  if (only && others.length === 0)
    return [
      { ...edge('limit', only), fill: false, borderWidth: 2, borderColor: palette.colour('--text-quiet') },
    ]
  return [
    { ...edge('high', band.high), fill: '+1' },
    { ...edge('low', band.low), fill: false },
  ]
}

function line(set: PlotSet, palette: Palette, faint: readonly number[]): Datasets[number] {
  const { header, values, shape, time, stack } = set
  const before = time === 'before'
  const stroke = inkOf(set, palette)
  const radius = before ? 0 : 3.5
  return {
    type: 'line',
    label: header,
    data: [...values],
    // An unstacked line needs its own stack if others are stacked.
    stack: stack ?? `${time} ${header}`,
    order: before ? 0.5 : 0,
    borderColor: stroke,
    borderWidth: 2,
    segment: {
      // Dashed if the line leads to a day that may still change.
      borderDash: ({ p1DataIndex }) => (faint.includes(p1DataIndex) ? [2, 3] : undefined),
    },
    pointStyle: pointStyles[shape],
    pointBorderColor: stroke,
    pointBackgroundColor: ({ dataIndex }) =>
      faint.includes(dataIndex) ? palette.colour('--surface') : stroke,
    pointRadius: ({ dataIndex }) =>
      isMarked(values, dataIndex) ? (isAlone(values, dataIndex) ? 3.5 : radius) : 0,
    spanGaps: false,
    tension: 0,
  }
}

/** Configures a chart of a table's first rows: horizontal bars, the first row on top. */
export function drawTop({ sets, stacked }: Top, labels: readonly string[], palette: Palette): ChartDrawing {
  const names = namesAxis(palette, stacked)
  return {
    type: 'bar',
    data: {
      labels: [...labels],
      datasets: sets.map(({ header, values, ink }): Datasets[number] => ({
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

Chart.register(
  BarController,
  BarElement,
  CategoryScale,
  Filler,
  LineController,
  LineElement,
  LinearScale,
  PointElement,
)

/** Content of a chart: days from left to right, or rows from top to bottom, with short labels. */
export type Picture =
  | {
      readonly kind: 'days'
      readonly labels: readonly string[]
      readonly plot: Plot
      /** Indexes of days whose figures may still change; drawn faintly. */
      readonly faint: readonly number[]
      /** Marks of notes and events, drawn above the days. */
      readonly marks: readonly DayMark[]
    }
  | { readonly kind: 'rows'; readonly labels: readonly string[]; readonly top: Top }

/** A chart that follows the size of its canvas and the pixel density of the screen. */
export type ChartHandle = {
  /** Returns the day or row at a position of the canvas, in CSS pixels; null outside the plot area. */
  readonly indexAt: (x: number, y: number) => number | null
  /** Returns the centre of a day from the left, or of a row from the top, in CSS pixels. */
  readonly middleOf: (index: number) => number
  /** Vertical centre of the plot area, in CSS pixels from the top. */
  readonly middle: number
  readonly stop: () => void
}

/** Colours and font that apply to the canvas. */
function paletteOf(canvas: HTMLCanvasElement): Palette {
  const style = getComputedStyle(canvas)
  return {
    colour: (token) => style.getPropertyValue(token).trim(),
    font: { family: style.fontFamily, size: Number.parseFloat(style.fontSize) || 12 },
  }
}

/**
 * Draws a chart without animation, so that refreshed figures do not move.
 * @param density device pixels per CSS pixel of a picture of fixed size; without it the chart follows the window
 */
export function draw(canvas: HTMLCanvasElement, picture: Picture, density?: number): ChartHandle {
  const palette = paletteOf(canvas)
  const drawing: ChartDrawing =
    picture.kind === 'days'
      ? drawDays(picture.plot, picture.labels, palette, picture.faint)
      : drawTop(picture.top, picture.labels, palette)
  const marks = picture.kind === 'days' ? picture.marks : []
  const chart = new Chart(canvas, {
    ...drawing,
    ...(marks.length > 0 && { plugins: [marksPlugin(marks, palette)] }),
    options: {
      ...drawing.options,
      ...(marks.length > 0 && { layout: { padding: { top: marksHeight(marks, palette) } } }),
      animation: false,
      maintainAspectRatio: false,
      events: [],
      ...(density !== undefined && { responsive: false, devicePixelRatio: density }),
    },
  })
  const scale = () => chart.scales[picture.kind === 'days' ? 'x' : 'y']
  return {
    indexAt: (x, y) => {
      const { left, right, top, bottom } = chart.chartArea
      if (x < left || x > right || y < top || y > bottom) return null
      const index = scale()?.getValueForPixel(picture.kind === 'days' ? x : y)
      return index === undefined || index < 0 || index >= picture.labels.length ? null : index
    },
    middleOf: (index) => scale()?.getPixelForValue(index) ?? 0,
    get middle() {
      return (chart.chartArea.top + chart.chartArea.bottom) / 2
    },
    stop: () => chart.destroy(),
  }
}
