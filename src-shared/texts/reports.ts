import { comparedLengths, isPerDay } from '../reports/compared-periods.ts'
import type { ComparedDays, ComparedPeriods } from '../reports/compared-periods.ts'
import type { DayRange } from '../values/day.ts'

/** What is compared: all whole days of two periods, or some pairs of them where days are missing. */
export type Compared = { readonly periods: ComparedPeriods; readonly compared: ComparedDays | null }

/** How a run of days, several runs, and a number are written where the words stand. */
export type Written = {
  readonly days: (range: DayRange) => string
  readonly count: (value: number) => string
}

/**
 * What has to be said of a comparison beside its figures, a sentence each; nothing where all days of two periods of one length
 * are compared.
 */
export function comparedSentences({ periods, compared }: Compared, { days, count }: Written): string[] {
  const open = periods.leftOut.map((day) => days({ start: day, end: day })).join(', ')
  const isOne = periods.leftOut.length === 1
  if (periods.kind === 'nothing')
    return [`Nothing is compared: ${open} ${isOne ? 'is' : 'are'} still in progress.`]
  const lengths = comparedLengths(periods, compared)
  return [
    ...(open === ''
      ? []
      : [
          `Compares ${days(periods.now)} with ${days(periods.before)}. Left out: ${open}, still in progress.`,
        ]),
    ...(compared ? [pairWords(compared, count)] : []),
    ...(isPerDay(lengths)
      ? [`Changes are per day: ${count(lengths.now)} days against ${count(lengths.before)}.`]
      : []),
  ]
}

/** Over which days two periods are compared of which some are missing: `Compares 4 of 7 days: those saved for both periods.` */
export function pairWords({ days, of, against }: ComparedDays, count: (value: number) => string): string {
  if (days === 0) return 'Nothing is compared: no day is saved for both periods.'
  if (against)
    return `Compares ${count(days)} of ${count(of)} days with ${count(against.days)} of ${count(against.of)}: those saved.`
  return `Compares ${count(days)} of ${count(of)} days: those saved for both periods.`
}
