import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { day, addDays, daysBetween } from '#shared/values/day.ts'
import { beforeOf, beginWeeksOn, firstWeekdayIn, rangeOf, readRange } from '#shared/views/period.ts'
import type { ComparisonPreset } from '#shared/views/period.ts'
import { checkProperty } from '#test/helpers/properties.ts'

const today = day('2026-03-01')

describe('a period', () => {
  it.each([
    ['yesterday', '2026-02-28', '2026-02-28'],
    ['last-7-days', '2026-02-22', '2026-02-28'],
    ['last-28-days', '2026-02-01', '2026-02-28'],
    ['this-month', '2026-03-01', '2026-03-01'],
    ['today', '2026-03-01', '2026-03-01'],
    ['last-month', '2026-02-01', '2026-02-28'],
    ['this-quarter', '2026-01-01', '2026-03-01'],
    ['last-quarter', '2025-10-01', '2025-12-31'],
    // 1 March 2026 is a Sunday, the last day of its week.
    ['this-week', '2026-02-23', '2026-03-01'],
    ['last-week', '2026-02-16', '2026-02-22'],
  ] as const)('%s runs from %s to %s on 1 March', (preset, start, end) => {
    expect(rangeOf({ kind: 'preset', preset }, today)).toEqual({ start, end })
  })

  it('of this week begins on its Monday, that day included', () => {
    expect(rangeOf({ kind: 'preset', preset: 'this-week' }, day('2026-02-23'))).toEqual({
      start: '2026-02-23',
      end: '2026-02-23',
    })
  })

  it.each([
    ['en-US', '2026-11-22', '2026-11-15'],
    ['en_GB.UTF-8', '2026-11-23', '2026-11-16'],
    ['ar-EG', '2026-11-21', '2026-11-14'],
    ['zh-Hant-TW', '2026-11-22', '2026-11-15'],
    ['C', '2026-11-23', '2026-11-16'],
    ['en', '2026-11-23', '2026-11-16'],
  ])('of weeks begins where people live by %s: this one on %s', (locale, start, before) => {
    beginWeeksOn(firstWeekdayIn(locale))
    const at = (preset: 'this-week' | 'last-week') => rangeOf({ kind: 'preset', preset }, day('2026-11-26'))
    expect(at('this-week')).toEqual({ start, end: '2026-11-26' })
    expect(at('last-week')).toEqual({ start: before, end: addDays(day(start), -1) })
    beginWeeksOn(1)
  })

  it('of this month runs to today', () => {
    expect(rangeOf({ kind: 'preset', preset: 'this-month' }, day('2024-02-29'))).toEqual({
      start: '2024-02-01',
      end: '2024-02-29',
    })
  })
})

describe('this quarter', () => {
  it.each([
    ['2026-01-01', '2026-01-01'],
    ['2026-06-30', '2026-04-01'],
    ['2026-08-15', '2026-07-01'],
    ['2026-12-31', '2026-10-01'],
  ])('on %s began on %s', (now, start) => {
    const period = { kind: 'preset', preset: 'this-quarter' } as const
    expect(rangeOf(period, day(now))).toEqual({ start, end: now })
  })
})

describe('two typed days', () => {
  it('make a range', () => {
    expect(readRange('2026-02-27', '2026-03-01', today)).toEqual({
      kind: 'range',
      range: { start: '2026-02-27', end: '2026-03-01' },
    })
  })

  it.each([
    ['', '2026-02-01', 'start'],
    ['2026-02-01', '', 'end'],
    ['2026-02-02', '2026-02-01', 'end'],
    ['2026-02-02', '2026-03-02', 'end'],
    ['2026-03-02', '2026-03-02', 'start'],
  ])('%j to %j are refused, naming the field', (start, end, field) => {
    const read = readRange(start, end, today)
    expect(read).toMatchObject({ kind: 'fault', field })
    expect(read.kind === 'range' ? '' : read.words).toMatch(/\w+ .*\.$/)
  })
})

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
