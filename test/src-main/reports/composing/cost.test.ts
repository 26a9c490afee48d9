import fc from 'fast-check'
import { expect, it, describe } from 'vitest'
import type { StoredTable } from '#main/database/cache/catalogue-repository.ts'
import type { HistoryPath, TableId } from '#main/analytics/history-layout.ts'
import { Agreements, assumed, estimateOf } from '#main/reports/composing/cost.ts'
import type { Clock } from '#main/lib/async.ts'
import { fake } from '#test/helpers/fake.ts'
import { RequestTimes } from '#main/reports/requests/request-times.ts'
import { day, daysOf } from '#shared/values/day.ts'
import type { Instant } from '#shared/values/ids.ts'
import { checkProperty } from '#test/helpers/properties.ts'
import { firstId } from '#test/src-main/database/helpers.ts'

const days = (start: string, end: string) => daysOf({ start: day(start), end: day(end) })
const week = { id: 'a', days: days('2026-11-01', '2026-11-07') }

it('covers what was agreed to, and any part of it', () => {
  const agreements = new Agreements()
  expect(agreements.covers(week, 10)).toBe(false)
  agreements.announce(week, 40)
  expect(agreements.covers(week, 10)).toBe(false)
  expect(agreements.agree(week, 40)).toBe(true)
  expect(agreements.covers(week, 40)).toBe(true)
  expect(agreements.covers({ ...week, days: days('2026-11-03', '2026-11-04') }, 12)).toBe(true)
})

it.each([
  ['more calls', week, 41],
  ['a day more', { ...week, days: days('2026-11-01', '2026-11-08') }, 40],
  ['other days', { ...week, days: days('2026-10-01', '2026-10-07') }, 6],
  ['another subject', { ...week, id: 'b' }, 6],
])('does not cover %s', (_, look, calls) => {
  const agreements = new Agreements()
  agreements.agree(week, 40)
  expect(agreements.covers(look, calls)).toBe(false)
})

it('says again what turns out to take more than was said', () => {
  const agreements = new Agreements()
  agreements.announce(week, 40)
  expect(agreements.agree(week, 41)).toBe(false)
  expect(agreements.covers(week, 41)).toBe(false)
  agreements.announce(week, 41)
  expect(agreements.agree(week, 41)).toBe(true)
})

it('is not held to what was said before an earlier consent', () => {
  const agreements = new Agreements()
  agreements.announce(week, 40)
  expect(agreements.agree(week, 40)).toBe(true)
  expect(agreements.agree(week, 41)).toBe(true)
})

const stored = (rows: number, bytes: number, fetchedAt: number, end = '2026-11-01'): StoredTable => ({
  id: '0123456789abcdef' as TableId,
  range: { start: day('2026-11-01'), end: day(end) },
  fetchedAt: fetchedAt as Instant,
  whole: true,
  rows,
  bytes,
  doubt: null,
  file: { path: 'a' as HistoryPath, size: bytes, checksum: '00000000', tables: 1 },
  head: '',
})

const basis = { request: 800, pace: null, concurrency: 4, bytesPerRow: 20 }

describe('what keeping days would take', () => {
  it('is pages by the last known rows, at the usual time and the usual bytes of a row', () => {
    const known = [stored(900, 9_000, 1), stored(3_400, 34_000, 2)]
    expect(estimateOf([{ days: 85, total: 90, hasRows: true, known }], basis)).toEqual({
      total: 90,
      days: 85,
      requests: 340,
      // In four places 68 s, beside 1.7 s of work for pages and 1.02 s for days: the slowest, and half of the rest.
      milliseconds: 68_000 + (340 * 5 + 85 * 12) / 2,
      bytes: 85 * 34_000,
      assumed: [],
    })
  })

  it('goes by tables of one day rather than by newer ones of several', () => {
    const known = [stored(900, 9_000, 1), stored(9_000, 90_000, 2, '2026-11-20')]
    expect(estimateOf([{ days: 2, total: 2, hasRows: true, known }], basis).requests).toBe(2)
  })

  it('is a call for each row, and one for the total, of a composed table', () => {
    const composed = { days: 85, total: 90, hasRows: true, known: [stored(12, 500, 1)] }
    expect(estimateOf([{ ...composed, composedOver: 31 }], basis).requests).toBe(3 * 13)
    expect(estimateOf([{ ...composed, composedOver: Infinity }], basis).requests).toBe(13)
    expect(estimateOf([{ ...composed, days: 0, composedOver: 31 }], basis).requests).toBe(0)
  })

  it('says what had to be assumed where nothing is known', () => {
    const unknown = { days: 10, total: 10, hasRows: true, known: [] }
    expect(estimateOf([unknown], { request: null, pace: null, concurrency: 4, bytesPerRow: null })).toEqual({
      total: 10,
      days: 10,
      requests: 10,
      milliseconds: (10 * assumed.request) / 4 + (10 * assumed.page + 10 * assumed.write) / 2,
      bytes: 10 * (assumed.file + assumed.rows * assumed.bytesPerRow),
      assumed: ['size', 'time'],
    })
    expect(estimateOf([unknown], basis)).toMatchObject({
      bytes: 10 * (assumed.file + assumed.rows * 20),
      assumed: ['size'],
    })
  })

  it('is nothing, and no guess, where all is there', () => {
    const there = { days: 0, total: 28, hasRows: true, known: [] }
    expect(estimateOf([there], { ...basis, request: null })).toEqual({
      ...{ total: 28, days: 0, requests: 0, milliseconds: 0, bytes: 0, assumed: [] },
    })
  })

  it('counts a day once however many tables are kept of it; an overview takes one request a day', () => {
    const overview = { days: 7, total: 7, hasRows: false, known: [stored(0, 2_000, 1)] }
    const table = { days: 7, total: 7, hasRows: true, known: [stored(1_000, 8_000, 1)] }
    expect(estimateOf([overview, table], basis)).toMatchObject({
      ...{ total: 7, days: 7, requests: 14, bytes: 7 * 10_000 },
    })
  })
})

/**
 * How long it takes to gather days of so many pages each: a place for a request is free, then the one that reads pages, and with the last page of
 * a day the one that writes. Each in turn, in milliseconds.
 */
function gathered(days: number, pages: number, request: () => number): number {
  const places = [0, 0, 0]
  let [reads, writes] = [0, 0]
  for (let nth = 0; nth < days; nth += 1) {
    let last = 0
    for (let page = 0; page < pages; page += 1) {
      const place = places.indexOf(Math.min(...places))
      const came = (places[place] = (places[place] ?? 0) + request())
      last = reads = Math.max(reads, came) + assumed.page
    }
    writes = Math.max(writes, last) + assumed.write
  }
  return writes
}

it('the time that keeping takes is right within a factor of two, whatever it is that takes it', () => {
  const about = fc.record({
    days: fc.integer({ min: 7, max: 365 }),
    pages: fc.integer({ min: 1, max: 40 }),
    request: fc.integer({ min: 1, max: 2_000 }),
    jitter: fc.array(fc.double({ min: 0.5, max: 1.5, noNaN: true }), { minLength: 10, maxLength: 10 }),
  })
  checkProperty(
    'estimated times',
    fc.property(about, ({ days, pages, request, jitter }) => {
      let turn = 0
      const took = gathered(days, pages, () => request * (jitter[(turn += 1) % 10] ?? 1))
      const mean = jitter.reduce((sum, each) => sum + each, 0) / 10
      const known = [stored(pages * 1_000, 1_000, 1)]
      const { milliseconds } = estimateOf([{ days, total: days, hasRows: true, known }], {
        ...{ ...basis, concurrency: 3, request: request * mean },
      })
      expect(milliseconds).toBeGreaterThan(took / 2)
      expect(milliseconds).toBeLessThan(took * 2)
    }),
    200,
  )
})

it('what was gathered lately tells how long each page takes, whatever requests take', () => {
  const times = new RequestTimes(fake<Clock>('clock', { now: () => 0 }))
  expect(times.pace(firstId)).toBeNull()
  times.noteGathered(firstId, 7, 90_000)
  expect(times.pace(firstId)).toBeNull()
  times.noteGathered(firstId, 28, 5_200)
  const pace = times.pace(firstId)
  const table = { days: 28, total: 28, hasRows: true, known: [stored(900, 9_000, 1)] }
  expect(estimateOf([table], { ...basis, request: 20, pace }).milliseconds).toBe(5_200)
  // A composed table is gathered in another way.
  expect(estimateOf([{ ...table, composedOver: 31 }], { ...basis, pace })).toMatchObject({
    milliseconds: (901 * 800) / 4,
  })
})

it('the usual time of a request is the median of the last ones that were answered', async () => {
  let now = 0
  const times = new RequestTimes(fake<Clock>('clock', { now: () => now }))
  expect(times.median(firstId)).toBeNull()
  const take = (milliseconds: number) => times.measure(firstId, async () => void (now += milliseconds))
  for (const time of [5_000, 100, 300, -4]) await take(time)
  await expect(times.measure(firstId, () => Promise.reject(new Error('Away')))).rejects.toThrow('Away')
  expect(times.median(firstId)).toBe(300)
  for (let count = 0; count < 50; count += 1) await take(200)
  expect(times.median(firstId)).toBe(200)
})
