import { describe, expect, it } from 'vitest'
import { chartOf, sumOfTotals } from '#main/reports/engine/totals.ts'
import type { Totals } from '#shared/api/answers.ts'
import { day } from '#shared/values/day.ts'

const part = (start: string, total: Totals, end = start) => ({
  range: { start: day(start), end: day(end) },
  total,
})
const script = { drops: 5, good: 10, warning: 2, bad: 3, mobile: 7, adblocker: null }

describe('totals', () => {
  it('are summed by name: nulls stay out, null and null is null', () => {
    const totals = [
      { good: 1, adblocker: null, mobile: null },
      { good: 2, adblocker: 0, mobile: null, extra: 3 },
    ]
    expect(sumOfTotals(totals)).toEqual({ good: 3, adblocker: 0, mobile: null, extra: 3 })
  })

  it('are not known where a text stands in place of a count; one alone stays as it came', () => {
    const masked = { good: '< 10', bad: 3, mobile: ' --' }
    expect(sumOfTotals([masked])).toEqual(masked)
    expect(sumOfTotals([{ good: 5, bad: 1, mobile: null }, masked])).toEqual({
      good: null,
      bad: 4,
      mobile: null,
    })
    expect(sumOfTotals([masked, { good: 5, bad: 1 }])).toEqual({ good: null, bad: 4, mobile: null })
  })
})

describe('a chart of totals', () => {
  it('derives requests and responses, and has null where a part is not known', () => {
    const { days, series } = chartOf(
      [part('2026-11-01', script), part('2026-11-02', { ...script, good: null }), part('2026-11-03', {})],
      'script',
    )
    expect(days).toEqual(['2026-11-01', '2026-11-02', '2026-11-03'])
    expect(series).toEqual([
      { header: 'Bad', values: [3, 3, null] },
      { header: 'Warning', values: [2, 2, null] },
      { header: 'Good', values: [10, null, null] },
      { header: 'Responses', values: [15, null, null] },
      { header: 'Requests', values: [20, null, null] },
      { header: 'Mobile', values: [7, 7, null] },
      { header: 'Ad Blocker', values: [null, null, null] },
    ])
  })

  it('has what the dimension counts, and single days alone', () => {
    const chart = chartOf(
      [part('2026-11-01', script), part('2026-11-02', script, '2026-11-03')],
      'script',
      'referrers',
    )
    expect(chart.days).toEqual(['2026-11-01'])
    expect(chart.series.map(({ header }) => header)).not.toContain('Requests')
  })
})
