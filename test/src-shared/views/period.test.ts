import { describe, expect, it } from 'vitest'
import { rangeOf, readRange } from '#shared/views/period.ts'
import { day } from '#shared/values/day.ts'

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
