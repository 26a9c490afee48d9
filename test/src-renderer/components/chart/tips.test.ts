import { describe, expect, it } from 'vitest'
import { baseIn, ratesOf } from '#renderer/components/chart/plot.ts'
import { seriesOf } from '#renderer/components/chart/series.ts'
import { daysSummary, daysTable, daysToCopy, dayTip } from '#renderer/components/chart/tips.ts'
import { day } from '#shared/values/day.ts'

const range = { start: day('2026-11-19'), end: day('2026-11-20') }
const before = { start: day('2026-11-17'), end: day('2026-11-18') }
const chartOf = (figures: Record<string, number[]>, days: readonly string[]) => ({
  days: days.map(day),
  series: Object.entries(figures).map(([header, values]) => ({ header, values })),
})
const now = chartOf({ Good: [1714, 0], Warning: [172, 0], Bad: [125, 0], Requests: [2500, 0] }, [
  '2026-11-19',
  '2026-11-20',
])
const then = chartOf({ Bad: [80, 100], Requests: [2000, 2000] }, ['2026-11-17', '2026-11-18'])
const all = seriesOf(now, range, { chart: then, range: before })
const base = baseIn(all, 'Requests')
const rates = base
  ? ratesOf(
      all.filter(({ header }) => header === 'Bad'),
      base,
    )
  : []
const asRate = { kind: 'rate', series: base ? [...rates, base] : [], base, range, before } as const

describe('what is said of a day of a chart', () => {
  it('names what its shares are of: all requests, not what is stacked', () => {
    const tip = dayTip({ kind: 'stacked', series: all, base, range, before: null }, 0)
    expect(tip?.base).toBe('Percent of requests')
    expect(tip?.lines.map(({ header, share }) => [header, share])).toEqual([
      ['Good', '68.6%'],
      ['Warning', '6.9%'],
      ['Bad', '5.0%'],
      ['Requests', ''],
    ])
  })

  it('is its rate, what it is of and how it changed in points', () => {
    const tip = dayTip(asRate, 0)
    expect(tip?.base).toBe('Percent of requests')
    expect(tip?.lines).toMatchObject([
      { header: 'Bad rate', value: '5.0%', before: '4.0%', points: '+1.0 points' },
      { header: 'Requests', value: '2,500', before: '2,000' },
    ])
  })

  it('is no rate, and not zero, where nothing was requested', () => {
    expect(dayTip(asRate, 1)?.lines[0]).toMatchObject({ value: '–', before: '5.0%' })
    expect(dayTip(asRate, 1)?.lines[0]).not.toHaveProperty('points')
  })

  it('names nothing where there are no percentages', () => {
    expect(dayTip({ kind: 'lines', series: all, base, range, before: null }, 0)?.base).toBeNull()
  })
})

describe('what stands in for the picture of rates', () => {
  it('are words with the least and the most, and what they are percentages of', () => {
    expect(daysSummary('Script by day', { ...asRate, before: null })).toContain(
      'Bad rate: 5.0% to 5.0%, the most on Thu, Nov 19, 2026. Requests: 0 to 2,500',
    )
    expect(daysSummary('Script by day', asRate)).toMatch(/Percent of requests\.$/)
  })

  it('is a table that has rates beside counts, and in the clipboard as numbers', () => {
    const { head, rows } = daysTable(asRate.series, range)
    expect(head).toEqual(['Date', 'Bad rate', 'Bad rate before', 'Requests', 'Requests before'])
    expect(rows()[0]?.slice(1)).toEqual(['5.0%', '4.0%', '2,500', '2,000'])
    expect(daysToCopy(asRate.series, range).split('\n')[1]?.trim()).toBe('2026-11-19\t5\t4\t2500\t2000')
  })
})
