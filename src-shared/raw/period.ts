import { addDays } from '../values/day.ts'
import type { Day, DayRange } from '../values/day.ts'
import { presetNames, presets, rangeOf } from '../views/period.ts'
import type { RawPeriod } from './asking.ts'

/** The periods of a template, each with its name. */
export const rawPeriods: Readonly<Record<RawPeriod, string>> = { ...presets, 'last-week': 'Last week' }

export const rawPeriodNames: readonly RawPeriod[] = [...presetNames, 'last-week']

/** The day of the week as calendars of business count: 1 is Monday, 7 is Sunday. */
export function weekdayOf(value: Day): 1 | 2 | 3 | 4 | 5 | 6 | 7 {
  const names = [7, 1, 2, 3, 4, 5, 6] as const
  return names[new Date(value).getUTCDay()] ?? 7
}

/** The days of a period on a day; the last week is the one before this one, Monday to Sunday. */
export function rawRangeOf(period: RawPeriod, today: Day): DayRange {
  if (period !== 'last-week') return rangeOf({ kind: 'preset', preset: period }, today)
  const monday = addDays(today, 1 - weekdayOf(today))
  return { start: addDays(monday, -7), end: addDays(monday, -1) }
}
