import type { DayAge, Provenance } from '../../../src-shared/reports/answer.ts'
import { unsettledDays } from '../../../src-shared/reports/settled.ts'
import type { UnsettledDays } from '../../../src-shared/reports/settled.ts'
import { dayAt } from '../../../src-shared/values/day.ts'
import type { Day, DayRange } from '../../../src-shared/values/day.ts'
import { count, days, moment } from '../formats.ts'
import { runsOf } from '../missing-days.ts'

/** Where figures come from, in a line of words: nobody has to guess who added or divided. */
export function originWords({ from, fetchedAt, missing }: Provenance, of: number, now: number): string {
  const at = moment(fetchedAt, now)
  switch (from) {
    case 'service':
      return `Updated at ${at}`
    case 'kept':
      return `Saved, updated at ${at}`
    case 'computed': {
      const kept = of - missing.length
      return kept === 1
        ? `Computed from a saved day, updated at ${at}`
        : `Combined from ${count(kept)} saved days, the oldest updated at ${at}`
    }
  }
}

/** When the figures of which days were fetched, the newest days first. */
export const agesOf = ({ ages, fetchedAt }: Provenance, range: DayRange): readonly DayAge[] =>
  ages ? ages.toReversed() : [{ range, fetchedAt }]

/** Which days of figures can still become others; those that are missing are told of as such. */
export function unsettledOf(
  { ages, fetchedAt, missing }: Pick<Provenance, 'ages' | 'fetchedAt' | 'missing'>,
  range: DayRange,
  zone: string,
): UnsettledDays {
  const found = (ages ?? [{ range, fetchedAt }]).map((each) =>
    unsettledDays(each.range, dayAt(each.fetchedAt, zone)),
  )
  const there = (day: Day) => !missing.includes(day)
  return {
    open: found.flatMap(({ open }) => open).filter(there),
    moving: found.flatMap(({ moving }) => moving).filter(there),
  }
}

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
