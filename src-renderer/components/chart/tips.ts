import type { Count } from '#shared/api/answers.ts'
import { changeOf, pointsBetween } from '#shared/reports/change.ts'
import { inPercent } from '#shared/reports/rows.ts'
import { daysOf } from '#shared/values/day.ts'
import type { DayRange, Day } from '#shared/values/day.ts'
import { clipboardForm, delimited } from '#shared/values/delimited.ts'
import type { DaysKind } from '#shared/views/view-address.ts'
import { dayStateOf } from '../figures/day-states.ts'
import type { DayStates } from '../figures/day-states.ts'
import { count, dayInFull, pointsBriefly, share, shareOf, days } from '../formats.ts'
import { stackedOf } from './plot.ts'
import type { Top } from './plot.ts'
import { dayBefore } from './series.ts'
import type { Ink, Series, Shape } from './series.ts'

/** One measure of what the pointer is over, in words. */
type TipLine = {
  readonly header: string
  readonly ink: Ink
  readonly shape: Shape
  readonly value: string
  /** Of the whole it is stacked in; empty where it is in none. */
  readonly share: string
  /** Null where nothing is compared. */
  readonly before: string | null
  /** By how much its share of the whole has changed, where both are known. */
  readonly points?: string
}

/** What the pointer is over: a day with all its figures, or a row. */
export type Tip = {
  readonly title: string
  readonly against: string | null
  /** Of what the shares are; null where there are none. */
  readonly base: string | null
  readonly lines: readonly TipLine[]
}

/** How a figure of a measure is written. */
const written = ({ unit }: Pick<Series, 'unit'>, value: Count | undefined): string =>
  unit === 'count' ? count(value) : share(value ?? null)

/** Of what every percentage of a chart is; null where it shows none. */
export const baseWords = (kind: DaysKind, base: Series | null): string | null =>
  kind === 'lines' || !base ? null : `Percent of ${base.header.toLowerCase()}`

/** What is drawn of days, and what its percentages are of. */
export type DaysShown = {
  readonly kind: DaysKind
  readonly series: readonly Series[]
  readonly base: Series | null
  readonly range: DayRange
  readonly before: DayRange | null
}

/** A day and everything that was counted on it, the day compared with beside it. */
export function dayTip(
  { kind, series, base, range, before }: DaysShown,
  index: number,
  states: DayStates | null = null,
): Tip | null {
  const day = daysOf(range)[index]
  if (!day) return null
  const other = dayBefore(before, index)
  const stacked = kind === 'stacked' || kind === 'share' ? stackedOf(series) : []
  const pointsOf = (item: Series): number | null => {
    const { header, unit, values, before: then } = item
    const [now, was] = [values[index] ?? null, then?.[index] ?? null]
    if (unit === 'share') return pointsBetween(inPercent(now), inPercent(was))
    if (!stacked.includes(item)) return null
    return changeOf(
      header,
      { count: now, base: base?.values[index] },
      { count: was, base: base?.before?.[index] },
    ).points
  }
  const state = dayStateOf(states, day)
  return {
    title: state ? `${dayInFull(day)}, ${state}` : dayInFull(day),
    against: other && `against ${dayInFull(other)}`,
    base: baseWords(kind, base),
    lines: series.map((item) => {
      const { header, ink, shape, values, before: then } = item
      const points = pointsOf(item)
      const part = stacked.includes(item) ? shareOf(values[index], base?.values[index]) : null
      return {
        ...{ header, ink, shape },
        value: written(item, values[index]),
        share: part === null ? '' : share(part),
        before: then ? written(item, then[index]) : null,
        ...(points !== null && { points: `${pointsBriefly(points)} points` }),
      }
    }),
  }
}

/** A row and its counts. */
export function rowTip(top: Top, index: number): Tip | null {
  const title = top.labels[index]
  if (title === undefined) return null
  return {
    title,
    against: null,
    base: null,
    lines: top.sets.map(({ header, ink, shape, values }) => ({
      header,
      ink,
      shape,
      value: count(values[index]),
      share: '',
      before: null,
    })),
  }
}

/** The least and the most of a measure, and the day of the most. */
function spread(series: Series, range: DayRange): string {
  const all = daysOf(range)
  const known = series.values.flatMap((value, index) => {
    const day = all[index]
    return value === null || !day ? [] : [{ value, day }]
  })
  const [first] = known
  if (!first) return `${series.header}: no figures`
  const min = known.reduce((one, other) => (other.value < one.value ? other : one), first)
  const max = known.reduce((one, other) => (other.value > one.value ? other : one), first)
  const [least, most] = [min, max].map(({ value }) => written(series, value))
  return `${series.header}: ${least} to ${most}, the most on ${dayInFull(max.day)}`
}

/** A chart of days in words, for those who do not see it. The table behind it has every figure. */
export function daysSummary(name: string, { kind, series, base, range, before }: DaysShown): string {
  const compared = before ? `, compared with ${days(before)}` : ''
  const spreads = series.map((item) => `${spread(item, range)}.`)
  const percent = baseWords(kind, base)
  return [`${name}, ${days(range)}${compared}.`, ...spreads, ...(percent ? [`${percent}.`] : [])].join(' ')
}

const LONGEST = 60

/** Bars of rows in words. */
export function topSummary(name: string, top: Top): string {
  const rows = top.labels.map((label, row) => {
    const figures = top.sets.map(({ header, values }) => `${header} ${count(values[row])}`)
    return `${label.slice(0, LONGEST)}: ${figures.join(', ')}.`
  })
  return [`${name}, the first ${top.labels.length} rows.`, ...rows].join(' ')
}

/** The table behind a chart of days: a row for each day, beside each measure what stood there before. */
export function daysTable(series: readonly Series[], range: DayRange, states: DayStates | null = null) {
  const nameOf = (day: Day) => {
    const state = dayStateOf(states, day)
    return state ? `${dayInFull(day)} (${state})` : dayInFull(day)
  }
  return {
    head: [
      'Date',
      ...series.flatMap(({ header, before }) => (before ? [header, `${header} before`] : [header])),
    ],
    rows: () =>
      daysOf(range).map((day, index) => [
        nameOf(day),
        ...series.flatMap((item) => [
          written(item, item.values[index]),
          ...(item.before ? [written(item, item.before[index])] : []),
        ]),
      ]),
  }
}

/** The same for the clipboard, figures without separators, rates in percent, days as ISO 8601 has them. */
export function daysToCopy(series: readonly Series[], range: DayRange): string {
  const { head } = daysTable(series, range)
  const plain = ({ unit }: Series, value: Count | undefined) =>
    unit === 'count' ? (value ?? null) : inPercent(value ?? null)
  const rows = daysOf(range).map((day, index) => [
    day,
    ...series.flatMap((item) => [
      plain(item, item.values[index]),
      ...(item.before ? [plain(item, item.before[index])] : []),
    ]),
  ])
  return delimited([head, ...rows], clipboardForm).slice(0, -clipboardForm.lineEnd.length)
}
