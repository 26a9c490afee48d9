import type { Count } from '#shared/api/answers.ts'
import type { Day, DayRange } from '#shared/values/day.ts'
import { daysOf } from '#shared/values/day.ts'
import type { ChartKind } from '#shared/views/view-address.ts'
import type { Look, Series } from './series.ts'

/** How days are drawn. Bars of rows are another picture (top.ts). */
export type DaysKind = Exclude<ChartKind, 'top'>

/** One set of marks in a chart of days. */
export type PlotSet = Look & {
  readonly header: string
  /** What is compared with is drawn dashed, over the figures of now. */
  readonly of: 'now' | 'before'
  readonly as: 'bar' | 'line'
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
  const valuesOf = (of: 'now' | 'before') => (item: Series) => (of === 'now' ? item.values : item.before)
  const setsOf = (of: 'now' | 'before'): PlotSet[] => {
    const lists = stacked.flatMap((item) => [valuesOf(of)(item) ?? []])
    const wholes = kind === 'share' ? wholesOf(lists, days) : null
    return series.flatMap((item): PlotSet[] => {
      const values = valuesOf(of)(item)
      // What fills up to the whole says nothing as a line: it would lie on the axis's end.
      const fills = of === 'before' && kind === 'share' && item === stacked.at(-1)
      if (!values || fills) return []
      const { header, ink, shape } = item
      const stands = stacked.includes(item)
      return [
        {
          header,
          ink,
          shape,
          of,
          as: stands && of === 'now' ? 'bar' : 'line',
          stack: stands ? of : null,
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
