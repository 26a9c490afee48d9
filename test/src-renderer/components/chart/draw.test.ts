import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { drawDays, isMarked, drawTop } from '#renderer/components/chart/draw.ts'
import type { Palette } from '#renderer/components/chart/draw.ts'
import type { PlotSet } from '#renderer/components/chart/plot.ts'
import { apart, contrast, sightNames } from './colours.ts'

const palette: Palette = { colour: (token) => `colour of ${token}`, font: { family: 'any', size: 12 } }

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
  it('has gaps where there are no figures, and dashes for the days before', () => {
    const plot = { sets: [set({}), set({ time: 'before' })], unit: 'count', stacked: false } as const
    const [now, before] = drawDays(plot, ['13', '14', '15'], palette).data.datasets
    expect(now).toMatchObject({
      type: 'line',
      data: [1, null, 3],
      spanGaps: false,
      borderDash: [],
      pointStyle: 'rectRot',
    })
    expect(before).toMatchObject({ borderDash: [5, 4], borderColor: 'colour of --series-bad' })
  })

  it('stacks bars on each other and lines on nothing that is not theirs', () => {
    const sets = [
      set({ mark: 'bar', stack: 'now' }),
      set({ header: 'Good', mark: 'bar', stack: 'now' }),
      set({ header: 'Mobile' }),
      set({ time: 'before', stack: 'before' }),
    ]
    const { data, options } = drawDays({ sets, unit: 'share', stacked: true }, [], palette)
    const stacks = data.datasets.map(({ stack }) => stack)
    expect(stacks).toEqual(['now', 'now', 'now Mobile', 'under before', 'before'])
    expect(options?.scales?.['y']).toMatchObject({ stacked: true, suggestedMax: 1, beginAtZero: true })
  })

  it('draws the sum of what was stacked before, and no line for each of its parts', () => {
    const sets = [
      set({ mark: 'bar', stack: 'now' }),
      set({ time: 'before', stack: 'before', values: [1, null, 3] }),
      set({ header: 'Good', time: 'before', stack: 'before', values: [4, null, null] }),
      set({ header: 'Mobile', time: 'before' }),
    ]
    const { datasets } = drawDays({ sets, unit: 'count', stacked: true }, ['13', '14', '15'], palette).data
    const dashed = datasets.filter((each) => 'borderDash' in each && String(each.borderDash) === '5,4')
    expect(dashed.map(({ label, data }) => [label, data])).toEqual([
      ['Mobile', [1, null, 3]],
      ['before', [5, null, 3]],
    ])
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
  '@media (prefers-color-scheme: dark)',
)

describe.each([
  ['light', themes[0] ?? ''],
  ['dark', themes[1] ?? ''],
])('the inks of a chart, %s', (_, css) => {
  const tokens = new Map(
    [...css.matchAll(/--(series-[\w-]+|surface): (#[\da-f]{6})/g)].map((each) => [each[1], each[2] ?? '']),
  )
  const surface = tokens.get('surface') ?? ''
  const inks = [...tokens].filter(([name]) => name?.startsWith('series-'))

  it('stand out from the surface', () => {
    expect(inks).toHaveLength(8)
    for (const [name, ink] of inks) expect([name, contrast(ink, surface) >= 3]).toEqual([name, true])
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
