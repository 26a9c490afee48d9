import { describe, expect, it } from 'vitest'
import { figuresOf, mornings, morningAfter, newsIn, rowOf, ruleOf, steady } from './made-alerts.ts'

const above = ruleOf({ kind: 'above', value: 20 })
/** 30 % bad on the given days. */
const badOn = (from: number, to = from) =>
  steady(60, (index) => (index >= from && index <= to ? [1000, 300] : null))

describe('a line', () => {
  it('is news once, from yesterday on, so far', () => {
    const judged = mornings(figuresOf([rowOf('A', badOn(20, 40))]), above, [18, 25])
    expect(newsIn(judged)).toMatchObject([
      {
        morning: morningAfter(20),
        labels: ['text A'],
        texts: ['A'],
        from: '2026-01-25',
        usual: 20,
        now: 30,
        soFar: true,
      },
    ])
    expect(judged.at(-1)?.episodes).toMatchObject([{ state: 'standing', to: null }])
  })

  it('is over after three settled days within it, and not told again soon after', () => {
    const days = steady(60, (index) => (index === 20 || index === 29 ? [1000, 300] : null))
    const judged = mornings(figuresOf([rowOf('A', days)]), above, [20, 40])
    expect(newsIn(judged)).toHaveLength(1)
    const states = judged.map(({ episodes }) => episodes[0]?.state)
    expect(states.filter((state, nth) => state !== states[nth - 1])).toEqual([
      ...['so-far', 'standing', 'over', 'standing', 'over'],
    ])
    const far = steady(60, (index) => (index === 20 || index === 45 ? [1000, 300] : null))
    expect(newsIn(mornings(figuresOf([rowOf('A', far)]), above, [18, 50]))).toHaveLength(2)
  })

  it('is withdrawn where settled figures are within it, with the figure before and after', () => {
    const early = figuresOf([rowOf('A', badOn(20))])
    const told = mornings(early, above, [20, 20]).at(-1)
    const later = figuresOf([rowOf('A', steady(60))])
    const judged = mornings(later, above, [21, 26], told?.episodes)
    const withdrawn = judged.flatMap((each) => each.withdrawn)
    expect(withdrawn).toMatchObject([{ episode: { from: '2026-01-25', now: 0.3 } }])
    expect(withdrawn[0]?.settled).toBeCloseTo(8.2, 0)
    expect(judged.at(-1)?.episodes).toEqual([])
    expect(newsIn(judged)).toEqual([])
  })

  it('is neither beyond nor over where nothing is known', () => {
    const unknown = steady(60, (index) => (index < 20 ? null : index < 22 ? [1000, 300] : [null, null]))
    const judged = mornings(figuresOf([rowOf('A', unknown), rowOf('B', steady(60))]), above, [18, 40])
    expect(newsIn(judged)).toHaveLength(1)
    expect(judged.at(-1)?.episodes).toMatchObject([{ state: 'standing' }])
  })

  it('has no rate without requests', () => {
    const none = steady(60, (index) => (index >= 20 ? [0, 0] : null))
    const below = ruleOf({ kind: 'below', value: 1 })
    expect(newsIn(mornings(figuresOf([rowOf('A', none)]), below, [18, 30]))).toEqual([])
    const requests = ruleOf({ kind: 'below', value: 10 }, { measure: 'requests' })
    expect(newsIn(mornings(figuresOf([rowOf('A', none)]), requests, [18, 30]))).toMatchObject([
      { from: '2026-01-25', usual: 10, now: 0 },
    ])
  })

  it('knows the weekday of the reported day and the least volume', () => {
    // Day 20 is a Sunday: it is told on a Monday.
    const figures = figuresOf([rowOf('A', badOn(20, 21))])
    const onWorkdays = { ...above, weekdays: [1, 2, 3, 4, 5] as const }
    expect(newsIn(mornings(figures, onWorkdays, [18, 25]))).toMatchObject([
      { morning: morningAfter(21), from: '2026-01-26' },
    ])
    expect(newsIn(mornings(figures, { ...above, leastRequests: 1001 }, [18, 25]))).toEqual([])
    expect(newsIn(mornings(figures, { ...above, leastRequests: 1000 }, [18, 25]))).toHaveLength(1)
  })

  it('that is crossed for four weeks is the new usual, and told again only after a day within it', () => {
    const always = figuresOf([rowOf('A', badOn(10, 59))])
    const judged = mornings(always, above, [8, 59])
    expect(newsIn(judged)).toHaveLength(1)
    expect(judged.at(-1)?.episodes).toMatchObject([{ state: 'usual' }])
  })

  it('that many rows cross at once is one finding', () => {
    const rows = Array.from({ length: 12 }, (_, nth) => rowOf(`R${nth}`, badOn(20, 30)))
    const news = newsIn(mornings(figuresOf(rows), above, [18, 25]))
    expect(news).toHaveLength(1)
    expect(news[0]).toMatchObject({ label: null, usual: 20 })
    expect(news[0]?.now).toBeCloseTo(30)
    expect(news[0]?.labels).toHaveLength(12)
  })

  it('can be the days before, of which the episode is no part', () => {
    const rose = ruleOf({ kind: 'rose', percent: 50, days: 7 })
    const figures = figuresOf([rowOf('A', badOn(20, 40))])
    expect(newsIn(mornings(figures, rose, [10, 40]))).toMatchObject([{ from: '2026-01-25', now: 30 }])
    const fell = ruleOf({ kind: 'fell', percent: 50, days: 28 }, { measure: 'requests', leastRequests: 500 })
    const half = steady(60, (index) => (index >= 40 ? [400, 30] : null))
    expect(newsIn(mornings(figuresOf([rowOf('A', half)]), fell, [38, 45]))).toMatchObject([
      { from: '2026-02-14', now: 400 },
    ])
  })

  it('is none in percent of nothing, or of a few of the days', () => {
    const rose = ruleOf({ kind: 'rose', percent: 50, days: 7 })
    const fromZero = steady(60, (index) => (index < 20 ? [1000, 0] : [1000, 100]))
    expect(newsIn(mornings(figuresOf([rowOf('A', fromZero)]), rose, [20, 20]))).toEqual([])
    const few = steady(60, (index) => (index < 17 ? [null, null] : index < 20 ? [1000, 80] : [1000, 300]))
    expect(newsIn(mornings(figuresOf([rowOf('A', few)]), rose, [20, 20]))).toEqual([])
  })
})
