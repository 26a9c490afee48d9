import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  baseIn,
  plotOf,
  ratesOf,
  sharesOf,
  sparkPath,
  MAX_BARS,
  topOf,
  briefLabel,
} from '#renderer/components/chart/plot.ts'
import { seriesOf } from '#renderer/components/chart/series.ts'
import { wholesOf } from '#shared/reports/daily-figures.ts'
import { rowTip } from '#renderer/components/chart/tips.ts'
import { day, daysOf } from '#shared/values/day.ts'
import { checkProperty } from '#test/helpers/properties.ts'

const range = { start: day('2026-11-13'), end: day('2026-11-15') }
const earlier = { start: day('2026-11-10'), end: day('2026-11-12') }

const made = (figures: Record<string, (number | null)[]>, before: Record<string, (number | null)[]> = {}) => {
  const of = (values: typeof figures, days: typeof range) => ({
    days: daysOf(days),
    series: Object.entries(values).map(([header, each]) => ({ header, values: each })),
  })
  return seriesOf(of(figures, range), range, { chart: of(before, earlier), range: earlier })
}

const drawn = (plot: ReturnType<typeof plotOf>) =>
  plot.sets.map(({ header, time, mark, stack }) => `${header} ${time} ${mark} ${stack}`)

describe('what is drawn of days', () => {
  const series = made(
    { Good: [6, 0, null], Bad: [2, 0, 4], Mobile: [4, 0, 2] },
    { Good: [1, 2, 3], Bad: [3, 2, null] },
  )
  const base = baseIn(series, 'Requests')

  it('is a line for each count, and one for what stood there before', () => {
    const plot = plotOf('lines', series, base)
    expect(drawn(plot)).toEqual([
      'Good now line null',
      'Bad now line null',
      'Mobile now line null',
      'Good before line null',
      'Bad before line null',
    ])
    expect(plot.sets[0]?.values).toEqual([6, 0, null])
  })

  it('is stacked where measures add up, what was before in the same way; those that overlap with them are lines', () => {
    expect(drawn(plotOf('stacked', series, base))).toEqual([
      'Good now bar now',
      'Bad now bar now',
      'Mobile now line null',
      'Good before bar before',
      'Bad before bar before',
    ])
  })

  it('is stacked of whatever there is, where nothing is known to add up', () => {
    expect(drawn(plotOf('stacked', made({ Clicks: [1, 2, 3], Views: [1, 2, 3] }), null))).toEqual(
      ['Views now bar now', 'Clicks now bar now'].sort(),
    )
  })

  it('is a share of one whole, also where not all of it is shown, and a day of nothing has no shares', () => {
    const requests = made(
      { Requests: [10, 0, 8], Bad: [2, 0, 4] },
      { Requests: [4, 4, null], Bad: [3, 2, 1] },
    )
    const { unit, sets } = plotOf(
      'share',
      requests.filter(({ header }) => header === 'Bad'),
      baseIn(requests, 'Requests'),
    )
    expect(unit).toBe('share')
    expect(sets.map(({ values }) => values)).toEqual([
      [0.2, null, 0.5],
      [0.75, 0.5, null],
    ])
  })

  it('is a rate as a line over its volume as bars, and a gap where nothing was requested', () => {
    const requests = made({ Requests: [10, 0, 8], Bad: [2, 0, 4] }, { Requests: [4, 4, 4], Bad: [3, 2, 1] })
    const whole = baseIn(requests, 'Requests')
    if (!whole) throw new Error('No base')
    const plot = plotOf('rate', [...ratesOf(requests, whole), whole], whole)
    expect(plot.unit).toBe('rate')
    expect(drawn(plot)).toEqual([
      'Bad rate now line null',
      'Requests now bar null',
      'Bad rate before line null',
      'Requests before bar null',
    ])
    expect(plot.sets[0]?.values).toEqual([0.2, null, 0.5])
    expect(plot.sets[2]?.values).toEqual([0.75, 0.5, 0.25])
    expect(plot.sets[1]?.ink).toBe('volume')
  })

  it('has percentages of what adds up, where the chart does not count what they are usually of', () => {
    expect(base).toMatchObject({ header: 'Good + Bad', values: [8, 0, 4], before: [4, 4, 3] })
    expect(baseIn([], 'Requests')).toBeNull()
  })

  it('is nothing of nothing', () => {
    expect(plotOf('share', [], null).sets).toEqual([])
  })

  it('never has a share that is no number, and the shares of a day make one', () => {
    const counts = fc.array(fc.option(fc.nat({ max: 2 ** 40 })), { minLength: 3, maxLength: 3 })
    checkProperty(
      'shares of a day',
      fc.property(fc.array(counts, { minLength: 1, maxLength: 5 }), (lists) => {
        const wholes = wholesOf(lists, 3)
        const shares = lists.map((values) => sharesOf(values, wholes))
        for (const [index, whole] of wholes.entries()) {
          const known = shares.flatMap((values) => values[index] ?? [])
          expect(known.every((each) => each >= 0 && each <= 1)).toBe(true)
          if (whole !== null && whole > 0)
            expect(known.reduce((sum, each) => sum + each, 0)).toBeCloseTo(1, 9)
          else expect(known).toEqual([])
        }
      }),
    )
  })
})

describe('a sparkline', () => {
  it('breaks where a day is not known, and marks a day that stands alone', () => {
    expect(sparkPath([0, 10, null, 5, null], 40, 10)).toBe('M0 10L10 0M29 5L30 5')
  })

  it('is nothing of nothing, and flat where nothing was counted', () => {
    expect(sparkPath([], 40, 10)).toBe('')
    expect(sparkPath([null], 40, 10)).toBe('')
    expect(sparkPath([0, 0], 40, 10)).toBe('M0 10L40 10')
  })

  it('is made of numbers alone, whatever was counted', () => {
    checkProperty(
      'sparklines',
      fc.property(fc.array(fc.option(fc.nat({ max: 2 ** 40 })), { maxLength: 40 }), (values) => {
        expect(sparkPath(values, 96, 28)).toMatch(/^([ML][\d.]+ [\d.]+)*$/)
      }),
    )
  })
})

describe('bars of the first rows', () => {
  const cells = (...given: (number | string | null)[]) => given
  const table = {
    headers: ['Browser', 'Requests', 'Good', 'Good Rate', 'Bad'],
    all: null,
    rows: Array.from({ length: 15 }, (_, index) => ({
      label: { kind: 'text' as const, text: `Browser ${index}` },
      cells: cells(100 - index, 60, '60.0', index === 1 ? null : 40),
    })),
  }

  it('are read by header, at most so many, null as a gap', () => {
    const top = topOf(table, ['Bad', 'Good', 'Warning'])
    expect(top.labels).toHaveLength(MAX_BARS)
    expect(top.sets.map(({ header }) => header)).toEqual(['Good', 'Bad'])
    expect(top.sets[1]?.values.slice(0, 3)).toEqual([40, null, 40])
    expect(rowTip(top, 1)?.lines.map(({ value }) => value)).toEqual(['60', '–'])
    expect(rowTip(top, MAX_BARS)).toBeNull()
  })

  it('stand on each other only where they add up', () => {
    expect(topOf(table, ['Good', 'Bad']).stacked).toBe(true)
    expect(topOf(table, ['Good', 'Requests']).stacked).toBe(false)
  })

  it('take no text for a count, and no label for a measure', () => {
    expect(topOf(table, ['Good Rate']).sets[0]?.values[0]).toBeNull()
    expect(topOf(table, ['Browser']).sets).toEqual([])
  })

  it('have names of a length that fits, cut between characters', () => {
    checkProperty(
      'brief labels',
      fc.property(fc.string({ unit: 'grapheme', maxLength: 400 }), (label) => {
        const brief = briefLabel(label)
        expect(Array.from(brief).length).toBeLessThanOrEqual(27)
        expect(brief).not.toBe('')
        expect(() => encodeURIComponent(brief)).not.toThrow()
      }),
    )
  })
})
