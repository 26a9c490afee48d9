import { describe, expect, it } from 'vitest'
import { seriesOf } from '#renderer/components/chart/series.ts'
import { dayTip } from '#renderer/components/chart/tips.ts'
import { day } from '#shared/values/day.ts'

const range = { start: day('2026-11-19'), end: day('2026-11-19') }
const chart = {
  days: [range.start],
  series: [
    { header: 'Good', values: [1714] },
    { header: 'Warning', values: [172] },
    { header: 'Bad', values: [124] },
    { header: 'Requests', values: [2160] },
  ],
}

describe('what is said of a day of a chart', () => {
  it('names what its shares are of: what is stacked, not all requests', () => {
    const tip = dayTip('stacked', seriesOf(chart, range), range, null, 0)
    expect(tip?.base).toBe('Shares are of Good, Warning, Bad: 2,010')
    expect(tip?.lines.map(({ header, share }) => [header, share])).toEqual([
      ['Good', '85.3%'],
      ['Warning', '8.6%'],
      ['Bad', '6.2%'],
      ['Requests', ''],
    ])
  })

  it('names nothing where nothing is stacked', () => {
    expect(dayTip('lines', seriesOf(chart, range), range, null, 0)?.base).toBeNull()
  })
})
