import {
  BarController,
  BarElement,
  CategoryScale,
  Chart,
  LineController,
  LineElement,
  LinearScale,
  PointElement,
} from 'chart.js'
import type { ChartConfiguration, PointStyle, ScaleOptionsByType } from 'chart.js'
import { shortCount, shortShare } from '../formats.ts'
import { wholesOf } from './plot.ts'
import type { Plot, PlotSet, Top } from './plot.ts'
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

type Datasets = Drawing['data']['datasets']

/** Lines of more days than this mark only some of their points, else shapes melt into a band. */
const MAX_POINTS = 31

/** Whether a day's point is marked: every so many days, and where no line leads to it from either side. */
export function isMarked(values: PlotSet['values'], day: number): boolean {
  const every = Math.ceil(values.length / MAX_POINTS)
  const known = (index: number) => (values[index] ?? null) !== null
  return day % every === 0 || (!known(day - 1) && !known(day + 1))
}

/**
 * What the drawing library is told of daily figures: stacked bars, lines over them, dashed lines of the days before. Of what
 * was stacked before it is the sum alone: more lines over bars cannot be told from their edges.
 */
export function drawDays(
  plot: Plot,
  labels: readonly string[],
  palette: Palette,
  faint: readonly number[] = [],
): Drawing {
  const sums = plot.stacked && plot.unit === 'count'
  const stoodBefore = plot.sets.filter(({ time, stack }) => sums && time === 'before' && stack !== null)
  const single = plot.sets.filter((set) => !stoodBefore.includes(set))
  return {
    type: 'bar',
    data: {
      labels: [...labels],
      datasets: [
        ...single.flatMap((set): Datasets => {
          if (set.mark === 'bar') return [bars(set, palette, faint)]
          const overBars = plot.stacked && set.time === 'before'
          return overBars ? [halo(set, palette), line(set, palette)] : [line(set, palette, faint)]
        }),
        ...sumBefore(stoodBefore, labels.length, palette),
      ],
    },
    options: {
      scales: {
        x: namesAxis(palette, plot.stacked),
        y: figuresAxis(palette, plot.unit, plot.stacked),
      },
    },
  }
}

/** The sum of what stood on each other before, in the colour of words: it belongs to no measure. */
function sumBefore(sets: readonly PlotSet[], days: number, palette: Palette): Datasets {
  const [first] = sets
  if (!first) return []
  const values = wholesOf(
    sets.map((set) => set.values),
    days,
  )
  const sum: PlotSet = { ...first, header: 'before', stack: null, values }
  const drawn = line(sum, palette)
  const ink = palette.colour('--text')
  return [halo(sum, palette), { ...drawn, borderColor: ink, pointBorderColor: ink, pointRadius: 0 }]
}

function bars(
  { header, values, ink, stack }: PlotSet,
  { colour }: Palette,
  faint: readonly number[],
): Datasets[number] {
  const fill = colour(`--series-${ink}`)
  return {
    type: 'bar',
    label: header,
    data: [...values],
    stack: stack ?? header,
    order: 1,
    backgroundColor: ({ dataIndex }) => (faint.includes(dataIndex) ? faintly(fill) : fill),
    borderColor: colour('--surface'),
    borderWidth: { top: 1 },
    borderSkipped: false,
    categoryPercentage: 0.86,
    barPercentage: 1,
    maxBarThickness: 56,
  }
}

/** A colour as it is drawn where figures are not yet what they will be. */
const faintly = (colour: string): string => `color-mix(in srgb, ${colour} 40%, transparent)`

function line(set: PlotSet, { colour }: Palette, faint: readonly number[] = []): Datasets[number] {
  const { header, values, ink, shape, time, stack } = set
  const before = time === 'before'
  const stroke = colour(`--series-${ink}`)
  return {
    type: 'line',
    label: header,
    data: [...values],
    // A line that stands on nothing needs a stack of its own where others are stacked.
    stack: stack ?? `${time} ${header}`,
    order: 0,
    borderColor: stroke,
    backgroundColor: before ? colour('--surface') : stroke,
    borderWidth: before ? 1.5 : 2,
    borderDash: before ? [5, 4] : [],
    ...(!before && {
      segment: {
        // Where both ends are as they will be the line is the usual one.
        borderDash: ({ p1DataIndex }) => (faint.includes(p1DataIndex) ? [2, 3] : undefined),
      },
    }),
    pointStyle: pointStyles[shape],
    pointBorderColor: stroke,
    pointRadius: ({ dataIndex }) => (isMarked(values, dataIndex) ? (before ? 2.5 : 4) : 0),
    spanGaps: false,
    tension: 0,
  }
}

/** A dashed line is seen on a bar of its own colour because of what lies under it. */
function halo({ header, values, stack }: PlotSet, { colour }: Palette): Datasets[number] {
  return {
    type: 'line',
    label: header,
    data: [...values],
    stack: `under ${stack ?? header}`,
    order: 0.5,
    borderColor: colour('--surface'),
    borderWidth: 3.5,
    pointRadius: 0,
    spanGaps: false,
    tension: 0,
  }
}

/** What the drawing library is told of a table's first rows: bars from the left, the first row on top. */
export function drawTop({ sets, stacked }: Top, labels: readonly string[], palette: Palette): Drawing {
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
  LineController,
  LineElement,
  LinearScale,
  PointElement,
)

/** What is to be drawn: days from left to right, or rows from top to bottom. `labels` name them in brief. */
export type Picture =
  | {
      readonly kind: 'days'
      readonly labels: readonly string[]
      readonly plot: Plot
      /** The places of days that are not yet what they will be: they are drawn faintly. */
      readonly faint: readonly number[]
    }
  | { readonly kind: 'rows'; readonly labels: readonly string[]; readonly top: Top }

/** A chart on its canvas. It follows the canvas's size and the screen's density by itself. */
export type Drawn = {
  /** Which day or row lies at a place of the canvas, in CSS pixels; null outside the figures. */
  readonly indexAt: (x: number, y: number) => number | null
  /** Where the middle of a day lies from the left, or of a row from the top, in CSS pixels. */
  readonly middleOf: (index: number) => number
  /** Half the height at which figures are drawn, in CSS pixels from the top. */
  readonly middle: number
  readonly stop: () => void
}

/** The colours of the theme, and the letters, as they hold where the canvas is. */
function paletteOf(canvas: HTMLCanvasElement): Palette {
  const style = getComputedStyle(canvas)
  return {
    colour: (token) => style.getPropertyValue(token).trim(),
    font: { family: style.fontFamily, size: Number.parseFloat(style.fontSize) || 12 },
  }
}

/** Draws without motion: figures that are renewed must not wobble. */
export function draw(canvas: HTMLCanvasElement, picture: Picture): Drawn {
  const palette = paletteOf(canvas)
  const drawing: Drawing =
    picture.kind === 'days'
      ? drawDays(picture.plot, picture.labels, palette, picture.faint)
      : drawTop(picture.top, picture.labels, palette)
  const chart = new Chart(canvas, {
    ...drawing,
    options: { ...drawing.options, animation: false, maintainAspectRatio: false, events: [] },
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
