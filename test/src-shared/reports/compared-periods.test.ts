import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { changeOf } from '#shared/reports/change.ts'
import { comparedLengths, comparedPeriods } from '#shared/reports/compared-periods.ts'
import { comparedSentences } from '#shared/texts/reports.ts'
import { addDays, day, daysOf } from '#shared/values/day.ts'
import type { DayRange } from '#shared/values/day.ts'
import { checkProperty } from '#test/helpers/properties.ts'

const today = day('2026-11-26')
const written = {
  days: ({ start, end }: DayRange) => (start === end ? start : `${start} to ${end}`),
  count: String,
}
const range = (start: string, end: string): DayRange => ({ start: day(start), end: day(end) })
const wordsOf = (now: DayRange, before: DayRange, compared: { days: number; of: number } | null = null) =>
  comparedSentences({ periods: comparedPeriods(now, before, today), compared }, written).join(' ')

const anyRange = fc
  .tuple(fc.integer({ min: -40, max: 3 }), fc.integer({ min: 1, max: 30 }))
  .map(([first, days]) => ({ start: addDays(today, first), end: addDays(today, first + days - 1) }))
/** So many requests on a day, of which a part is bad. */
const requestsOn = (each: string) => 1000 + (Number(each.slice(8)) % 7) * 10
const badOn = (each: string) => 100 + (Number(each.slice(8)) % 5)
const sum = (days: readonly string[], of: (each: string) => number) =>
  days.reduce((all, each) => all + of(each), 0)

describe('what is compared of two periods', () => {
  it('are their days that are over, day by day where they are of one length', () => {
    expect(
      comparedPeriods(range('2026-11-23', '2026-11-26'), range('2026-11-19', '2026-11-22'), today),
    ).toEqual({
      kind: 'periods',
      now: range('2026-11-23', '2026-11-25'),
      before: range('2026-11-19', '2026-11-21'),
      leftOut: [today],
    })
    expect(comparedPeriods(range(today, today), range('2026-11-25', '2026-11-25'), today)).toEqual({
      kind: 'nothing',
      leftOut: [today],
    })
  })

  it('is said in words where it is not all of two periods of one length', () => {
    expect(wordsOf(range('2026-11-19', '2026-11-25'), range('2026-11-12', '2026-11-18'))).toBe('')
    expect(wordsOf(range('2026-11-23', '2026-11-26'), range('2026-11-19', '2026-11-22'))).toBe(
      'Compares 2026-11-23 to 2026-11-25 with 2026-11-19 to 2026-11-21. Left out: 2026-11-26, still in progress.',
    )
    expect(wordsOf(range('2026-11-19', '2026-11-25'), range('2026-10-20', '2026-11-16'))).toBe(
      'Changes are per day: 7 days against 28.',
    )
    expect(wordsOf(range(today, today), range('2026-11-25', '2026-11-25'))).toBe(
      'Nothing is compared: 2026-11-26 is still in progress.',
    )
    expect(
      wordsOf(range('2026-11-19', '2026-11-25'), range('2026-11-12', '2026-11-18'), { days: 4, of: 7 }),
    ).toBe('Compares 4 of 7 days: those saved for both periods.')
  })

  it('has equal numbers of whole days on both sides wherever nothing is said', () => {
    checkProperty(
      'compared periods',
      fc.property(anyRange, anyRange, (now, before) => {
        const periods = comparedPeriods(now, before, today)
        const over = (days: DayRange) => daysOf(days).filter((each) => each < today)
        const open = [...new Set([...daysOf(now), ...daysOf(before)])].filter((each) => each >= today).sort()
        expect(periods.leftOut).toEqual(open)
        if (periods.kind === 'nothing') {
          expect(Math.min(over(now).length, over(before).length)).toBe(0)
          return
        }
        const [here, there] = [daysOf(periods.now), daysOf(periods.before)]
        expect([...here, ...there].every((each) => each < today)).toBe(true)
        expect(daysOf(now).slice(0, here.length)).toEqual(here)
        expect(daysOf(before).slice(0, there.length)).toEqual(there)
        const isOneLength = daysOf(now).length === daysOf(before).length
        if (isOneLength) expect(here).toHaveLength(Math.min(over(now).length, over(before).length))
        else expect([here.length, there.length]).toEqual([over(now).length, over(before).length])
        const words = comparedSentences({ periods, compared: null }, written)
        if (words.length === 0) expect(here).toHaveLength(there.length)
        expect(words.some((each) => each.startsWith('Changes are per day'))).toBe(
          here.length !== there.length,
        )
      }),
    )
  })

  it('is a change of sums of as many days, or of what a day counts on either side', () => {
    checkProperty(
      'changes per day',
      fc.property(anyRange, anyRange, (now, before) => {
        const periods = comparedPeriods(now, before, today)
        if (periods.kind === 'nothing') return
        const [here, there] = [daysOf(periods.now), daysOf(periods.before)]
        const [count, then] = [sum(here, badOn), sum(there, badOn)]
        const [of, ofThen] = [sum(here, requestsOn), sum(there, requestsOn)]
        const lengths = comparedLengths(periods, null)
        const change = changeOf('Bad', { count, of }, { count: then, of: ofThen }, { lengths })
        const perDay = here.length !== there.length
        expect(change.perDay).toBe(perDay)
        const [daily, dailyThen] = [count / here.length, then / there.length]
        expect(change.difference).toBeCloseTo(perDay ? daily - dailyThen : count - then, 9)
        expect(change.proportion).toBeCloseTo((daily - dailyThen) / dailyThen, 9)
        expect(change).toMatchObject({ before: then, rate: Math.round((count / of) * 10_000) / 100 })
      }),
    )
  })

  it('is per day too where days are missing of periods of unequal length', () => {
    const periods = comparedPeriods(
      range('2026-11-19', '2026-11-25'),
      range('2026-10-20', '2026-11-16'),
      today,
    )
    const compared = { days: 6, of: 7, against: { days: 25, of: 28 } }
    expect(comparedSentences({ periods, compared }, written)).toEqual([
      'Compares 6 of 7 days with 25 of 28: those saved.',
      'Changes are per day: 6 days against 25.',
    ])
  })
})
