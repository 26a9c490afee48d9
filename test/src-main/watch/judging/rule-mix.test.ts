import { expect, it } from 'vitest'
import { addDays } from '#shared/values/day.ts'
import { isStanding } from '#main/watch/detector/episodes.ts'
import { firstDay, mornings, newsIn, ruleOf } from './made-alerts.ts'
import { madeMix } from './made-mix.ts'

const mix = ruleOf({ kind: 'unusual' }, { measure: 'rule-mix' })
const turned = madeMix({
  change: (row, code, index) => (row === 3 && index >= 100 ? (code === 'UE' ? 3 : code === 'GE' ? 2 : 1) : 1),
})
/** About once a month, chance is told of a row. */
const ofRow3 = (news: ReturnType<typeof newsIn>) => news.filter(({ keys }) => keys.includes('text row-3'))

it('tells a mix that turned once, by the rule set that moved most', () => {
  const news = ofRow3(newsIn(mornings(turned, mix, [95, 119])))
  expect(news).toMatchObject([
    { rule: 'UE', keys: ['text row-3'], texts: ['row-3'], from: addDays(firstDay, 100), isShared: false },
  ])
  expect(news[0]?.usual).toBeGreaterThan(15)
  expect(news[0]?.usual).toBeLessThan(22)
  expect(news[0]?.now).toBeGreaterThan(30)
})

it('is the same in a second evaluation of a morning', () => {
  const first = mornings(turned, mix, [90, 105])
  expect(ofRow3(newsIn(first))).toHaveLength(1)
  const again = mornings(turned, mix, [105, 105], first.at(-1)?.episodes)
  expect(newsIn(again)).toEqual([])
  expect(again.at(-1)?.episodes).toEqual(first.at(-1)?.episodes)
})

it('tells nothing of a mix that only swings, nor of more broken rule sets in the same mix', () => {
  expect(newsIn(mornings(madeMix(), mix, [100, 119])).length).toBeLessThan(2)
  const louder = madeMix({ seed: 5, broken: (row) => (row === 3 ? 4000 : 400) })
  expect(newsIn(mornings(louder, mix, [100, 119])).length).toBeLessThan(2)
})

it('knows nothing of days without rule sets: they begin nothing, and end nothing', () => {
  const ends = madeMix({
    change: (row, code, index) => (index >= 106 ? null : row === 3 && index >= 100 && code === 'UE' ? 3 : 1),
  })
  const judged = mornings(ends, mix, [98, 119])
  expect(ofRow3(newsIn(judged))).toHaveLength(1)
  const standing = judged.at(-1)?.episodes.filter(isStanding) ?? []
  expect(standing.map(({ label }) => label)).toContain('["text row-3","UE"]')
})

it('has the least volume and the least effect of any alert', () => {
  expect(newsIn(mornings(turned, { ...mix, leastChange: 300 }, [98, 112]))).toEqual([])
  expect(newsIn(mornings(turned, { ...mix, leastRequests: 100_000 }, [98, 112]))).toEqual([])
})

it('tells many rows at once as one finding', () => {
  const all = madeMix({ change: (_, code, index) => (index >= 100 && code === 'UE' ? 4 : 1) })
  const news = newsIn(mornings(all, mix, [95, 119]))
  expect(news[0]).toMatchObject({ rule: 'UE', label: null })
  expect(news[0]?.keys.length).toBeGreaterThan(8)
  expect(new Set(news.flatMap(({ keys }) => keys)).size).toBe(news.flatMap(({ keys }) => keys).length)
  expect(news[0]?.now).toBeLessThan(100)
})
