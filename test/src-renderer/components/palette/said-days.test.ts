import { describe, expect, it } from 'vitest'
import { takeComparison, takePeriod } from '#renderer/components/palette/said-days.ts'
import { wordsOf } from '#renderer/components/palette/match.ts'
import { day } from '#shared/values/day.ts'

/** A Friday. */
const today = day('2026-11-20')
const days = (start: string, end = start) => ({ kind: 'custom', range: { start, end } })
const preset = (name: string) => ({ kind: 'preset', preset: name })

describe('days that are named', () => {
  it.each([
    ['yesterday', preset('yesterday'), []],
    ['Last 28 days', preset('last-28-days'), []],
    ['kestrel 28 days', preset('last-28-days'), ['kestrel']],
    ['past week in germany', preset('last-7-days'), ['in', 'germany']],
    ['last 30 days', days('2026-10-21', '2026-11-19'), []],
    ['3 days of kestrel', days('2026-11-17', '2026-11-19'), ['of', 'kestrel']],
    ['monday', days('2026-11-16'), []],
    ['last friday', days('2026-11-13'), []],
    ['october', days('2026-10-01', '2026-10-31'), []],
    ['november', days('2026-11-01', '2026-11-20'), []],
    ['december', days('2025-12-01', '2025-12-31'), []],
    ['nov 18', days('2026-11-18'), []],
    ['18 november', days('2026-11-18'), []],
    ['nov 25', days('2025-11-25'), []],
    ['on 2026-11-03', days('2026-11-03'), ['on']],
  ])('“%s”', (text, found, rest) => {
    expect(takePeriod(wordsOf(text), today)).toEqual({ value: found, rest })
  })

  it.each(['', 'weekday', '0 days', '999 days', '2026-12-24', '2026-02-30', 'feb 30', '28'])(
    'are none in “%s”',
    (text) => expect(takePeriod(wordsOf(text), today)).toBeNull(),
  )
})

it.each([
  ['the period before', 'period-before'],
  ['last year', 'year-before'],
  ['a week ago', 'week-before'],
  ['nothing', 'none'],
])('“%s” is a comparison of its own', (text, found) => {
  expect(takeComparison(wordsOf(text))?.value).toBe(found)
})
