import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { pairDays } from '#main/reports/coverage/pairing.ts'
import type { StoredTable } from '#main/database/cache/catalogue-repository.ts'
import { addDays, day, daysBetween, daysOf } from '#shared/values/day.ts'
import type { Day } from '#shared/values/day.ts'
import { storedTable } from './tables.ts'
import { checkProperty } from '#test/helpers/properties.ts'

const nowStart = day('2026-11-08')
const thenStart = day('2026-11-01')

/** A kept table of days counted from a day. */
const from = (start: Day) => (first: number, last: number, fetchedAt: number) =>
  storedTable({ start: addDays(start, first), end: addDays(start, last) }, fetchedAt)
const now = (first: number, last = first, fetchedAt = 100): StoredTable =>
  from(nowStart)(first, last, fetchedAt)
const then = (first: number, last = first, fetchedAt = 100): StoredTable =>
  from(thenStart)(first, last, fetchedAt)

const sideOf = (start: Day, stored: readonly StoredTable[], days = 7) => ({
  range: { start, end: addDays(start, days - 1) },
  stored,
})
const pair = (here: readonly StoredTable[], there: readonly StoredTable[], daysBefore = 7) =>
  pairDays(sideOf(nowStart, here), sideOf(thenStart, there, daysBefore), () => true, 1000)

/** Places of the days of some tables, from 0 at the first of their range. */
const placesOf = (start: Day, tables: readonly StoredTable[]) =>
  tables.flatMap(({ range }) => daysOf(range).map((each) => daysBetween(start, each))).sort((a, b) => a - b)

describe('pairs of days', () => {
  it('are those that are kept of both periods, the same day of each', () => {
    const here = [now(0), now(1), now(2), now(3), now(4), now(5), now(6)]
    const there = [then(1), then(2), then(6)]
    const pairs = pair(here, there)
    expect(pairs.compared).toEqual({ days: 3, of: 7 })
    expect(placesOf(nowStart, pairs.now)).toEqual([1, 2, 6])
    expect(placesOf(thenStart, pairs.before)).toEqual([1, 2, 6])
  })

  it('are not made of a part of a table that is about more days', () => {
    expect(pair([now(0, 6)], [then(0), then(1)])).toMatchObject({
      compared: { days: 0, of: 7 },
      now: [],
      before: [],
      fetchedAt: null,
    })
    const pairs = pair([now(0, 2), now(3, 6)], [then(0), then(1, 2), then(3)])
    expect(placesOf(nowStart, pairs.now)).toEqual([0, 1, 2])
    expect(placesOf(thenStart, pairs.before)).toEqual([0, 1, 2])
  })

  it('are made of smaller tables where a greater one reaches too far', () => {
    const pairs = pair([now(0, 6, 200), now(0), now(1)], [then(0), then(1)])
    expect(pairs.compared.days).toBe(2)
    expect(placesOf(nowStart, pairs.now)).toEqual([0, 1])
  })

  it('are found where tables overlap, and the more promising one has no counterpart', () => {
    expect(pair([now(2, 5, 900), now(0, 3)], [then(0), then(1), then(2), then(3)]).compared.days).toBe(4)
  })

  it('are not looked for in periods of unequal length: of each, all days that are there', () => {
    const there = Array.from({ length: 12 }, (_, place) => then(place + 2))
    const pairs = pair([now(0), now(6)], there, 14)
    expect(pairs.compared).toEqual({ days: 2, of: 7, against: { days: 12, of: 14 } })
    expect(placesOf(nowStart, pairs.now)).toEqual([0, 6])
    expect(placesOf(thenStart, pairs.before)).toEqual(Array.from({ length: 12 }, (_, place) => place + 2))
    expect(pair([now(0)], [], 14)).toMatchObject({ compared: { days: 0, of: 7 }, now: [], before: [] })
  })

  it('are as old as the oldest table that is used', () => {
    expect(pair([now(0, 0, 40), now(1, 1, 10)], [then(0, 0, 60)]).fetchedAt).toBe(40)
  })

  it('are the same places of both, each once, and all that there are of single days', () => {
    const tables = (make: typeof now, single: boolean) =>
      fc.array(
        fc
          .tuple(fc.integer({ min: -2, max: 8 }), fc.nat(3), fc.nat(100))
          .map(([first, more, at]) => make(first, single ? first : first + more, at)),
        { maxLength: 8 },
      )
    checkProperty(
      'pairs',
      fc.property(tables(now, false), tables(then, false), (here, there) => {
        const pairs = pair(here, there)
        const places = placesOf(nowStart, pairs.now)
        expect(placesOf(thenStart, pairs.before)).toEqual(places)
        expect(new Set(places).size).toBe(places.length)
        expect(pairs.compared.days).toBe(places.length)
        expect(places.every((place) => place >= 0 && place < 7)).toBe(true)
      }),
    )
    checkProperty(
      'pairs of single days',
      fc.property(tables(now, true), tables(then, true), (here, there) => {
        const inside = (places: readonly number[]) =>
          new Set(places.filter((place) => place >= 0 && place < 7))
        const known = inside(placesOf(thenStart, there))
        const wanted = [...inside(placesOf(nowStart, here))].filter((place) => known.has(place))
        expect(placesOf(nowStart, pair(here, there).now)).toEqual(wanted.sort((a, b) => a - b))
      }),
    )
  })
})
