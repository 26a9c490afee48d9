import { expect, it } from 'vitest'
import { daysInWords, missingDays } from '#shared/texts/reports.ts'
import { day } from '#shared/values/day.ts'
import type { DayRange } from '#shared/values/day.ts'

const written = { days: ({ start, end }: DayRange) => `${start}..${end}`, count: String }

it('names each run of days once', () => {
  const some = ['2026-11-03', '2026-11-04', '2026-11-09'].map(day)
  expect(daysInWords(some, written)).toBe('2026-11-03..2026-11-04, 2026-11-09..2026-11-09')
  expect(missingDays(some, 31, written)).toBe(
    '28 of 31 days; missing: 2026-11-03..2026-11-04, 2026-11-09..2026-11-09',
  )
})

it('counts the runs of missing days beyond six', () => {
  const odd = Array.from({ length: 8 }, (_, nth) => day(`2026-11-${String(2 * nth + 1).padStart(2, '0')}`))
  expect(missingDays(odd, 30, written)).toMatch(/^22 of 30 days; .*2026-11-11 and 2 more runs of days$/)
})
