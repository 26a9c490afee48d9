import { describe, expect, it } from 'vitest'
import { addDays } from '#shared/values/day.ts'
import { mixedRowOf, mixLabel } from '#shared/watch/rule-mix.ts'
import { findingOf } from '#main/watch/detector/detected-findings.ts'
import { isStanding } from '#main/watch/detector/episodes.ts'
import type { Episode } from '#main/watch/detector/episodes.ts'
import { mixFindings } from '#main/watch/judging/mix-findings.ts'
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
  // What is usual is each row's own, not what all rows share.
  expect(news[0]?.usual).toBeGreaterThan(16)
  expect(news[0]?.usual).toBeLessThan(20)
})

it('tells what rises in all rows because one rule set fell', () => {
  const falls = madeMix({ change: (_, code, index) => (index >= 100 && code === 'SP' ? 0.2 : 1) })
  const told = new Set(newsIn(mornings(falls, mix, [95, 119])).flatMap(({ keys }) => keys))
  expect(told.size).toBeGreaterThan(15)
})

describe('rule sets that moved together', () => {
  const on = (index: number) => addDays(firstDay, index)
  const of = (code: string, from: number, now: number, changes: Partial<Episode> = {}): Episode => ({
    ...{ kind: 'bad-rate', label: mixLabel({ row: 'text a', code }), from: on(from), told: on(from + 2) },
    ...{ usual: 0.2, now, z: 6, state: 'standing', to: null, ended: null },
    ...changes,
  })
  /** A morning with these episodes, of which some are half as bad again. */
  const morning = (
    episodes: readonly Episode[],
    known: readonly Episode[],
    worse: readonly Episode[] = [],
  ) => {
    const findings = worse.map((episode) => findingOf(episode, true))
    const outcome = { findings, episodes, withdrawn: [], notJudged: new Map() }
    const after = mixFindings(madeMix(), outcome, known, () => true)
    const codes = after.findings.map(({ label }) => mixedRowOf(label ?? '')?.code)
    return { ...after, codes }
  }
  const first = morning([of('UE', 100, 0.5), of('GE', 101, 0.4)], [])
  const [ue, ge] = [of('UE', 100, 0.5), of('GE', 101, 0.4, { isSilent: true })]

  it('are told by one, and the others are marked', () => {
    expect(first.codes).toEqual(['UE'])
    expect(first.episodes).toEqual([ue, ge])
    expect(morning(first.episodes, first.episodes)).toMatchObject({ findings: [], episodes: [ue, ge] })
  })

  it('are told by another when the first is withdrawn', () => {
    const after = morning([ge], [ue, ge])
    expect([after.codes, after.episodes]).toEqual([['GE'], [of('GE', 101, 0.4)]])
    expect(morning(after.episodes, after.episodes).codes).toEqual([])
  })

  it('end with the one that was told, and rises after it are told', () => {
    const ended = { state: 'over', to: on(110), ended: on(116) } as const
    const over = { ...ue, ...ended }
    const after = morning([over, ge], [ue, ge])
    expect(after).toMatchObject({ findings: [], episodes: [over, { ...ge, ...ended }] })
    expect(morning([over, { ...ge, ...ended }, of('SP', 112, 0.4)], after.episodes).codes).toEqual(['SP'])
    // One that stands again was never told.
    expect(morning([over, ge], after.episodes).codes).toEqual(['GE'])
  })

  it('began within 14 days: a later change is told', () => {
    expect(morning([ue, ge, of('SP', 114, 0.4)], [ue, ge]).codes).toEqual([])
    expect(morning([ue, ge, of('SP', 115, 0.4)], [ue, ge]).codes).toEqual(['SP'])
  })

  it('are told again when the one that was told is half as bad again', () => {
    const moved = { ...ge, now: 0.9 }
    expect(morning([{ ...ue, now: 0.75 }, moved], [ue, moved], [{ ...ue, now: 0.75 }]).codes).toEqual(['UE'])
    // One that was not told is news once it moved more than that.
    expect(morning([ue, moved], [ue, ge], [moved]).codes).toEqual(['GE'])
    expect(morning([ue, { ...ge, now: 0.45 }], [ue, ge], [{ ...ge, now: 0.45 }]).codes).toEqual([])
  })
})
