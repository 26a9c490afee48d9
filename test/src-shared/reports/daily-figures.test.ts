import { describe, expect, it } from 'vitest'
import { completed } from '#shared/reports/daily-figures.ts'
import { day, daysOf } from '#shared/values/day.ts'

const range = { start: day('2026-11-13'), end: day('2026-11-15') }

describe('a chart with what follows from its figures', () => {
  const days = daysOf(range)
  const of = (figures: Record<string, (number | null)[]>) => ({
    days,
    series: Object.entries(figures).map(([header, values]) => ({ header, values })),
  })

  it('has requests as the sum of all their parts', () => {
    const { series } = completed('direct', of({ Suspect: [1, 2, null], 'Non-Suspect': [3, 4, null] }))
    expect(series.at(-1)).toEqual({ header: 'Requests', values: [4, 6, null] })
  })

  it('has drops as what the others leave of the requests, and nothing where more is lacking', () => {
    const parts = { Good: [5, 5, null], Warning: [1, 1, 1], Bad: [2, 2, 2] }
    const { series } = completed('script', of({ ...parts, Requests: [10, 8, 9] }))
    expect(series.at(-1)).toEqual({ header: 'Drops', values: [2, 0, null] })
    expect(completed('script', of(parts)).series).toHaveLength(3)
    expect(completed('script', of({ Good: [1, 1, 1], Requests: [2, 2, 2] })).series).toHaveLength(2)
  })
})
