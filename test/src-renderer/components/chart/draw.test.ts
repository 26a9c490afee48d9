import { readFileSync } from 'node:fs'
import { describe, expect, it, vi } from 'vitest'
import { drawDays, drawTop, figuresAxis, isMarked } from '#renderer/components/chart/draw.ts'
import type { Palette } from '#renderer/components/chart/series.ts'
import type { Plot, PlotSet } from '#renderer/components/chart/plot.ts'
import { apart, contrast, sightNames } from './colours.ts'

vi.unmock('#renderer/components/chart/draw.ts')

const palette: Palette = { colour: (token) => `colour of ${token}`, font: { family: 'any', size: 12 } }

const ghost = (ink: string) => `color-mix(in srgb, colour of --series-${ink} 50%, colour of --surface)`

const set = (more: Partial<PlotSet>): PlotSet => ({
  header: 'Bad',
  ink: 'bad',
  shape: 'diamond',
  time: 'now',
  mark: 'line',
  stack: null,
  values: [1, null, 3],
  ...more,
})

describe('what the drawing library is told', () => {
  it('has gaps where there are no figures, and a paler line for the days before', () => {
    const plot = { sets: [set({}), set({ time: 'before' })], unit: 'count', stacked: false } as const
    const [now, before] = drawDays(plot, ['13', '14', '15'], palette).data.datasets
    expect(now).toMatchObject({
      ...{ type: 'line', data: [1, null, 3], spanGaps: false, pointStyle: 'rectRot' },
      borderColor: 'colour of --series-bad',
    })
    expect(before).toMatchObject({ type: 'line', borderColor: ghost('bad') })
    expect(before).not.toHaveProperty('borderDash')
  })

  it('stacks bars on each other and lines on nothing that is not theirs, and the stack before stands first', () => {
    const sets = [
      set({ mark: 'bar', stack: 'now' }),
      set({ header: 'Good', mark: 'bar', stack: 'now' }),
      set({ header: 'Mobile' }),
      set({ time: 'before', mark: 'bar', stack: 'before' }),
    ]
    const { data, options } = drawDays({ sets, unit: 'share', stacked: true }, [], palette)
    expect(data.datasets.map(({ stack, type }) => `${type} ${stack}`)).toEqual([
      'bar now',
      'bar now',
      'line now Mobile',
      'bar before',
    ])
    const [now, , line, before] = data.datasets.map(({ order }) => order ?? 0)
    expect(before).toBeLessThan(now ?? 0)
    expect(line).toBeLessThan(before ?? 0)
    expect(options?.scales?.['y']).toMatchObject({ stacked: true, suggestedMax: 1, beginAtZero: true })
    // Shares that are all of it add up to a little more, and a service can send more than all.
    const ends = [0.1 + 0.7 + 0.2 + 1e-12, 1.2].map((max) => {
      const axis = { max }
      figuresAxis(palette, 'share', true).afterDataLimits?.(axis)
      return axis.max
    })
    expect(ends).toEqual([1, 1.2])
  })

  it('draws rates over bars of volume that count on an axis of their own, what was before on both sides of them', () => {
    const volume = { header: 'Requests', ink: 'volume', mark: 'bar', values: [100, 0, 200] } as const
    const sets = [set({}), set(volume), set({ time: 'before' }), set({ ...volume, time: 'before' })]
    const { data, options } = drawDays({ sets, unit: 'rate', stacked: false }, ['13', '14', '15'], palette)
    const [line, now, lineBefore, before] = data.datasets
    expect([line, lineBefore].map((each) => each && 'yAxisID' in each)).toEqual([false, false])
    expect(now).toMatchObject({
      yAxisID: 'volume',
      grouped: false,
      backgroundColor: expect.any(Function) as unknown,
    })
    expect(before).toMatchObject({ yAxisID: 'volume', grouped: false, barPercentage: 1 })
    expect(now).toMatchObject({ barPercentage: 0.6 })
    const orders = [line, lineBefore, now, before].map((each) => each?.order ?? 0)
    expect(orders).toEqual(orders.toSorted((one, other) => one - other))
    expect(options?.scales?.['volume']).toMatchObject({ position: 'right', grid: { display: false } })
    expect(Number(options?.scales?.['volume']?.suggestedMax)).toBeGreaterThan(2 * 200)
  })

  it('fills the band between two limits, and strokes a single one', () => {
    const limits = (band: NonNullable<Plot['band']>) =>
      drawDays({ sets: [], unit: 'rate', stacked: false, band }, ['13', '14'], palette).data.datasets
    expect(limits({ low: [null, 1], high: [null, 3] })).toMatchObject([
      { label: 'high', data: [null, 3], borderWidth: 0, fill: '+1' },
      { label: 'low', data: [null, 1], borderWidth: 0, fill: false },
    ])
    for (const band of [
      { low: [null, null], high: [2, 2] },
      { low: [2, 2], high: [null, null] },
    ])
      expect(limits(band)).toMatchObject([
        { label: 'limit', data: [2, 2], borderWidth: 2, borderColor: 'colour of --text-quiet', fill: false },
      ])
  })

  it('draws a day that is still running faintly, its point hollow', () => {
    const { datasets } = drawDays({ sets: [set({})], unit: 'rate', stacked: false }, [], palette, [2]).data
    const fill = (datasets[0] as { pointBackgroundColor?: unknown } | undefined)?.pointBackgroundColor
    const at = (dataIndex: number): unknown => (typeof fill === 'function' ? fill({ dataIndex }) : fill)
    expect([at(0), at(2)]).toEqual(['colour of --series-bad', 'colour of --surface'])
  })

  it('marks some points of many days, and always a day that stands alone', () => {
    const many = Array.from({ length: 92 }, (_, index) => (index === 50 || index === 52 ? null : 1))
    const marked = many.flatMap((_, index) => (isMarked(many, index) ? [index] : []))
    expect(marked).toContain(51)
    expect(marked.length).toBeLessThanOrEqual(33)
    expect([1, 2, 3].every((_, index, week) => isMarked(week, index))).toBe(true)
  })

  it('draws rows as bars from the left', () => {
    const sets = [{ header: 'Bad', ink: 'bad', shape: 'diamond', values: [3, null] }] as const
    const { options, data } = drawTop({ labels: ['a', 'b'], sets, stacked: true }, ['a', 'b'], palette)
    expect(options).toMatchObject({ indexAxis: 'y' })
    expect(data.datasets[0]).toMatchObject({ data: [3, null], stack: 'rows' })
  })
})

/** Both themes, as their tokens are written. */
const themes = readFileSync('src-renderer/theme/tokens.css', 'utf8').split(
  '@media screen and (prefers-color-scheme: dark)',
)

describe.each([
  ['light', themes[0] ?? ''],
  ['dark', themes[1] ?? ''],
])('the inks of a chart, %s', (_, css) => {
  const tokens = new Map(
    [...css.matchAll(/--(series-[\w-]+|surface): (#[\da-f]{6})/g)].map((each) => [each[1], each[2] ?? '']),
  )
  const surface = tokens.get('surface') ?? ''
  const inks = [...tokens].filter(([name]) => name?.startsWith('series-') && name !== 'series-volume')

  it('stand out from the surface', () => {
    expect(inks).toHaveLength(8)
    for (const [name, ink] of inks) expect([name, contrast(ink, surface) >= 3]).toEqual([name, true])
  })

  it('leave volume behind them, where it is still seen', () => {
    const seen = contrast(tokens.get('series-volume') ?? '', surface)
    expect(seen).toBeGreaterThan(1.25)
    expect(seen).toBeLessThan(2)
  })

  it('are most saturated for what is bad, never for what is good', () => {
    const saturation = (hex: string) => {
      const parts = [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16))
      return Math.max(...parts) - Math.min(...parts)
    }
    const [good, bad] = ['good', 'bad'].map((name) => saturation(tokens.get(`series-${name}`) ?? ''))
    expect(good).toBeLessThan((bad ?? 0) / 3)
  })

  it.each(sightNames)('are told apart by %s, those that touch each other most of all', (sight) => {
    const touching = ['series-good', 'series-warning', 'series-bad', 'series-drops']
    for (const [place, [one, ink]] of inks.entries()) {
      for (const [other, another] of inks.slice(place + 1)) {
        const min = [one, other].every((each) => touching.includes(each ?? '')) ? 0.14 : 0.1
        expect([one, other, apart(ink, another, sight) >= min]).toEqual([one, other, true])
      }
    }
  })
})
