import type { Chart, Count } from '#shared/api/answers.ts'
import type { Family } from '#shared/api/dimensions.ts'
import { watchedCounts } from '#shared/reports/overview-figures.ts'
import { daysOf } from '#shared/values/day.ts'
import type { Day, DayRange } from '#shared/values/day.ts'
import type { ChartKind } from '#shared/views/view-address.ts'

export { watchedCounts }

/** Colours of a chart; each is a design token (`--series-good`). Volume is behind all others. */
export type Ink =
  'good' | 'warning' | 'bad' | 'drops' | 'volume' | 'other-1' | 'other-2' | 'other-3' | 'other-4'

/** Shape of a line's points, which distinguishes lines without colour. */
export type Shape = 'circle' | 'triangle' | 'diamond' | 'square' | 'plus' | 'cross' | 'star' | 'bar'

/** Current values of design tokens: `colour('--series-good')`. */
export type Palette = {
  readonly colour: (token: string) => string
  readonly font: { readonly family: string; readonly size: number }
}

/** Colour and shape of a measure in every chart. */
export type SeriesStyle = { readonly ink: Ink; readonly shape: Shape }

/** Legend entry. */
export type Mark = Pick<SeriesStyle, 'ink'> & { readonly header: string }

/** Daily figures of a measure: counts, or shares between 0 and 1. */
export type Series = SeriesStyle & {
  readonly header: string
  readonly unit: 'count' | 'share'
  readonly values: readonly Count[]
  /** The same measure over the compared days, aligned by index; null if nothing is compared. */
  readonly before: readonly Count[] | null
  /** Whether the measure is a part of all requests. Parts add up; other measures overlap. */
  readonly part: boolean
}

/** Parts of all requests, in stacking order. */
const parts = new Map<string, SeriesStyle>([
  ['Non-Suspect', { ink: 'good', shape: 'circle' }],
  ['Good', { ink: 'good', shape: 'circle' }],
  ['Warning', { ink: 'warning', shape: 'triangle' }],
  ['Suspect', { ink: 'bad', shape: 'diamond' }],
  ['Bad', { ink: 'bad', shape: 'diamond' }],
  ['Drops', { ink: 'drops', shape: 'square' }],
])

const overlapping = new Map<string, SeriesStyle>([
  ['Requests', { ink: 'other-3', shape: 'square' }],
  ['Responses', { ink: 'other-1', shape: 'plus' }],
  ['Mobile', { ink: 'other-2', shape: 'cross' }],
  ['Ad Blocker', { ink: 'other-4', shape: 'star' }],
])

const order = [...parts.keys(), ...overlapping.keys()]
const inks = ['other-1', 'other-2', 'other-4', 'other-3'] as const
/** Colours of parts, for a chart that lacks those parts, such as one of rule sets. */
const spareInks = ['warning', 'drops', 'bad', 'good'] as const
const shapes = ['bar', 'star', 'cross', 'plus'] as const

/** Style of an unknown measure, by its index among unknown ones. Each colour is combined with the shapes in turn. */
function strangerLook(place: number, inks: readonly Ink[]): SeriesStyle {
  const ink = inks[place % inks.length] ?? 'other-1'
  const shape = shapes[(place + Math.floor(place / inks.length)) % shapes.length] ?? 'bar'
  return { ink, shape }
}

/** Whether every chart draws this header in the same colour. */
export const isMeasure = (header: string): boolean => order.includes(header)

/** Whether the measure is a part of all requests. */
export const isPart = (header: string): boolean => parts.has(header)

/** Sorts measures for drawing: known ones first, others in their given order. */
export function inOrder(headers: readonly string[]): string[] {
  const place = (header: string) => (order.includes(header) ? order.indexOf(header) : order.length)
  return [...headers].sort((one, other) => place(one) - place(other))
}

/** Returns the look of each measure, by header. */
export function looksOf(headers: readonly string[]): ReadonlyMap<string, SeriesStyle> {
  let strangers = 0
  const used = new Set(headers.map((header) => parts.get(header)?.ink))
  const free = [...inks, ...spareInks.filter((ink) => !used.has(ink))]
  return new Map(
    headers.map((header) => {
      const known = parts.get(header) ?? overlapping.get(header)
      if (known) return [header, known]
      strangers += 1
      return [header, strangerLook(strangers - 1, free)]
    }),
  )
}

/** Default measures of a family. */
const usualMeasures: Readonly<Record<Family, readonly string[]>> = {
  script: ['Good', 'Warning', 'Bad'],
  direct: ['Non-Suspect', 'Suspect'],
}

/** Returns one value per day of a range; null for days that the chart lacks. */
function valuesOver(days: readonly Day[], chart: Chart, values: readonly Count[]): Count[] {
  const known = new Map(chart.days.map((day, index) => [day, values[index] ?? null]))
  return days.map((day) => known.get(day) ?? null)
}

/** Compared days with their daily figures; null until they are loaded. */
export type ComparedChart = { readonly chart: Chart | null; readonly range: DayRange }

/** Returns the series of a chart over a range. Missing days are null, never zero. Compared days are aligned by index. */
export function seriesOf(chart: Chart, range: DayRange, before: ComparedChart | null = null): Series[] {
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

/** Returns the compared day; null if the compared range is shorter. */
export function dayBefore(before: DayRange | null, index: number): Day | null {
  return before ? (daysOf(before)[index] ?? null) : null
}

/** Measures to choose from: the available ones, and chosen ones that are not available now. */
export const offeredMeasures = (headers: readonly string[], chosen: readonly string[]): string[] =>
  inOrder([...new Set([...headers, ...chosen])])

/** Measures to show: the chosen ones, else the defaults of the family, else all. */
export function chosenMeasures(
  kind: ChartKind,
  family: Family,
  offered: readonly string[],
  chosen: readonly string[],
): readonly string[] {
  if (chosen.length > 0) return inOrder(chosen)
  // With drops, the parts add up to the base of their shares.
  const parts = kind === 'lines' ? usualMeasures[family] : [...usualMeasures[family], 'Drops']
  const usual = (kind === 'rate' ? [watchedCounts[family]] : parts).filter((header) =>
    offered.includes(header),
  )
  return usual.length > 0 ? usual : offered
}
