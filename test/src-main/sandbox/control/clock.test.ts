import { describe, expect, it } from 'vitest'
import { createClock } from '#main/sandbox/control/clock.ts'
import { day } from '#shared/values/day.ts'

describe('the sandbox clock', () => {
  it('starts at noon UTC and goes on with real time', () => {
    let elapsed = 5_000
    const clock = createClock(day('2026-11-20'), () => elapsed)
    expect(new Date(clock.now()).toISOString()).toBe('2026-11-20T12:00:00.000Z')
    elapsed += 1_500.7
    expect(new Date(clock.now()).toISOString()).toBe('2026-11-20T12:00:01.500Z')
  })

  it('is moved on, over midnight too, and never back', () => {
    const clock = createClock(day('2026-11-20'), () => 0)
    clock.advance(12 * 3_600_000 - 1)
    expect(clock.today()).toBe('2026-11-20')
    clock.advance(1)
    expect(clock.today()).toBe('2026-11-21')
    expect(() => clock.advance(-1)).toThrow(RangeError)
    expect(() => clock.advance(Number.NaN)).toThrow(RangeError)
  })
})
