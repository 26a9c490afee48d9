import { describe, expect, it } from 'vitest'
import { assumed, estimateOf } from '../../../../src-main/figures/sync/estimate.ts'
import { RequestTimes } from '../../../../src-main/figures/sync/range-limits.ts'
import type { HistoryPath, KeptTable, TableId } from '../../../../src-main/figures/cache/kept-table.ts'
import { day } from '../../../../src-shared/values/day.ts'
import type { Instant } from '../../../../src-shared/values/ids.ts'
import { firstId } from '../../store/helpers.ts'

const kept = (rows: number, bytes: number, fetchedAt: number, end = '2026-11-01'): KeptTable => ({
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

const basis = { request: 800, atOnce: 4, bytesPerRow: 20 }

describe('what keeping days would take', () => {
  it('is pages by the last known rows, at the usual time and the usual bytes of a row', () => {
    const known = [kept(900, 9_000, 1), kept(3_400, 34_000, 2)]
    expect(estimateOf([{ days: 85, of: 90, hasRows: true, known }], basis)).toEqual({
      of: 90,
      days: 85,
      requests: 340,
      milliseconds: 68_000,
      bytes: 85 * 34_000,
      assumed: [],
    })
  })

  it('goes by tables of one day rather than by newer ones of several', () => {
    const known = [kept(900, 9_000, 1), kept(9_000, 90_000, 2, '2026-11-20')]
    expect(estimateOf([{ days: 2, of: 2, hasRows: true, known }], basis).requests).toBe(2)
  })

  it('says what had to be assumed where nothing is known', () => {
    const unknown = { days: 10, of: 10, hasRows: true, known: [] }
    expect(estimateOf([unknown], { request: null, atOnce: 4, bytesPerRow: null })).toEqual({
      of: 10,
      days: 10,
      requests: 10,
      milliseconds: (10 * assumed.request) / 4,
      bytes: 10 * (assumed.file + assumed.rows * assumed.bytesPerRow),
      assumed: ['size', 'time'],
    })
    expect(estimateOf([unknown], basis)).toMatchObject({
      bytes: 10 * (assumed.file + assumed.rows * 20),
      assumed: ['size'],
    })
  })

  it('is nothing, and no guess, where all is there', () => {
    const there = { days: 0, of: 28, hasRows: true, known: [] }
    expect(estimateOf([there], { ...basis, request: null })).toEqual({
      ...{ of: 28, days: 0, requests: 0, milliseconds: 0, bytes: 0, assumed: [] },
    })
  })

  it('counts a day once however many tables are kept of it; an overview takes one request a day', () => {
    const overview = { days: 7, of: 7, hasRows: false, known: [kept(0, 2_000, 1)] }
    const table = { days: 7, of: 7, hasRows: true, known: [kept(1_000, 8_000, 1)] }
    expect(estimateOf([overview, table], basis)).toMatchObject({
      ...{ of: 7, days: 7, requests: 14, bytes: 7 * 10_000 },
    })
  })
})

it('the usual time of a request is the median of the last ones that were answered', async () => {
  let now = 0
  const times = new RequestTimes({ now: () => now })
  expect(times.median(firstId)).toBeNull()
  const take = (milliseconds: number) => times.measure(firstId, async () => void (now += milliseconds))
  for (const time of [5_000, 100, 300, -4]) await take(time)
  await expect(times.measure(firstId, () => Promise.reject(new Error('Away')))).rejects.toThrow('Away')
  expect(times.median(firstId)).toBe(300)
  for (let count = 0; count < 50; count += 1) await take(200)
  expect(times.median(firstId)).toBe(200)
})
