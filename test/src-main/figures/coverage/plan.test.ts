import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { planFor, portionsOf } from '../../../../src-main/figures/coverage/plan.ts'
import type { Block, BlockId } from '../../../../src-main/figures/cache/tables-repository.ts'
import { addDays, day, daysOf } from '../../../../src-shared/values/day.ts'
import type { Instant } from '../../../../src-shared/values/ids.ts'
import { checkProperty } from '../../../helpers/properties.ts'

const first = day('2026-11-01')
const range = { start: first, end: day('2026-11-08') }

let ids = 0
/** A kept table of days counted from the first. */
const block = (from: number, to: number, fetchedAt = 100): Block => ({
  id: (ids += 1) as BlockId,
  range: { start: addDays(first, from), end: addDays(first, to) },
  fetchedAt: fetchedAt as Instant,
  whole: true,
  rows: 1,
  bytes: 1,
})

const isFresh = ({ fetchedAt }: Block) => fetchedAt >= 50
const plan = (...kept: readonly Block[]) => planFor(range, kept, isFresh, 1000)

describe('a plan', () => {
  it('covers a range by tables of any days that lie side by side in it', () => {
    const [one, two, three] = [block(0, 2), block(3, 3), block(4, 7)]
    expect(plan(three, one, two)).toEqual({
      blocks: [one, two, three],
      missing: [],
      stale: [],
      fetchedAt: 100,
    })
  })

  it('leaves out what lies partly outside, and names the days that are missing', () => {
    const kept = block(2, 3)
    expect(plan(block(-1, 1), kept, block(6, 9))).toMatchObject({
      blocks: [kept],
      missing: ['2026-11-01', '2026-11-02', '2026-11-05', '2026-11-06', '2026-11-07', '2026-11-08'],
    })
  })

  it('would rather have all days than fresh ones, fresh ones than stale, new ones than old', () => {
    const [old, whole, newer] = [block(0, 7, 40), block(0, 7, 60), block(0, 7, 70)]
    expect(plan(block(0, 3), old).blocks).toEqual([old])
    expect(plan(old)).toMatchObject({ stale: daysOf(range), fetchedAt: 40 })
    expect(plan(old, whole).blocks).toEqual([whole])
    expect(plan(newer, whole).blocks).toEqual([newer])
    const restated = block(3, 3, 90)
    const days = Array.from({ length: 8 }, (_, index) => block(index, index, 55))
    expect(plan(...days, restated).blocks).toContain(restated)
  })

  it('is empty where nothing is kept', () => {
    expect(plan()).toEqual({ blocks: [], missing: daysOf(range), stale: [], fetchedAt: null })
  })

  it('has every day once or not at all, and misses none that could be had', () => {
    const kept = fc.array(
      fc
        .tuple(fc.nat(7), fc.nat(7), fc.integer({ min: 0, max: 100 }))
        .map(([a, b, at]) => block(Math.min(a, b), Math.max(a, b), at)),
      { maxLength: 12 },
    )
    checkProperty(
      'plans',
      fc.property(kept, (blocks) => {
        const found = plan(...blocks)
        const covered = found.blocks.flatMap((each) => daysOf(each.range))
        expect([...covered, ...found.missing].sort()).toEqual(daysOf(range))
        expect(found.missing.length).toBe(fewestMissing(blocks, 0))
      }),
      300,
    )
  })
})

/** By trying every choice: how many days from one on are missing at least. */
function fewestMissing(blocks: readonly Block[], from: number): number {
  if (from > 7) return 0
  const beginning = blocks.filter((each) => each.range.start === addDays(first, from))
  const ends = beginning.map((each) => daysOf(each.range).length + from)
  return Math.min(1 + fewestMissing(blocks, from + 1), ...ends.map((end) => fewestMissing(blocks, end)))
}

describe('portions', () => {
  const days = ['2026-11-01', '2026-11-02', '2026-11-04'].map(day)

  it('are days one by one, the newest first', () => {
    expect(portionsOf(days, true).map(({ start }) => start)).toEqual([...days].reverse())
  })

  it('are runs of days where the service answers several at once', () => {
    expect(portionsOf(days, false)).toEqual([
      { start: '2026-11-04', end: '2026-11-04' },
      { start: '2026-11-01', end: '2026-11-02' },
    ])
  })
})
