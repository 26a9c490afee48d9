import { expect, it } from 'vitest'
import { areWhole, commonDays, isSettledOn, unsettledDays } from '#shared/reports/answer.ts'
import type { Doubt } from '#shared/reports/answer.ts'
import { day } from '#shared/values/day.ts'
import type { Instant } from '#shared/values/ids.ts'

const range = (start: string, end: string) => ({ start: day(start), end: day(end) })

it('tells days that were not over from those that are over and still move', () => {
  expect(unsettledDays(range('2026-11-14', '2026-11-20'), day('2026-11-20'))).toEqual({
    open: ['2026-11-20'],
    moving: ['2026-11-18', '2026-11-19'],
  })
  expect(unsettledDays(range('2026-11-19', '2026-11-19'), day('2026-11-20'))).toEqual({
    open: [],
    moving: ['2026-11-19'],
  })
})

it('finds nothing to move in a range that is settled, and says the same of it', () => {
  const settled = range('2026-11-01', '2026-11-17')
  expect(isSettledOn(settled, day('2026-11-20'))).toBe(true)
  expect(unsettledDays(settled, day('2026-11-20'))).toEqual({ open: [], moving: [] })
  const moving = range('2026-11-01', '2026-11-18')
  expect(isSettledOn(moving, day('2026-11-20'))).toBe(false)
  expect(unsettledDays(moving, day('2026-11-20')).moving).toEqual(['2026-11-18'])
})

it('lets figures whose data scope is not confirmed stand alone', () => {
  const settled = range('2026-11-01', '2026-11-07')
  const fetchedAt = Date.parse('2026-11-20T12:00:00Z') as Instant
  const figures = (doubt: Doubt | null) => ({
    range: settled,
    provenance: { fetchedAt, missing: [], restated: null, doubt },
  })
  const together = { isOneGathering: () => true, zone: 'UTC' }
  const momentOf = (...all: readonly (Doubt | null)[]) => commonDays(all.map(figures), together).moment
  expect(momentOf(null, 'fewer-rows')).toBe('one')
  expect(momentOf('unconfirmed')).toBe('one')
  expect(momentOf(null, 'unconfirmed')).toBe('several')
  expect(areWhole(figures(null).provenance, settled, 'UTC')).toBe(true)
  expect(areWhole(figures('unconfirmed').provenance, settled, 'UTC')).toBe(false)
})

it('calls a day settled by the clock of the service where the local one ran ahead', () => {
  const hour = 60 * 60_000
  const served = Date.parse('2026-11-20T12:00:00Z')
  // One of the two was fetched two hours before the other.
  const momentOn = (name: string, ahead: number) => {
    const figures = [0, 2 * hour].map((later) => ({
      range: range(name, name),
      provenance: {
        fetchedAt: (served + later + ahead) as Instant,
        servedAt: (served + later) as Instant,
        ...{ missing: [], restated: null, doubt: null },
      },
    }))
    return commonDays(figures, { isOneGathering: () => false, zone: 'UTC' }).moment
  }
  for (const ahead of [0, hour, 36 * hour, 5 * 24 * hour])
    expect([momentOn('2026-11-17', ahead), momentOn('2026-11-18', ahead)]).toEqual(['settled', 'several'])
})
