import type { Count } from '#shared/api/answers.ts'
import type { DayRange } from '#shared/values/day.ts'
import { daysOf } from '#shared/values/day.ts'
import { dayStateOf } from '../figures/day-states.ts'
import type { DayStates } from '../figures/day-states.ts'
import { changeOf } from '#shared/reports/change.ts'
import { count, dayInFull, pointsBriefly, share, shareOf } from '../formats.ts'
import { stackedOf, wholesOf } from './plot.ts'
import type { DaysKind } from './plot.ts'
import { dayBefore } from './series.ts'
import type { Ink, Series, Shape } from './series.ts'
import type { Top } from './top.ts'

/** One measure of what the pointer is over, in words. */
export type TipLine = {
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
      { count: values[index], of: wholes[index] },
      { count: then?.[index], of: wholesBefore[index] },
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
