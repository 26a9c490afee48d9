import { describe, expect, it } from 'vitest'
import { rawPeriodNames, rawPeriods, rawRangeOf } from '#shared/raw/requests.ts'
import { day, weekdayOf } from '#shared/values/day.ts'

describe('the days of a template', () => {
  it.each([
    ['last-week', '2026-11-23', '2026-11-16', '2026-11-22'],
    ['last-week', '2026-11-29', '2026-11-16', '2026-11-22'],
    ['last-week', '2027-01-01', '2026-12-21', '2026-12-27'],
    ['yesterday', '2026-11-20', '2026-11-19', '2026-11-19'],
    ['last-month', '2026-03-31', '2026-02-01', '2026-02-28'],
  ] as const)('%s on %s are %s to %s', (period, today, start, end) => {
    expect(rawRangeOf(period, day(today))).toEqual({ start, end })
  })

  it('count the week from Monday', () => {
    const days = [
      '2026-11-16',
      '2026-11-17',
      '2026-11-18',
      '2026-11-19',
      '2026-11-20',
      '2026-11-21',
      '2026-11-22',
    ]
    expect(days.map((each) => weekdayOf(day(each)))).toEqual([1, 2, 3, 4, 5, 6, 7])
  })

  it('have names, each its own', () => {
    expect(new Set(rawPeriodNames.map((each) => rawPeriods[each])).size).toBe(rawPeriodNames.length)
    expect(Object.keys(rawPeriods).toSorted()).toEqual([...rawPeriodNames].toSorted())
  })
})
