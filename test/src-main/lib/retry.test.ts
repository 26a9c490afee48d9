import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { byChance, isResting, pauseAfter, pauseBeyond, retryPolicies } from '#main/lib/retry.ts'
import type { RetryKind } from '#main/lib/retry.ts'
import { runs } from '#test/helpers/long.ts'

const kinds = Object.keys(retryPolicies) as RetryKind[]
const kind = fc.constantFrom(...kinds)
const failures = fc.integer({ min: 0, max: 5000 })
const fixed = { numRuns: runs(300, 20_000), seed: 20261127 }

describe('the pauses of every policy', () => {
  it('never shrink, and never exceed the longest', () => {
    fc.assert(
      fc.property(kind, failures, (of, times) => {
        const [pause, next] = [pauseAfter(of, times), pauseAfter(of, times + 1)]
        return pause >= 0 && pause <= next && next <= retryPolicies[of].longest
      }),
      fixed,
    )
  })

  it('are the same counted from the beginning as each from the one before', () => {
    for (const each of kinds) {
      const { free } = retryPolicies[each]
      let pause = 0
      for (let times = free + 1; times < free + 60; times += 1) {
        pause = pauseBeyond(each, pause)
        expect(pauseAfter(each, times)).toBeCloseTo(pause, 6)
      }
    }
  })

  it('are spread by chance between the parts that the policy gives', () => {
    fc.assert(
      fc.property(kind, failures, fc.double({ min: 0, max: 1, noNaN: true }), (of, times, chance) => {
        const [from, to] = retryPolicies[of].between
        const pause = pauseAfter(of, times)
        const made = byChance(of, pause, () => chance)
        return made >= Math.floor(pause * from) && made <= Math.ceil(pause * to)
      }),
      fixed,
    )
  })
})

describe('the table', () => {
  it.each([
    ['request', [400, 800]],
    ['probe', [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]],
    ['worker', [0, 100, 200, 400, 800, 1600, 3000, 3000]],
    ['passphrase', [0, 0, 1000, 2000, 4000]],
    ['polling', [5000, 7500, 11_250]],
    ['disk', [30_000, 30_000]],
  ] as const)('has %s pause so', (of, pauses) => {
    expect(pauses.map((_, index) => pauseAfter(of, index + 1))).toEqual(pauses)
  })
})

describe('what was tried a moment ago', () => {
  it('is left alone for the pause, unless the clock was set back', () => {
    expect([0, 29_999, 30_000, -1].map((ago) => isResting('query', 1_000_000, 1_000_000 + ago))).toEqual([
      ...[true, true],
      ...[false, false],
    ])
    expect(isResting('query', undefined, 0)).toBe(false)
  })
})
