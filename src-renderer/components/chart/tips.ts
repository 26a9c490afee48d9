import type { Count } from '#shared/api/answers.ts'
import { changeOf } from '#shared/reports/change.ts'
import { daysOf } from '#shared/values/day.ts'
import type { DayRange, Day } from '#shared/values/day.ts'
import { clipboardForm, delimited } from '#shared/values/delimited.ts'
import { dayStateOf } from '../figures/day-states.ts'
import type { DayStates } from '../figures/day-states.ts'
import { count, dayInFull, pointsBriefly, share, shareOf, days } from '../formats.ts'
import { stackedOf, wholesOf } from './plot.ts'
import type { DaysKind, Top } from './plot.ts'
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

const shareWords = (value: Count, whole: Count | undefined) => {
  const part = shareOf(value, whole)
  return part === null ? '' : share(part)
}

/** Of what shares are that are stacked: it need not be all requests. */
const baseWords = (stacked: readonly Series[], whole: Count | undefined): string =>
  `Shares are of ${stacked.map(({ header }) => header).join(', ')}: ${count(whole)}`

/** A day and everything that was counted on it, the day compared with beside it. */
export function dayTip(
  kind: DaysKind,
  series: readonly Series[],
  range: DayRange,
  before: DayRange | null,
  index: number,
  states: DayStates | null = null,
): Tip | null {
  const day = daysOf(range)[index]
  if (!day) return null
  const other = dayBefore(before, index)
  const stacked = kind === 'lines' ? [] : stackedOf(series)
  const wholes = wholesOf(
    stacked.map(({ values }) => values),
    index + 1,
  )
  const wholesBefore = wholesOf(
    stacked.map(({ before: then }) => then ?? []),
    index + 1,
  )
  const pointsOf = ({ header, values, before: then }: Series) =>
    changeOf(
      header,
      { count: values[index], base: wholes[index] },
      { count: then?.[index], base: wholesBefore[index] },
    ).points
  const state = dayStateOf(states, day)
  return {
    title: state ? `${dayInFull(day)}, ${state}` : dayInFull(day),
    against: other && `against ${dayInFull(other)}`,
    base: stacked.length > 0 ? baseWords(stacked, wholes[index]) : null,
    lines: series.map((item) => {
      const value = item.values[index] ?? null
      const points = stacked.includes(item) ? pointsOf(item) : null
      return {
        header: item.header,
        ink: item.ink,
        shape: item.shape,
        value: count(value),
        share: stacked.includes(item) ? shareWords(value, wholes[index]) : '',
        before: item.before ? count(item.before[index]) : null,
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
  return `${series.header}: ${count(min.value)} to ${count(max.value)}, the most on ${dayInFull(max.day)}`
}

/** A chart of days in words, for those who do not see it. The table behind it has every figure. */
export function daysSummary(
  name: string,
  series: readonly Series[],
  range: DayRange,
  before: DayRange | null,
): string {
  const compared = before ? `, compared with ${days(before)}` : ''
  const spreads = series.map((item) => `${spread(item, range)}.`)
  return [`${name}, ${days(range)}${compared}.`, ...spreads].join(' ')
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
        ...series.flatMap(({ values, before }) => [
          count(values[index]),
          ...(before ? [count(before[index])] : []),
        ]),
      ]),
  }
}

/** The same for the clipboard, figures without separators and days as ISO 8601 has them. */
export function daysToCopy(series: readonly Series[], range: DayRange): string {
  const { head } = daysTable(series, range)
  const rows = daysOf(range).map((day, index) => [
    day,
    ...series.flatMap(({ values, before }) => [
      values[index] ?? null,
      ...(before ? [before[index] ?? null] : []),
    ]),
  ])
  return delimited([head, ...rows], clipboardForm).slice(0, -clipboardForm.lineEnd.length)
}
