import { expect, it } from 'vitest'
import type { ReportAnswer } from '#shared/reports/answer.ts'
import { changeIn, comparisonOf } from '#shared/reports/overview-figures.ts'
import { day } from '#shared/values/day.ts'
import type { DayRange } from '#shared/values/day.ts'
import type { Instant } from '#shared/values/ids.ts'
import { soundFigures } from '#test/helpers/known-figures.ts'

const rangeOf = (start: string, end: string): DayRange => ({ start: day(start), end: day(end) })
const shownDays = rangeOf('2026-11-17', '2026-11-20')
const comparedDays = rangeOf('2026-11-17', '2026-11-19')
const daysBefore = rangeOf('2026-11-10', '2026-11-12')
const noon = Date.parse('2026-11-20T12:00:00Z')

const overview = (range: DayRange, suspect: number, minutes: number): ReportAnswer => ({
  kind: 'overview',
  query: {
    ...{ kind: 'overview', family: 'direct', range, chart: true },
    ...{ instance: null, source: null, campaign: null },
  },
  figures: { total: { suspect, nonsuspect: 100 }, chart: null } as Extract<
    ReportAnswer,
    { kind: 'overview' }
  >['figures'],
  provenance: { ...soundFigures, fetchedAt: (noon + minutes * 60_000) as Instant },
})
const before = overview(daysBefore, 10, 0)
const changeWith = (shown: ReportAnswer, now: ReportAnswer) =>
  changeIn(comparisonOf('direct', { shown, now, before }, 'UTC', null), 'Suspect')?.difference

it('compares figures that were fetched within a minute of those shown', () => {
  expect(changeWith(overview(shownDays, 40, 0), overview(comparedDays, 30, 0.5))).toBe(20)
})

it('compares nothing where recent days were fetched at another time than those shown', () => {
  expect(changeWith(overview(shownDays, 40, 4), overview(comparedDays, 30, 0))).toBeNull()
})

it('compares settled days whenever they were fetched', () => {
  const later = 10 * 24 * 60
  expect(changeWith(overview(shownDays, 40, later), overview(comparedDays, 30, later + 100))).toBe(20)
})
