import { addDays, daysBetween } from '#shared/values/day.ts'
import type { Day } from '#shared/values/day.ts'

/** Stored figures of one row of a view, by day from `WatchedFigures.firstDay`. Null means unknown, not zero. */
export type WatchedRow = {
  /** Unique among the rows. */
  readonly label: string
  /** Rows whose first figures are restated together, such as an instance's. Null if unknown. */
  readonly group: string | null
  readonly requests: readonly (number | null)[]
  readonly bad: readonly (number | null)[]
  /** Indexes of the days that a note leaves out of what is usual. They are still judged. */
  readonly leftOut?: ReadonlySet<number>
  /** Whether the row's bad requests are a part of a whole, whose other parts are rows too. */
  readonly isPart?: boolean
}

export type WatchedFigures = {
  readonly firstDay: Day
  /** By day: whether its stored figures are settled. Its length is the number of days. */
  readonly settled: readonly boolean[]
  /** Days after which figures can be settled. On an earlier morning, a day counts as not settled. */
  readonly settlesAfter: number
  readonly rows: readonly WatchedRow[]
}

/** What is compared with its usual. */
export type WatchedMeasure = 'bad-rate' | 'volume'

/**
 * Days of figures as they were known on one morning. Indexes count from `firstDay` of the figures and may be negative
 * for days before them.
 */
export type KnownDays = {
  readonly figures: WatchedFigures
  readonly morning: Day
  /** Yesterday. */
  readonly last: number
  /** The newest settled day; -1 without one. */
  readonly lastSettled: number
  readonly isSettled: (index: number) => boolean
  readonly dayAt: (index: number) => Day
  readonly indexOf: (day: Day) => number
}

export function knownOn(figures: WatchedFigures, morning: Day): KnownDays {
  const { firstDay, settled, settlesAfter } = figures
  const indexOf = (value: Day) => daysBetween(firstDay, value)
  const today = indexOf(morning)
  const isSettled = (index: number) => index <= today - Math.max(1, settlesAfter) && settled[index] === true
  let lastSettled = today - Math.max(1, settlesAfter)
  while (lastSettled >= 0 && !isSettled(lastSettled)) lastSettled -= 1
  return {
    ...{ figures, morning, last: today - 1, lastSettled, isSettled, indexOf },
    dayAt: (index) => addDays(firstDay, index),
  }
}

/** A count that can be judged: finite and not negative; NaN otherwise. */
export const countAt = (counts: readonly (number | null)[], index: number): number => {
  const count = counts[index] ?? NaN
  return count >= 0 && count < Infinity ? count : NaN
}
