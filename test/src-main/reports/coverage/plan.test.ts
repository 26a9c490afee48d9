import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { StoredTable } from '#main/database/cache/catalogue-repository.ts'
import { planFor, portionsOf, agesOf } from '#main/reports/coverage/plan.ts'
import { isSettledFor } from '#shared/reports/answer.ts'
import { addDays, day, daysOf } from '#shared/values/day.ts'
import type { Instant } from '#shared/values/ids.ts'
import { checkProperty } from '#test/helpers/properties.ts'
import { storedTable } from './tables.ts'

describe('plan', () => {
  const first = day('2026-11-01')
  const range = { start: first, end: day('2026-11-08') }

  /** A kept table of days counted from the first. */
  const table = (from: number, to: number, fetchedAt = 100): StoredTable =>
    storedTable({ start: addDays(first, from), end: addDays(first, to) }, fetchedAt)

  const isFresh = ({ fetchedAt }: StoredTable) => fetchedAt >= 50
  const plan = (...stored: readonly StoredTable[]) => planFor(range, stored, isFresh, 1000)

  describe('a plan', () => {
    it('covers a range by tables of any days that lie side by side in it', () => {
      const [one, two, three] = [table(0, 2), table(3, 3), table(4, 7)]
      expect(plan(three, one, two)).toEqual({
        tables: [one, two, three],
        missing: [],
        stale: [],
        fetchedAt: 100,
      })
    })

    it('leaves out what lies partly outside, and names the days that are missing', () => {
      const stored = table(2, 3)
      expect(plan(table(-1, 1), stored, table(6, 9))).toMatchObject({
        tables: [stored],
        missing: ['2026-11-01', '2026-11-02', '2026-11-05', '2026-11-06', '2026-11-07', '2026-11-08'],
      })
    })

    it('would rather have all days than fresh ones, fresh ones than stale, new ones than old', () => {
      const [old, whole, newer] = [table(0, 7, 40), table(0, 7, 60), table(0, 7, 70)]
      expect(plan(table(0, 3), old).tables).toEqual([old])
      expect(plan(old)).toMatchObject({ stale: daysOf(range), fetchedAt: 40 })
      expect(plan(old, whole).tables).toEqual([whole])
      expect(plan(newer, whole).tables).toEqual([newer])
      const restated = table(3, 3, 90)
      const days = Array.from({ length: 8 }, (_, index) => table(index, index, 55))
      expect(plan(...days, restated).tables).toContain(restated)
    })

    it('is empty where nothing is kept', () => {
      expect(plan()).toEqual({ tables: [], missing: daysOf(range), stale: [], fetchedAt: null })
    })

    it('has every day once or not at all, and misses none that could be had', () => {
      const stored = fc.array(
        fc
          .tuple(fc.nat(7), fc.nat(7), fc.integer({ min: 0, max: 100 }))
          .map(([a, b, at]) => table(Math.min(a, b), Math.max(a, b), at)),
        { maxLength: 12 },
      )
      checkProperty(
        'plans',
        fc.property(stored, (tables) => {
          const found = plan(...tables)
          const covered = found.tables.flatMap((each) => daysOf(each.range))
          expect([...covered, ...found.missing].sort()).toEqual(daysOf(range))
          expect(found.missing.length).toBe(fewestMissing(tables, 0))
        }),
        300,
      )
    })
  })

  /** By trying every choice: how many days from one on are missing at least. */
  function fewestMissing(tables: readonly StoredTable[], from: number): number {
    if (from > 7) return 0
    const beginning = tables.filter((each) => each.range.start === addDays(first, from))
    const ends = beginning.map((each) => daysOf(each.range).length + from)
    return Math.min(1 + fewestMissing(tables, from + 1), ...ends.map((end) => fewestMissing(tables, end)))
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
})

describe('ages', () => {
  const at = (time: string) => Date.parse(time) as Instant
  const table = (start: string, end: string, fetchedAt: string) => ({
    range: { start: day(start), end: day(end) },
    fetchedAt: at(fetchedAt),
  })
  const settled = isSettledFor({ dayZone: 'UTC' }, at('2026-11-22T12:00Z'))

  it('puts neighbours together that do not change any more, with the oldest time of them', () => {
    const tables = [
      table('2026-11-10', '2026-11-11', '2026-11-16T08:00Z'),
      table('2026-11-12', '2026-11-12', '2026-11-15T08:00Z'),
      table('2026-11-20', '2026-11-20', '2026-11-22T08:00:00Z'),
      table('2026-11-21', '2026-11-21', '2026-11-22T08:00:30Z'),
      table('2026-11-22', '2026-11-22', '2026-11-22T11:00Z'),
    ]
    expect(agesOf(tables, settled)).toEqual([
      table('2026-11-10', '2026-11-12', '2026-11-15T08:00Z'),
      table('2026-11-20', '2026-11-21', '2026-11-22T08:00:00Z'),
      table('2026-11-22', '2026-11-22', '2026-11-22T11:00Z'),
    ])
  })

  it('keeps days apart that lie apart, and what moves from what does not', () => {
    const tables = [
      table('2026-11-10', '2026-11-10', '2026-11-20T08:00Z'),
      table('2026-11-12', '2026-11-17', '2026-11-20T08:00Z'),
      table('2026-11-18', '2026-11-18', '2026-11-20T08:00Z'),
    ]
    expect(agesOf(tables, settled)).toEqual(tables)
  })
})
