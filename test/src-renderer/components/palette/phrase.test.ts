import { expect, it } from 'vitest'
import { wordsOf } from '#renderer/components/palette/match.ts'
import { readPhrase } from '#renderer/components/palette/phrase.ts'
import { day } from '#shared/values/day.ts'

const nothing = {
  ...{ period: null, compare: null, family: null, dimension: null, ranking: null, isLargest: false },
  name: [],
}
const preset = (name: string) => ({ kind: 'preset', preset: name })
const bad = { family: 'script', header: 'Bad', first: 'highest' }

it.each([
  ['northwind news yesterday', { period: preset('yesterday'), name: ['northwind', 'news'] }],
  ['Last week', { period: preset('last-week') }],
  ['script browsers this month', { family: 'script', dimension: 'browsers', period: preset('this-month') }],
  [
    'kestrel by operating system last 7 days',
    { dimension: 'operating-systems', period: preset('last-7-days'), name: ['kestrel'] },
  ],
  ['bad sources last week', { ranking: bad, dimension: 'sources', period: preset('last-week') }],
  ['worst source', { ranking: { family: null, header: null, first: 'highest' }, dimension: 'sources' }],
  ['top countries', { isLargest: true, dimension: 'geography' }],
  ['bad rate of germany', { ranking: bad, name: ['germany'] }],
  ['compare with last month', { compare: { kind: 'days', period: preset('last-month') } }],
  ['compare', { compare: preset('period-before') }],
  [
    'compare this week with last week',
    { period: preset('this-week'), compare: { kind: 'days', period: preset('last-week') } },
  ],
  [
    'germany last week vs the week before',
    { period: preset('last-week'), compare: preset('week-before'), name: ['germany'] },
  ],
  ['bank of the north', { name: ['bank', 'of', 'the', 'north'] }],
  ['weekday', { name: ['weekday'] }],
  ['  ', {}],
] as const)('reads “%s”', (text, found) => {
  expect(readPhrase(wordsOf(text), day('2026-11-20'))).toEqual({ ...nothing, ...found })
})
