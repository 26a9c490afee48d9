import type { Day, DayRange } from '../values/day.ts'
import { presetNames, presets, rangeOf } from '../views/period.ts'
import type { RawPeriod } from './asking.ts'

/** The periods of a template, each with its name. */
export const rawPeriods: Readonly<Record<RawPeriod, string>> = presets

export const rawPeriodNames: readonly RawPeriod[] = presetNames

/** The days of a period on a day. */
export const rawRangeOf = (period: RawPeriod, today: Day): DayRange =>
  rangeOf({ kind: 'preset', preset: period }, today)
