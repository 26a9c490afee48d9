import { figuresAxis, namesAxis, pointStyles } from './drawing.ts'
import type { Drawing, Palette } from './drawing.ts'
import { wholesOf } from './plot.ts'
import type { Plot, PlotSet } from './plot.ts'

type Drawn = Drawing['data']['datasets']

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
  const stoodBefore = plot.sets.filter(({ of, stack }) => sums && of === 'before' && stack !== null)
  const single = plot.sets.filter((set) => !stoodBefore.includes(set))
  return {
    type: 'bar',
    data: {
      labels: [...labels],
      datasets: [
        ...single.flatMap((set): Drawn => {
          if (set.as === 'bar') return [bars(set, palette, faint)]
          const overBars = plot.stacked && set.of === 'before'
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
function sumBefore(sets: readonly PlotSet[], days: number, palette: Palette): Drawn {
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
): Drawn[number] {
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

function line(set: PlotSet, { colour }: Palette, faint: readonly number[] = []): Drawn[number] {
  const { header, values, ink, shape, of, stack } = set
  const before = of === 'before'
  const stroke = colour(`--series-${ink}`)
  return {
    type: 'line',
    label: header,
    data: [...values],
    // A line that stands on nothing needs a stack of its own where others are stacked.
    stack: stack ?? `${of} ${header}`,
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
function halo({ header, values, stack }: PlotSet, { colour }: Palette): Drawn[number] {
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
