import type { Chart, Count } from '#shared/api/answers.ts'
import type { Family } from '#shared/api/dimensions.ts'
import { watched } from '#shared/reports/overview-figures.ts'
import { daysOf } from '#shared/values/day.ts'
import type { Day, DayRange } from '#shared/values/day.ts'
import type { ChartKind } from '#shared/views/view-address.ts'

export { watched }

/** The inks of a chart: each is a design token (`--series-good`). Volume stays behind all others. */
export type Ink =
  'good' | 'warning' | 'bad' | 'drops' | 'volume' | 'other-1' | 'other-2' | 'other-3' | 'other-4'

/** What marks the points of a line, so that lines are told apart without their colour. */
export type Shape = 'circle' | 'triangle' | 'diamond' | 'square' | 'plus' | 'cross' | 'star' | 'bar'

/** How a measure looks wherever it is drawn. */
export type Look = { readonly ink: Ink; readonly shape: Shape }

/** A mark of a chart, by its name in the legend. */
export type Mark = Pick<Look, 'ink'> & { readonly header: string }

/** The daily figures of one measure: counts, or shares between 0 and 1. */
export type Series = Look & {
  readonly header: string
  readonly unit: 'count' | 'share'
  readonly values: readonly Count[]
  /** The same measure over the days compared with, first day under first day; null where nothing is compared. */
  readonly before: readonly Count[] | null
  /** Whether requests fall into this measure or another: such measures add up, the others overlap with them. */
  readonly part: boolean
}

/** The measures that requests fall into, in the order in which they are stacked. */
const parts = new Map<string, Look>([
  ['Non-Suspect', { ink: 'good', shape: 'circle' }],
  ['Good', { ink: 'good', shape: 'circle' }],
  ['Warning', { ink: 'warning', shape: 'triangle' }],
  ['Suspect', { ink: 'bad', shape: 'diamond' }],
  ['Bad', { ink: 'bad', shape: 'diamond' }],
  ['Drops', { ink: 'drops', shape: 'square' }],
])

const overlapping = new Map<string, Look>([
  ['Requests', { ink: 'other-3', shape: 'square' }],
  ['Responses', { ink: 'other-1', shape: 'plus' }],
  ['Mobile', { ink: 'other-2', shape: 'cross' }],
  ['Ad Blocker', { ink: 'other-4', shape: 'star' }],
])

const order = [...parts.keys(), ...overlapping.keys()]
const inks = ['other-1', 'other-2', 'other-4', 'other-3'] as const
const shapes = ['bar', 'star', 'cross', 'plus'] as const

/** The look of a measure that nobody specified, by its place among such: one shape with each ink, then the next. */
function strangerLook(place: number): Look {
  const ink = inks[place % inks.length] ?? 'other-1'
  const shape = shapes[(place + Math.floor(place / inks.length)) % shapes.length] ?? 'bar'
  return { ink, shape }
}

/** Whether each request falls into one of the measures of this kind. */
export const isPart = (header: string): boolean => parts.has(header)

/** Measures in the order in which they are drawn and named: known ones first, the others as they came. */
export function inOrder(headers: readonly string[]): string[] {
  const place = (header: string) => (order.includes(header) ? order.indexOf(header) : order.length)
  return [...headers].sort((one, other) => place(one) - place(other))
}

/** The looks of measures, by header. */
export function looksOf(headers: readonly string[]): ReadonlyMap<string, Look> {
  let strangers = 0
  return new Map(
    headers.map((header) => {
      const known = parts.get(header) ?? overlapping.get(header)
      if (known) return [header, known]
      strangers += 1
      return [header, strangerLook(strangers - 1)]
    }),
  )
}

/** The measures that a family is judged by, where nobody chose others. */
const usualMeasures: Readonly<Record<Family, readonly string[]>> = {
  script: ['Good', 'Warning', 'Bad'],
  direct: ['Non-Suspect', 'Suspect'],
}

/** A value for each day of the range, in its order; null for days that the chart does not have. */
function valuesOver(days: readonly Day[], chart: Chart, values: readonly Count[]): Count[] {
  const known = new Map(chart.days.map((day, index) => [day, values[index] ?? null]))
  return days.map((day) => known.get(day) ?? null)
}

/** What is compared with: its daily figures, null until they are there, and its days. */
export type Before = { readonly chart: Chart | null; readonly range: DayRange }

/**
 * The series of a chart, by header, over every day of its range: days that are missing are null, never zero. What is
 * compared with is laid beside it day by day, however its days are called.
 */
export function seriesOf(chart: Chart, range: DayRange, before: Before | null = null): Series[] {
  const days = daysOf(range)
  const looks = looksOf(chart.series.map(({ header }) => header))
  const beforeDays = before ? daysOf(before.range) : []
  const beforeOf = (header: string): Count[] | null => {
    const values = before?.chart?.series.find((item) => item.header === header)?.values
    if (!before?.chart || !values) return null
    const over = valuesOver(beforeDays, before.chart, values)
    return days.map((_, index) => over[index] ?? null)
  }
  const found = chart.series.flatMap(({ header, values }): Series[] => {
    const look = looks.get(header)
    if (!look) return []
    const over = valuesOver(days, chart, values)
    return [{ header, unit: 'count', ...look, values: over, before: beforeOf(header), part: isPart(header) }]
  })
  const headers = inOrder(found.map(({ header }) => header))
  return headers.flatMap((header) => found.find((series) => series.header === header) ?? [])
}

/** The day that a day of `range` is compared with; null where the other run of days is shorter. */
export function dayBefore(before: DayRange | null, index: number): Day | null {
  return before ? (daysOf(before)[index] ?? null) : null
}

/** The measures to choose from: those that there are, and those that were chosen before and are not there now. */
export const offeredMeasures = (headers: readonly string[], chosen: readonly string[]): string[] =>
  inOrder([...new Set([...headers, ...chosen])])

/** The measures that are shown: the chosen ones, else those that the family is judged by, else all there are. */
export function chosenMeasures(
  kind: ChartKind,
  family: Family,
  offered: readonly string[],
  chosen: readonly string[],
): readonly string[] {
  if (chosen.length > 0) return inOrder(chosen)
  // With drops the parts fill the whole that their shares are of.
  const parts = kind === 'lines' ? usualMeasures[family] : [...usualMeasures[family], 'Drops']
  const usual = (kind === 'rate' ? [watched[family]] : parts).filter((header) => offered.includes(header))
  return usual.length > 0 ? usual : offered
}
