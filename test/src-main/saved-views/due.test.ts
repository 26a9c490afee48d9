import { describe, expect, it } from 'vitest'
import { untilNextDay } from '#main/saved-views/due.ts'

describe('the next day', () => {
  it.each([
    ['2026-11-20T12:00:00Z', 'UTC', 12],
    ['2026-11-20T23:59:59Z', 'UTC', 1 / 3600],
    ['2026-11-20T12:00:00Z', 'Asia/Kolkata', 6.5],
    // The night on which summer ends has an hour more.
    ['2026-10-24T22:00:00Z', 'Europe/Berlin', 25],
    ['2026-03-28T23:00:00Z', 'Europe/Berlin', 23],
  ])('after %s in %s begins in %f hours', (time, zone, hours) => {
    const wait = untilNextDay(Date.parse(time), zone)
    expect(wait).toBeGreaterThanOrEqual(hours * 3_600_000)
    expect(wait).toBeLessThanOrEqual(hours * 3_600_000 + 1000)
  })
})
