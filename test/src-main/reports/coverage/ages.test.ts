import { expect, it } from 'vitest'
import { agesOf } from '#main/reports/coverage/ages.ts'
import { isSettledFor } from '#main/reports/coverage/freshness.ts'
import { day } from '#shared/values/day.ts'
import type { Instant } from '#shared/values/ids.ts'

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
