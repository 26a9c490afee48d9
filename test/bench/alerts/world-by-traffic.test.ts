import { expect, it } from 'vitest'
import type { SimulatedSource, World } from './world.ts'
import { worldByTraffic } from './world-by-traffic.ts'

const days = 300

/** Bad rate of some days of a source, from the sums of its counts. */
function rateOf(source: SimulatedSource | undefined, from: number, to: number): number {
  let [requests, bad] = [0, 0]
  for (const counts of source?.settled.slice(from, to) ?? []) {
    requests += counts?.requests ?? 0
    bad += counts?.bad ?? 0
  }
  return bad / requests
}

const worldOf = (kind: 'quiet' | 'lively'): World => worldByTraffic(7, kind, days)

it('makes the same world of the same seed, and another one of another seed', () => {
  expect(worldOf('lively')).toEqual(worldOf('lively'))
  expect(worldByTraffic(8, 'lively', days).sources).not.toEqual(worldOf('lively').sources)
})

it('plants nothing in a quiet world', () => {
  expect(worldOf('quiet').planted).toEqual([])
})

it('multiplies the rate of a planted change by its factor', () => {
  const { planted, sources } = worldOf('lively')
  expect(new Set(planted.map(({ factor }) => factor))).toEqual(new Set([4 / 3, 1.5, 2, 3]))
  for (const factor of [4 / 3, 1.5, 2, 3]) {
    const ratios = planted
      .filter((change) => change.factor === factor)
      .map(
        ({ source, from, to }) =>
          rateOf(sources[source], from, to) / rateOf(sources[source], from - 28, from),
      )
      .toSorted((one, other) => one - other)
    const middle = ratios[Math.floor(ratios.length / 2)] ?? Number.NaN
    expect(middle).toBeGreaterThan(0.92 * factor)
    expect(middle).toBeLessThan(1.08 * factor)
  }
})

it('plants changes on days of the world, with settled days before them', () => {
  const { planted, sources } = worldOf('lively')
  for (const { source, from, to } of planted) {
    expect(from).toBeGreaterThanOrEqual(100)
    expect(to).toBeGreaterThan(from)
    expect(to).toBeLessThanOrEqual(days)
    expect(sources[source]).toBeDefined()
  }
})

it('never counts more bad requests than requests, and finds them later', () => {
  let [first, second, last] = [0, 0, 0]
  for (const { settled, firstViews, falls } of worldOf('quiet').sources)
    for (const [index, counts] of settled.entries()) {
      expect(falls).toHaveLength(days)
      if (!counts) {
        expect(falls?.[index]).toBe(true)
        expect(firstViews[index]).toEqual([null, null])
        continue
      }
      const [oneDay, twoDays] = (firstViews[index] ?? []).map((view) => view ?? { requests: 0, bad: 0 })
      if (!oneDay || !twoDays) throw new Error('no first views')
      for (const { requests, bad } of [oneDay, twoDays, counts]) expect(bad <= requests).toBe(true)
      expect(oneDay.requests <= twoDays.requests && twoDays.requests <= counts.requests).toBe(true)
      first += oneDay.bad
      second += twoDays.bad
      last += counts.bad
    }
  expect(first).toBeLessThan(second)
  expect(second).toBeLessThan(last)
})
