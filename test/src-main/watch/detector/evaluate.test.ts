import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bandOf, evaluateMorning } from '#main/watch/detector/evaluate.ts'
import type { Episode } from '#main/watch/detector/episodes.ts'
import type { WatchedFigures } from '#main/watch/detector/figures.ts'
import type { DetectedFinding } from '#main/watch/detector/detected-findings.ts'
import { addDays } from '#shared/values/day.ts'
import { checkProperty } from '#test/helpers/properties.ts'
import { evaluateMornings, firstDay, madeFigures } from './made-figures.ts'

const dayAt = (index: number) => addDays(firstDay, index)

function findingsOf(figures: WatchedFigures, from: number, to: number, episodes: readonly Episode[] = []) {
  const findings: DetectedFinding[] = []
  const withdrawn: Episode[] = []
  const after = evaluateMornings(
    figures,
    episodes,
    { start: dayAt(from), end: dayAt(to) },
    'bad-rate',
    (outcome) => {
      findings.push(...outcome.findings)
      withdrawn.push(...outcome.withdrawn)
    },
  )
  return { findings, withdrawn, episodes: after }
}

/** A row whose bad rate doubles on day 90, and one whose rate rises by half for twelve days. */
const changed = (row: number, index: number) =>
  row === 3 && index >= 90 ? 2 : row === 7 && index >= 95 && index < 107 ? 1.5 : 1

describe('evaluateMorning', () => {
  it('tells a lasting change once, with what is usual, until it is the new usual', () => {
    const figures = madeFigures({ days: 150, bad: (row, index) => (row === 3 && index >= 90 ? 2 : 1) })
    const { findings, episodes } = findingsOf(figures, 75, 150)
    expect(findings).toMatchObject([{ kind: 'bad-rate', label: 'row-3', from: dayAt(90), soFar: true }])
    const [finding] = findings
    expect(finding?.day).toBe(dayAt(90))
    expect(finding?.usual).toBeCloseTo(0.08, 2)
    expect(finding?.now).toBeGreaterThan(0.13)
    expect(finding?.z).toBeGreaterThan(5)
    expect(episodes).toMatchObject([{ state: 'usual', to: dayAt(118) }])
  })

  it('tells small changes from days in a row, and ends them after three calm mornings', () => {
    const { findings, episodes } = findingsOf(madeFigures({ bad: changed }), 75, 119)
    const small = findings.filter(({ label }) => label === 'row-7')
    expect(small).toHaveLength(1)
    expect(small[0]?.day.localeCompare(dayAt(101))).toBeLessThan(0)
    expect(episodes.find(({ label }) => label === 'row-7')?.state).toBe('over')
  })

  it('tells a standing change again when it is half as bad again, and not before', () => {
    const grown = (factor: number) => (row: number, index: number) =>
      row === 3 && index >= 104 ? 2 * factor : row === 3 && index >= 90 ? 2 : 1
    expect(findingsOf(madeFigures({ bad: grown(1.25) }), 75, 118).findings).toHaveLength(1)
    const { findings } = findingsOf(madeFigures({ bad: grown(2) }), 75, 118)
    expect(findings.map(({ isWorse }) => isWorse)).toEqual([false, true])
  })

  it('withdraws what settled figures do not confirm', () => {
    const first = madeFigures({ bad: (row, index) => (row === 3 && index === 99 ? 3 : 1) })
    const told = findingsOf(first, 80, 100)
    expect(told.findings).toMatchObject([{ label: 'row-3', soFar: true }])
    const later = findingsOf(madeFigures(), 101, 103, told.episodes)
    expect(later.withdrawn).toMatchObject([{ label: 'row-3', state: 'so-far' }])
    expect(later.episodes).toEqual([])
    const confirmed = findingsOf(first, 101, 103, told.episodes)
    expect(confirmed.withdrawn).toEqual([])
    expect(confirmed.episodes).toMatchObject([{ state: 'standing' }])
  })

  it('judges unsettled days without what a group of rows shares', () => {
    const short = (row: number, index: number) => (row % 3 === 1 && index === 99 ? 0.7 : 1)
    expect(findingsOf(madeFigures({ rows: 60, bad: short }), 95, 100).findings).toEqual([])
    const one = madeFigures({
      rows: 60,
      bad: (row, index) => short(row, index) * (row === 4 && index === 99 ? 2.2 : 1),
    })
    expect(findingsOf(one, 95, 100).findings).toMatchObject([{ label: 'row-4', soFar: true }])
  })

  it('holds many at once until figures are settled, and what a group shares', () => {
    const apart = (figures: WatchedFigures) => ({
      ...figures,
      rows: figures.rows.map((row) => ({ ...row, group: null })),
    })
    const many = apart(madeFigures({ bad: (row, index) => (row < 12 && index >= 99 ? 2.5 : 1) }))
    expect(findingsOf(many, 95, 100).findings).toEqual([])
    expect(findingsOf(many, 95, 102).findings).toHaveLength(12)
    const group = madeFigures({ rows: 60, bad: (row, index) => (row % 3 === 1 && index === 99 ? 1.4 : 1) })
    expect(findingsOf(group, 95, 101).findings).toEqual([])
    const alone = findingsOf(apart(group), 95, 101)
    expect(alone.findings.every(({ label }) => Number(label?.slice(4)) % 3 === 1)).toBe(true)
  })

  it('leaves days of a note out of what is usual', () => {
    const figures = madeFigures({
      bad: (row, index) => (row === 3 && index >= 40 && index < 75 ? 2 : row === 3 && index >= 105 ? 1.6 : 1),
    })
    const leftOut = new Set(Array.from({ length: 35 }, (_, index) => 40 + index))
    const noted = { ...figures, rows: figures.rows.map((row) => ({ ...row, leftOut })) }
    expect(findingsOf(figures, 100, 108).findings).toEqual([])
    expect(findingsOf(noted, 100, 108).findings).toMatchObject([{ label: 'row-3' }])
  })

  it('says why rows are not judged, which never ends an episode', () => {
    const made = madeFigures({ bad: changed })
    const gone = (counts: readonly (number | null)[]) =>
      counts.map((count, index) => (index >= 93 ? null : count))
    const figures = {
      ...made,
      rows: made.rows.map((row, index) =>
        index === 3
          ? { ...row, requests: gone(row.requests), bad: gone(row.bad) }
          : index === 4
            ? { ...row, requests: row.requests.map((count, at) => (at < 100 ? null : count)) }
            : row,
      ),
    }
    const { episodes } = findingsOf(figures, 75, 108)
    expect(episodes.find(({ label }) => label === 'row-3')?.state).toBe('standing')
    const { notJudged } = evaluateMorning(figures, episodes, dayAt(108), 'bad-rate')
    expect([...notJudged]).toEqual([
      ['row-3', 'no-figures'],
      ['row-4', 'too-few-days'],
    ])
    const without = { ...figures, rows: figures.rows.filter((_, index) => index !== 3) }
    expect(
      findingsOf(without, 109, 112, episodes).episodes.find(({ label }) => label === 'row-3')?.state,
    ).toBe('standing')
  })
})

describe('the evaluation', () => {
  const figures = madeFigures({ bad: changed })
  const whole = findingsOf(figures, 75, 119)

  it('comes to the same twice, in pieces, and after a sleep', () => {
    checkProperty(
      'pieces of mornings',
      fc.property(fc.uniqueArray(fc.integer({ min: 75, max: 118 }), { maxLength: 3 }), (cuts) => {
        let episodes: readonly Episode[] = []
        const findings: DetectedFinding[] = []
        let from = 75
        for (const cut of [...cuts.sort((a, b) => a - b), 119]) {
          const part = findingsOf(figures, from, cut, episodes)
          findings.push(...part.findings)
          const again = findingsOf(figures, cut, cut, part.episodes)
          expect(again.findings).toEqual([])
          expect(again.episodes).toEqual(part.episodes)
          episodes = JSON.parse(JSON.stringify(part.episodes)) as readonly Episode[]
          from = cut + 1
        }
        expect(findings).toEqual(whole.findings)
        expect(episodes).toEqual(whole.episodes)
      }),
      100,
    )
  })

  it('does not depend on the order of rows', () => {
    const turned = findingsOf({ ...figures, rows: figures.rows.toReversed() }, 75, 119)
    const sorted = (findings: readonly DetectedFinding[]) =>
      findings.toSorted((a, b) => a.from.localeCompare(b.from))
    expect(sorted(turned.findings)).toEqual(sorted(whole.findings))
  })

  it('does not see days of the future', () => {
    const cut = {
      ...figures,
      rows: figures.rows.map((row) => ({
        ...row,
        bad: row.bad.map((count, index) => (index > 99 ? 0 : count)),
      })),
    }
    expect(findingsOf(cut, 75, 100)).toEqual(findingsOf(figures, 75, 100))
  })

  it('grows surer with more requests', () => {
    const zs = [500, 5_000, 50_000].map((requests) => {
      const { findings } = findingsOf(
        madeFigures({ requests, bad: (row, index) => (row === 3 && index >= 90 ? 2 : 1) }),
        85,
        92,
      )
      return findings.find(({ label }) => label === 'row-3')?.z ?? 0
    })
    expect(zs).toEqual(zs.toSorted((a, b) => a - b))
    expect(zs[0]).toBeGreaterThan(0)
  })

  it('takes any counts, labels and numbers of rows', () => {
    const count = fc.option(
      fc.oneof(fc.integer({ min: 0, max: 3000 }), fc.constantFrom(0, NaN, -1, Infinity, 1e15)),
    )
    const row = fc.record({
      requests: fc.array(count, { maxLength: 100 }),
      bad: fc.array(count, { maxLength: 100 }),
    })
    checkProperty(
      'any figures',
      fc.property(
        fc.array(row, { maxLength: 4 }),
        fc.array(fc.boolean(), { minLength: 90, maxLength: 100 }),
        (rows, settled) => {
          const odd: WatchedFigures = {
            ...{ firstDay, settled, settlesAfter: 2 },
            rows: rows.map((each, index) => ({ ...each, group: null, label: String(index).repeat(4000) })),
          }
          for (const name of ['bad-rate', 'volume'] as const) {
            const found: DetectedFinding[] = []
            evaluateMornings(odd, [], { start: dayAt(85), end: dayAt(101) }, name, ({ findings }) =>
              found.push(...findings),
            )
            for (const { z, usual, now } of found) expect([z, usual, now].every(Number.isFinite)).toBe(true)
          }
        },
      ),
      200,
    )
  })

  it('takes 2 and 3,000 rows', () => {
    const two = madeFigures({ rows: 2, bad: (row, index) => (row === 1 && index >= 110 ? 2 : 1) })
    expect(findingsOf(two, 105, 119).findings).toMatchObject([{ label: 'row-1' }])
    const many = madeFigures({ rows: 3000, bad: (row, index) => (row === 1 && index >= 118 ? 3 : 1) })
    expect(evaluateMorning(many, [], dayAt(120), 'bad-rate').findings).toMatchObject([{ label: 'row-1' }])
  })
})

describe('bandOf', () => {
  it('holds the usual days, and not the changed ones', () => {
    const figures = madeFigures({ bad: changed })
    const { episodes } = findingsOf(figures, 75, 119)
    const band = bandOf(figures, episodes, { label: 'row-3', morning: dayAt(110), days: 40 }, 'bad-rate')
    expect(band.map(({ day }) => day)).toEqual(Array.from({ length: 40 }, (_, index) => dayAt(70 + index)))
    const { requests, bad } = figures.rows[3] ?? { requests: [], bad: [] }
    const isInside = band.map(({ low, high }, place) => {
      const rate = (bad[70 + place] ?? 0) / (requests[70 + place] ?? 1)
      return rate > low && rate < high
    })
    expect(isInside.slice(0, 20).every(Boolean)).toBe(true)
    expect(isInside.slice(20).some(Boolean)).toBe(false)
    expect(bandOf(figures, [], { label: 'none', morning: dayAt(110), days: 40 }, 'bad-rate')).toEqual([])
  })
})
