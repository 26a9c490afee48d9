import { describe, expect, it } from 'vitest'
import type { Chart } from '#shared/api/answers.ts'
import { daysTable, daysSummary, dayTip } from '#renderer/components/chart/tips.ts'
import { chosenMeasures, offeredMeasures, looksOf, seriesOf } from '#renderer/components/chart/series.ts'
import { baseIn, gapsOf } from '#renderer/components/chart/plot.ts'
import { NOTHING, count, dayInFull } from '#renderer/components/formats.ts'
import { day } from '#shared/values/day.ts'

const range = { start: day('2026-11-13'), end: day('2026-11-16') }
const before = { start: day('2026-11-06'), end: day('2026-11-08') }

const chart = (days: readonly string[], series: Record<string, (number | null)[]>): Chart => ({
  days: days.map(day),
  series: Object.entries(series).map(([header, values]) => ({ header, values })),
})

/** The 15th is not in it, and its days stand in no order. */
const now = chart(['2026-11-16', '2026-11-13', '2026-11-14'], { Bad: [16, 13, null], Good: [160, 130, 140] })
const then = chart(['2026-11-06', '2026-11-07', '2026-11-08'], { Bad: [6, 7, 8] })

describe('the series of a chart', () => {
  it('are read by header, in an order of their own', () => {
    const all = ['Mobile', 'Suspect', 'constructor', 'Non-Suspect'].map((header) => ({ header, values: [1] }))
    const series = seriesOf({ days: [range.start], series: all }, { start: range.start, end: range.start })
    expect(series.map(({ header, part }) => [header, part])).toEqual([
      ['Non-Suspect', true],
      ['Suspect', true],
      ['Mobile', false],
      ['constructor', false],
    ])
  })

  it('have a value for each day of the range, and null, not zero, where there is none', () => {
    const [good, bad] = seriesOf(now, range)
    expect(good?.values).toEqual([130, 140, null, 160])
    expect(bad?.values).toEqual([13, null, null, 16])
    expect(gapsOf(seriesOf(now, range), range)).toEqual(['2026-11-15'])
  })

  it('leave out days of which nobody asked', () => {
    const one = { start: range.start, end: range.start }
    expect(seriesOf(now, one).map(({ values }) => values)).toEqual([[130], [13]])
  })

  it('have what is compared beside them, first day under first day', () => {
    const [good, bad] = seriesOf(now, range, { chart: then, range: before })
    expect(bad?.before).toEqual([6, 7, 8, null])
    expect(good?.before).toBeNull()
    const waiting = seriesOf(now, range, { chart: null, range: before })
    expect(waiting.every((each) => each.before === null)).toBe(true)
  })

  it('look different from each other, strangers too', () => {
    const strangers = Array.from({ length: 12 }, (_, index) => `Rule ${index}`)
    const headers = ['Good', 'Warning', 'Bad', 'Drops', 'Requests', 'Responses', 'Mobile', 'Ad Blocker']
    for (const together of [headers, strangers]) {
      const looks = [...looksOf(together).values()].map(({ ink, shape }) => `${ink} ${shape}`)
      expect(new Set(looks).size).toBe(together.length)
    }
  })
})

describe('a day of the chart, pointed at', () => {
  const series = seriesOf(now, range, { chart: then, range: before })
  const shown = { kind: 'stacked', series, base: baseIn(series, 'Requests'), range, before } as const

  it('is named with the day it is compared with, and has every value of both', () => {
    const tip = dayTip({ ...shown, kind: 'lines' }, 0)
    expect(tip?.title).toBe(dayInFull(day('2026-11-13')))
    expect(tip?.against).toContain(dayInFull(day('2026-11-06')))
    expect(tip?.lines.map(({ header, value, before: was }) => [header, value, was])).toEqual([
      ['Good', '130', null],
      ['Bad', '13', '6'],
    ])
  })

  it('names no other day where the other run of days is shorter, and a dash where nothing is known', () => {
    const tip = dayTip(shown, 3)
    expect(tip?.against).toBeNull()
    expect(tip?.lines[1]).toMatchObject({ value: '16', before: NOTHING })
  })

  it('says the share of what is stacked, where nothing else is counted', () => {
    expect(dayTip(shown, 0)?.lines.map(({ share }) => share)).toEqual([
      expect.stringMatching(/^90\.9/),
      expect.stringMatching(/^9\.1/),
    ])
    expect(dayTip({ ...shown, kind: 'lines' }, 0)?.lines.map(({ share }) => share)).toEqual(['', ''])
  })

  it('is nothing outside the range', () => {
    expect(dayTip(shown, 4)).toBeNull()
  })
})

describe('a chart in words and in a table', () => {
  const series = seriesOf(now, range, { chart: then, range: before })
  const shown = { kind: 'lines', series, base: null, range, before: null } as const

  it('names the least and the most of each measure', () => {
    const words = daysSummary('Script by day', shown)
    expect(words).toContain(`Good: 130 to 160, the most on ${dayInFull(day('2026-11-16'))}.`)
    const none = seriesOf(chart([], { Bad: [] }), range)
    expect(daysSummary('x', { ...shown, series: none })).toContain('Bad: no figures.')
  })

  it('has a row for each day, and a column for what stood there before', () => {
    const { head, rows } = daysTable(series, range)
    expect(head).toEqual(['Date', 'Good', 'Bad', 'Bad before'])
    expect(rows()).toHaveLength(4)
    expect(rows()[2]).toEqual([dayInFull(day('2026-11-15')), NOTHING, NOTHING, count(8)])
  })
})

describe('the measures of a chart', () => {
  it('are those that a family is judged by, where nobody chose others', () => {
    const offered = offeredMeasures(['Mobile', 'Bad', 'Requests', 'Good', 'Warning'], [])
    expect(offered).toEqual(['Good', 'Warning', 'Bad', 'Requests', 'Mobile'])
    expect(chosenMeasures('rate', 'script', offered, [])).toEqual(['Bad'])
    expect(chosenMeasures('rate', 'direct', ['Non-Suspect', 'Suspect'], [])).toEqual(['Suspect'])
    expect(chosenMeasures('lines', 'script', [...offered, 'Drops'], [])).toEqual(['Good', 'Warning', 'Bad'])
    expect(chosenMeasures('share', 'script', [...offered, 'Drops'], []).at(-1)).toBe('Drops')
    expect(chosenMeasures('rate', 'script', offered, ['Mobile'])).toEqual(['Mobile'])
  })

  it('are all there are, where the usual ones are not among them', () => {
    expect(chosenMeasures('rate', 'direct', ['Clicks'], [])).toEqual(['Clicks'])
  })

  it('can be chosen although they are not there now', () => {
    expect(offeredMeasures(['Good'], ['Bad'])).toEqual(['Good', 'Bad'])
  })
})
