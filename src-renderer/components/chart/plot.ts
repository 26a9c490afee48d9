import type { Count, Table } from '#shared/api/answers.ts'
import { wholesOf } from '#shared/reports/daily-figures.ts'
import { shareOf } from '#shared/reports/overview-figures.ts'
import { labelText } from '#shared/reports/rows.ts'
import { daysOf } from '#shared/values/day.ts'
import type { Day, DayRange } from '#shared/values/day.ts'
import type { DaysKind } from '#shared/views/view-address.ts'
import { inOrder, isPart, looksOf } from './series.ts'
import type { SeriesStyle, Series } from './series.ts'

/** A set of marks in a chart of days. */
export type PlotSet = SeriesStyle & {
  readonly header: string
  /** Compared figures use the same mark in a paler colour. */
  readonly time: 'now' | 'before'
  readonly mark: 'bar' | 'line'
  /** Sets of one stack are drawn on top of each other; null starts at the axis. */
  readonly stack: string | null
  /** Null leaves a gap. */
  readonly values: readonly Count[]
}

export type Plot = {
  readonly sets: readonly PlotSet[]
  /** Unit of the lines. With rates, the bars are counts on a second axis. */
  readonly unit: 'count' | 'share' | 'rate'
  readonly stacked: boolean
  /** Limits of what is usual, drawn as a quiet band behind the lines. */
  readonly band?: { readonly low: readonly Count[]; readonly high: readonly Count[] }
}

/** Returns the measures to stack: the parts of all requests. Others overlap and are drawn as lines. Without parts, all. */
export function stackedOf(series: readonly Series[]): readonly Series[] {
  const parts = series.filter(({ part }) => part)
  return parts.length > 0 ? parts : series
}

/** Shares between 0 and 1; null if the whole is zero. */
export const sharesOf = (values: readonly Count[], wholes: readonly Count[]): Count[] =>
  values.map((value, day) => shareOf(value, wholes[day]))

/**
 * Base of percentages: the measure of this name, or the sum of the stacked measures. Null if there are none.
 * @param wholeName name of that sum; by default, the names of the measures
 */
export function baseIn(series: readonly Series[], header: string, wholeName?: string): Series | null {
  const found = series.find((item) => item.header === header)
  if (found) return { ...found, ink: 'volume', shape: 'square' }
  const parts = stackedOf(series)
  const [first] = parts
  if (!first) return null
  const then = parts.flatMap(({ before }) => (before ? [before] : []))
  const days = first.values.length
  return {
    ...{
      header: wholeName ?? parts.map((item) => item.header).join(' + '),
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

/** Rates of measures, in the colours of their measures. A day with a base of zero has no rate. */
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

/** Sets to draw from daily figures. @param base the whole of shares */
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

/** Days without a figure in any measure. */
export function gapsOf(series: readonly Series[], range: DayRange): Day[] {
  return daysOf(range).filter((_, day) => series.every(({ values }) => (values[day] ?? null) === null))
}

/** Maximum of rows that are readable as bars. */
export const MAX_BARS = 10

/** First rows of a table as bars, with one set of counts per measure. */
export type Top = {
  readonly labels: readonly string[]
  readonly sets: readonly (SeriesStyle & { readonly header: string; readonly values: readonly Count[] })[]
  /** Whether the measures add up and are stacked; otherwise they are side by side. */
  readonly stacked: boolean
}

/** Bars of a table's first rows. Measures that the table lacks are left out; cells that are not counts are gaps. */
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

/** Maximum characters of a label beside a bar. */
const LONGEST = 26

/** Shortens a label for an axis, without splitting a surrogate pair. A blank label gets a name. */
export function briefLabel(label: string): string {
  const characters = Array.from(label.slice(0, LONGEST * 4))
  if (label.trim() === '') return '(empty)'
  return characters.length > LONGEST ? `${characters.slice(0, LONGEST).join('')}…` : label
}

const two = (value: number) => Math.round(value * 100) / 100

/**
 * SVG path of a sparkline in a box of `width` by `height` units, with zero at the bottom. Days without a figure break the
 * line; an isolated day is a short stroke.
 * @returns an empty path if there is nothing to draw
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
