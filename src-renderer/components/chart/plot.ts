import type { Count, Table } from '#shared/api/answers.ts'
import { labelText } from '#shared/reports/rows.ts'
import { daysOf } from '#shared/values/day.ts'
import type { Day, DayRange } from '#shared/values/day.ts'
import type { ChartKind } from '#shared/views/view-address.ts'
import { inOrder, isPart, looksOf } from './series.ts'
import type { Look, Series } from './series.ts'

/** How days are drawn. Bars of rows are another picture. */
export type DaysKind = Exclude<ChartKind, 'top'>

/** One set of marks in a chart of days. */
export type PlotSet = Look & {
  readonly header: string
  /** What is compared with is drawn dashed, over the figures of now. */
  readonly time: 'now' | 'before'
  readonly mark: 'bar' | 'line'
  /** Sets of one stack stand on each other; null stands on the axis. */
  readonly stack: string | null
  /** Null is a gap. */
  readonly values: readonly Count[]
}

export type Plot = {
  readonly sets: readonly PlotSet[]
  readonly unit: 'count' | 'share'
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
export function sharesOf(values: readonly Count[], wholes: readonly Count[]): Count[] {
  return values.map((value, day) => {
    const whole = wholes[day] ?? null
    return value !== null && whole !== null && whole > 0 ? value / whole : null
  })
}

/** What is drawn of the daily figures. */
export function plotOf(kind: DaysKind, series: readonly Series[]): Plot {
  const days = series[0]?.values.length ?? 0
  const stacked = kind === 'lines' ? [] : stackedOf(series)
  const valuesOf = (time: 'now' | 'before') => (item: Series) => (time === 'now' ? item.values : item.before)
  const setsOf = (time: 'now' | 'before'): PlotSet[] => {
    const lists = stacked.flatMap((item) => [valuesOf(time)(item) ?? []])
    const wholes = kind === 'share' ? wholesOf(lists, days) : null
    return series.flatMap((item): PlotSet[] => {
      const values = valuesOf(time)(item)
      // What fills up to the whole says nothing as a line: it would lie on the axis's end.
      const fills = time === 'before' && kind === 'share' && item === stacked.at(-1)
      if (!values || fills) return []
      const { header, ink, shape } = item
      const stands = stacked.includes(item)
      return [
        {
          header,
          ink,
          shape,
          time,
          mark: stands && time === 'now' ? 'bar' : 'line',
          stack: stands ? time : null,
          values: wholes ? sharesOf(values, wholes) : values,
        },
      ]
    })
  }
  return {
    sets: [...setsOf('now'), ...setsOf('before')],
    unit: kind === 'share' ? 'share' : 'count',
    stacked: kind !== 'lines',
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
