import type { Chart, Count, Table } from '#shared/api/answers.ts'
import type { Family } from '#shared/api/dimensions.ts'
import { headerOf, partsOf, shareOf } from '#shared/reports/overview-figures.ts'
import { labelText } from '#shared/reports/rows.ts'
import { daysOf } from '#shared/values/day.ts'
import type { Day, DayRange } from '#shared/values/day.ts'
import type { DaysKind } from '#shared/views/view-address.ts'
import { inOrder, isPart, looksOf } from './series.ts'
import type { Look, Series } from './series.ts'

/** One set of marks in a chart of days. */
export type PlotSet = Look & {
  readonly header: string
  /** What is compared with is a ghost of the same mark. */
  readonly time: 'now' | 'before'
  readonly mark: 'bar' | 'line'
  /** Sets of one stack stand on each other; null stands on the axis. */
  readonly stack: string | null
  /** Null is a gap. */
  readonly values: readonly Count[]
}

export type Plot = {
  readonly sets: readonly PlotSet[]
  /** What lines are measured in; beneath rates the bars count, on an axis of their own. */
  readonly unit: 'count' | 'share' | 'rate'
  readonly stacked: boolean
}

/**
 * The measures that are stacked: those that requests fall into, since they add up. The others overlap with them and are
 * drawn as lines. Where none of the first kind is shown, all are stacked.
 */
export function stackedOf(series: readonly Series[]): readonly Series[] {
  const parts = series.filter(({ part }) => part)
  return parts.length > 0 ? parts : series
}

/** The sum of a day over measures; null counts stay out of it, and where all are null it is null. */
export function wholesOf(lists: readonly (readonly Count[])[], days: number): Count[] {
  return Array.from({ length: days }, (_, day) =>
    lists.reduce<Count>((sum, values) => {
      const value = values[day] ?? null
      return value === null ? sum : (sum ?? 0) + value
    }, null),
  )
}

/** Shares of wholes, 0 to 1. A whole of nothing has no shares. */
export const sharesOf = (values: readonly Count[], wholes: readonly Count[]): Count[] =>
  values.map((value, day) => shareOf(value, wholes[day]))

/** What is left of each day's whole, unknown as soon as anything of it is. */
const restsOf = (wholes: readonly Count[], lists: readonly (readonly Count[])[]): Count[] =>
  wholes.map((whole, day) =>
    lists.reduce<Count>((rest, values) => {
      const value = values[day] ?? null
      return rest === null || value === null ? null : rest - value
    }, whole),
  )

/**
 * A chart with what follows from its figures: requests are the sum of their parts, and a part that it lacks (drops) is what
 * the others leave of the requests.
 */
export function completed(family: Family, chart: Chart): Chart {
  const valuesOf = (wanted: string) => chart.series.find(({ header }) => header === wanted)?.values
  const headers = partsOf[family].map((name) => headerOf(family, name))
  const parts = headers.map(valuesOf).filter((values) => values !== undefined)
  const missing = headers.filter((header) => valuesOf(header) === undefined)
  const requests = valuesOf('Requests')
  const more =
    requests === undefined && missing.length === 0
      ? [{ header: 'Requests', values: wholesOf(parts, chart.days.length) }]
      : requests !== undefined && missing.length === 1
        ? missing.map((header) => ({ header, values: restsOf(requests, parts) }))
        : []
  return { days: chart.days, series: [...chart.series, ...more] }
}

/** What percentages are of: the measure of this name, else the sum of those that add up. Null where there is none. */
export function baseIn(series: readonly Series[], header: string): Series | null {
  const found = series.find((item) => item.header === header)
  if (found) return { ...found, ink: 'volume', shape: 'square' }
  const parts = stackedOf(series)
  const [first] = parts
  if (!first) return null
  const then = parts.flatMap(({ before }) => (before ? [before] : []))
  const days = first.values.length
  return {
    ...{
      header: parts.map((item) => item.header).join(' + '),
      unit: 'count',
      ink: 'volume',
      shape: 'square',
    },
    values: wholesOf(
      parts.map(({ values }) => values),
      days,
    ),
    before: then.length === parts.length ? wholesOf(then, days) : null,
    part: false,
  }
}

/** The rates of measures, each in the ink of its measure. A day of nothing has none. */
export const ratesOf = (series: readonly Series[], base: Series): Series[] =>
  series
    .filter(({ header }) => header !== base.header)
    .map((item) => ({
      ...item,
      header: `${item.header} rate`,
      unit: 'share',
      values: sharesOf(item.values, base.values),
      before: item.before && base.before && sharesOf(item.before, base.before),
    }))

/** What is drawn of the daily figures. @param base what shares are of */
export function plotOf(kind: DaysKind, series: readonly Series[], base: Series | null): Plot {
  const isParts = kind === 'stacked' || kind === 'share'
  const stacked = isParts ? stackedOf(series) : []
  const setsOf = (time: 'now' | 'before'): PlotSet[] =>
    series.flatMap((item): PlotSet[] => {
      const values = time === 'now' ? item.values : item.before
      const wholes = kind === 'share' ? ((time === 'now' ? base?.values : base?.before) ?? []) : null
      if (!values) return []
      const { header, ink, shape } = item
      const stands = stacked.includes(item)
      const isVolume = kind === 'rate' && item.unit === 'count'
      return [
        {
          ...{ header, ink, shape, time },
          mark: stands || isVolume ? 'bar' : 'line',
          stack: stands ? time : null,
          values: wholes ? sharesOf(values, wholes) : values,
        },
      ]
    })
  return {
    sets: [...setsOf('now'), ...setsOf('before')],
    unit: kind === 'share' || kind === 'rate' ? kind : 'count',
    stacked: isParts,
  }
}

/** The days of which no measure has a figure. */
export function gapsOf(series: readonly Series[], range: DayRange): Day[] {
  return daysOf(range).filter((_, day) => series.every(({ values }) => (values[day] ?? null) === null))
}

/** As many rows as can be read as bars. */
export const MAX_BARS = 10

/** The first rows of a table as bars: for each measure a count for each row. */
export type Top = {
  readonly labels: readonly string[]
  readonly sets: readonly (Look & { readonly header: string; readonly values: readonly Count[] })[]
  /** Measures that add up stand on each other; otherwise they stand side by side. */
  readonly stacked: boolean
}

/** What is drawn of a table's first rows. Measures that the table has not are left out; cells that are no counts are gaps. */
export function topOf(table: Table, measures: readonly string[]): Top {
  const rows = table.rows.slice(0, MAX_BARS)
  const looks = looksOf(table.headers.slice(1))
  const shown = inOrder(measures.filter((header) => looks.has(header)))
  const sets = shown.flatMap((header) => {
    const look = looks.get(header)
    const place = table.headers.indexOf(header, 1) - 1
    const values = rows.map(({ cells }): Count => {
      const cell = cells[place]
      return typeof cell === 'number' && Number.isFinite(cell) ? cell : null
    })
    return look ? [{ header, ...look, values }] : []
  })
  return { labels: rows.map(({ label }) => labelText(label)), sets, stacked: shown.every(isPart) }
}

/** As much of a label as fits beside a bar. */
const LONGEST = 26

/** A label cut for an axis, never inside a character. One without text is named, since a bar needs a name. */
export function briefLabel(label: string): string {
  const characters = Array.from(label.slice(0, LONGEST * 4))
  if (label.trim() === '') return '(blank)'
  return characters.length > LONGEST ? `${characters.slice(0, LONGEST).join('')}…` : label
}

const two = (value: number) => Math.round(value * 100) / 100

/**
 * The path of a sparkline in a box of `width` by `height` units: days from left to right, zero at the bottom. Days
 * without a figure break the line; a single day between such is a short stroke.
 * @returns an empty path where there is nothing to draw
 */
export function sparkPath(values: readonly Count[], width: number, height: number): string {
  const max = values.reduce<number>((largest, value) => Math.max(largest, value ?? 0), 0)
  const step = values.length > 1 ? width / (values.length - 1) : width
  const y = (value: number) => two(max > 0 ? height - (Math.max(0, value) / max) * height : height)
  const known = (index: number) => (values[index] ?? null) !== null
  return values
    .flatMap((value, index) => {
      if (value === null) return []
      const x = two(index * step)
      if (known(index - 1)) return [`L${x} ${y(value)}`]
      const alone = !known(index + 1)
      return [
        `M${alone ? Math.max(0, x - 1) : x} ${y(value)}`,
        ...(alone ? [`L${Math.max(2, x)} ${y(value)}`] : []),
      ]
    })
    .join('')
}
