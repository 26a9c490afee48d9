import type { ComparedDays, ComparedPeriods, Periods } from '#shared/reports/compared-periods.ts'
import { comparedSentences } from '#shared/texts/reports.ts'
import { comparedPeriods, isPerDay, lengthsOf } from '#shared/reports/compared-periods.ts'
import type { Day, DayRange } from '#shared/values/day.ts'
import { count, days } from './formats.ts'

/** What has to be said of a comparison; nothing where all days of two periods of one length are compared. */
export const comparedWords = (periods: ComparedPeriods, compared: ComparedDays | null): string =>
  comparedSentences({ periods, compared }, { days, count }).join(' ')

/** What is compared of a range and the days compared with at this moment; null where nothing is. */
export const periodsOf = (range: DayRange, before: DayRange | null, today: Day): ComparedPeriods | null =>
  before && comparedPeriods(range, before, today)

/** Whether a chart lays the days compared with beside the days it shows: only where they are as many, day by day. */
export const canBeDrawn = (periods: Periods | null): periods is Periods =>
  periods !== null && !isPerDay(lengthsOf(periods))
