import type { DayRange } from '#shared/values/day.ts'
import { daysOf } from '#shared/values/day.ts'
import { count, dayInFull, days } from '../formats.ts'
import type { Series } from './series.ts'
import type { Top } from './top.ts'

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
