import type { Day, DayRange } from '../values/day.ts'
import { presetNames, presets, rangeOf } from '../views/period.ts'
import type { RawPeriod } from './asking.ts'

/** The periods of a template, each with its name. */
export const rawPeriods: Readonly<Record<RawPeriod, string>> = presets

export const rawPeriodNames: readonly RawPeriod[] = presetNames

/** The day of the week as calendars of business count: 1 is Monday, 7 is Sunday. */
export function weekdayOf(value: Day): 1 | 2 | 3 | 4 | 5 | 6 | 7 {
  const names = [7, 1, 2, 3, 4, 5, 6] as const
  return names[new Date(value).getUTCDay()] ?? 7
}

/** The days of a period on a day. */
export const rawRangeOf = (period: RawPeriod, today: Day): DayRange =>
  rangeOf({ kind: 'preset', preset: period }, today)
