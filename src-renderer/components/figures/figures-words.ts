import type { DayAge, Provenance } from '#shared/reports/answer.ts'
import type { WaysToWrite } from '#shared/reports/figure-facts.ts'
import type { UnsettledDays } from '#shared/reports/settled.ts'
import { daysBetween } from '#shared/values/day.ts'
import type { Day, DayRange } from '#shared/values/day.ts'
import { count, days, moment } from '../formats.ts'
import { runsOf } from '../missing-days.ts'

/** Where figures come from, in a line of words: nobody has to guess who added or divided. */
export function originWords(
  { from, fetchedAt, missing, spans = [] }: Provenance,
  of: number,
  now: number,
): string {
  const at = moment(fetchedAt, now)
  switch (from) {
    case 'service':
      return `Updated at ${at}`
    case 'stored':
      return `Saved, updated at ${at}`
    case 'computed': {
      const stored = of - missing.length
      if (spans.length > 0) return `${spanWords(spans, stored)}, updated at ${at}`
      return stored === 1
        ? `Computed from a saved day, updated at ${at}`
        : `Combined from ${count(stored)} saved days, the oldest updated at ${at}`
    }
  }
}

/** Of what figures are made that were not saved day by day: `Combined from Nov 13 – 16, 2026, saved as one, and 3 saved days`. */
function spanWords(spans: readonly DayRange[], stored: number): string {
  const single = stored - spans.reduce((all, { start, end }) => all + daysBetween(start, end) + 1, 0)
  const runs = `${spans.map(days).join(' and ')}, ${spans.length === 1 ? 'saved as one' : 'each saved as one'}`
  if (single <= 0) return `${spans.length === 1 ? 'Computed' : 'Combined'} from ${runs}`
  return `Combined from ${runs}, and ${count(single)} saved ${single === 1 ? 'day' : 'days'}`
}

/** When the figures of which days were fetched, the newest days first. */
export const agesOf = ({ ages, fetchedAt }: Provenance, range: DayRange): readonly DayAge[] =>
  ages ? ages.toReversed() : [{ range, fetchedAt }]

/** Days in words: `Nov 18, 2026, Nov 20 – 22, 2026`. They are in order of the calendar. */
export const daysInWords = (some: readonly Day[]): string => runsOf(some).map(days).join(', ')

/** That days are not over: `Not over: Nov 22, 2026. Its figures go up to 6:42 AM.` Null where all are. */
export function openWords(
  { open }: Pick<UnsettledDays, 'open'>,
  fetchedAt: number,
  now: number,
): string | null {
  if (open.length === 0) return null
  const whose = open.length === 1 ? 'Its' : 'Their'
  return `Not over: ${daysInWords(open)}. ${whose} figures go up to ${moment(fetchedAt, now)}.`
}

/** How the window writes what is known of figures. @param now 0 on pages, which have no today */
export const inWindow = (now: number): WaysToWrite => ({
  days,
  someDays: daysInWords,
  moment: (at) => moment(at, now),
  count,
})
