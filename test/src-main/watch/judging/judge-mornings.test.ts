import { describe, expect, it } from 'vitest'
import { addDays } from '#shared/values/day.ts'
import { judgeMornings } from '#main/watch/judging/judge-mornings.ts'
import type { NamedFigures } from '#main/watch/judging/rule.ts'
import { madeFigures } from '../detector/made-figures.ts'
import { figuresOf, firstDay, mornings, morningAfter, newsIn, rowOf, ruleOf, steady } from './made-alerts.ts'

const named = (figures: ReturnType<typeof madeFigures>): NamedFigures => ({
  ...figures,
  rows: figures.rows.map((row) => ({ ...row, text: row.label })),
})
const unusual = ruleOf({ kind: 'unusual' })
const doubled = named(madeFigures({ bad: (row, index) => (row === 3 && index >= 100 ? 2 : 1) }))

describe('what is unusual', () => {
  it('is told once, in percent', () => {
    const news = newsIn(mornings(doubled, unusual, [95, 115]))
    expect(news).toMatchObject([{ labels: ['row-3'], texts: ['row-3'], isWorse: false }])
    expect(news[0]?.usual).toBeGreaterThan(6)
    expect(news[0]?.now).toBeGreaterThan(13)
  })

  it('is the same in a second evaluation of a morning', () => {
    const first = mornings(doubled, unusual, [95, 103])
    const again = mornings(doubled, unusual, [103, 103], first.at(-1)?.episodes)
    expect(newsIn(again)).toEqual([])
    expect(again.at(-1)?.episodes).toEqual(first.at(-1)?.episodes)
  })

  it('is not told below the least change or volume, nor on other weekdays', () => {
    expect(newsIn(mornings(doubled, { ...unusual, leastChange: 300 }, [95, 115]))).toEqual([])
    expect(newsIn(mornings(doubled, { ...unusual, leastRequests: 1_000_000 }, [95, 115]))).toEqual([])
    // Day 100 is a Wednesday: told with the first reported Saturday.
    const saturday = newsIn(mornings(doubled, { ...unusual, weekdays: [6] }, [95, 115]))
    expect(saturday).toMatchObject([{ day: addDays(firstDay, 103) }])
  })

  it('is said of a change that all rows share by the figures of all', () => {
    const shared = named(madeFigures({ bad: (_, index) => (index >= 100 ? 2 : 1) }))
    const [news] = newsIn(mornings(shared, unusual, [95, 110]))
    expect(news).toMatchObject({ label: null, labels: [], isShared: true })
    expect(news?.usual).toBeGreaterThan(6)
    expect(news?.usual).toBeLessThan(9)
    expect(news?.now).toBeCloseTo(16, 0)
  })
})

describe('a row that stopped', () => {
  const stopped = ruleOf({ kind: 'stopped' })

  it('is told, and a row with half of its requests is not', () => {
    const figures = named(
      madeFigures({ volume: (row, index) => (index < 100 ? 1 : row === 3 ? 0 : row === 4 ? 0.2 : 1) }),
    )
    expect(newsIn(mornings(figures, stopped, [95, 110]))).toMatchObject([
      { kind: 'stopped', labels: ['row-3'], now: 0, from: addDays(firstDay, 100) },
    ])
  })

  it('is not told of a day of which nothing is known', () => {
    const figures = named(madeFigures({}))
    const rows = figures.rows.map((row, nth) =>
      nth === 3
        ? { ...row, requests: row.requests.map((count, index) => (index < 100 ? count : null)) }
        : row,
    )
    expect(newsIn(mornings({ ...figures, rows }, stopped, [95, 110]))).toEqual([])
  })

  it('is told with others as one, without those that only fell', () => {
    const figures = named(
      madeFigures({ volume: (row, index) => (index < 100 ? 1 : row < 10 ? 0 : row === 11 ? 0.1 : 1) }),
    )
    const news = newsIn(mornings(figures, stopped, [95, 104]))
    expect(news[0]?.labels).toHaveLength(10)
    expect(news.flatMap(({ labels }) => labels)).not.toContain('row-11')
  })
})

describe('the mornings that are judged', () => {
  const above = ruleOf({ kind: 'above', value: 20 })
  const figures = figuresOf([rowOf('A', steady(60))])
  const days = (since: Parameters<typeof judgeMornings>[2]['since'], today: number, of = figures) =>
    [...judgeMornings(of, [], { since, today: morningAfter(today) }, above)].map(({ morning }) => morning)

  it('begin with today, and go on from the last in order', () => {
    expect(days(null, 59)).toEqual([morningAfter(59)])
    expect(days(morningAfter(57), 59)).toEqual([57, 58, 59].map(morningAfter))
  })

  it('are never after the figures, whatever the clock says', () => {
    expect(days(morningAfter(58), 59 + 365)).toEqual([58, 59].map(morningAfter))
    expect(days(null, 59 + 365)).toEqual([])
    expect(days(morningAfter(59), 50)).toEqual([])
    expect(
      days(
        morningAfter(59),
        59,
        figuresOf([
          rowOf(
            'A',
            steady(60, () => [null, null]),
          ),
        ]),
      ),
    ).toEqual([])
  })
})
