import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addDays, day, daysBetween } from '#shared/values/day.ts'
import { beforeOf } from '#shared/views/comparison.ts'
import type { ComparisonPreset } from '#shared/views/comparison.ts'
import { checkProperty } from '#test/helpers/properties.ts'

const range = { start: day('2026-11-13'), end: day('2026-11-19') }
const before = (preset: ComparisonPreset, of = range) => beforeOf({ kind: 'preset', preset }, of)

describe('the days compared with', () => {
  it('are none, unless something is chosen', () => {
    expect(before('none')).toBeNull()
  })

  it('are those right before, as many as there are', () => {
    expect(before('period-before')).toEqual({ start: '2026-11-06', end: '2026-11-12' })
    checkProperty(
      'days of the period before',
      fc.property(fc.nat(3000), fc.nat(400), (from, length) => {
        const start = addDays(day('2020-01-01'), from)
        const found = before('period-before', { start, end: addDays(start, length) })
        expect(found && daysBetween(found.start, found.end)).toBe(length)
        expect(found && addDays(found.end, 1)).toBe(start)
      }),
    )
  })

  it('are the same days of the week before', () => {
    expect(before('week-before')).toEqual({ start: '2026-11-06', end: '2026-11-12' })
    const long = { start: day('2026-11-01'), end: day('2026-11-28') }
    expect(before('week-before', long)).toEqual({ start: '2026-10-25', end: '2026-11-21' })
  })

  it('are the same days of the year before, the last of February where there was no 29th', () => {
    expect(before('year-before')).toEqual({ start: '2025-11-13', end: '2025-11-19' })
    const leap = { start: day('2024-02-29'), end: day('2024-03-01') }
    expect(before('year-before', leap)).toEqual({ start: '2023-02-28', end: '2023-03-01' })
  })

  it('are the chosen ones', () => {
    const chosen = { start: day('2026-01-01'), end: day('2026-01-31') }
    expect(beforeOf({ kind: 'custom', range: chosen }, range)).toBe(chosen)
  })
})
