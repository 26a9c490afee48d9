import { describe, expect, it } from 'vitest'
import { timeOf } from '#main/lib/occurrence.ts'
import { addDays, day } from '#shared/values/day.ts'
import { refusalOf } from '#test/src-main/saved-views/helpers.ts'
import { TickingClock } from './ticking-clock.ts'
import { harnessWith } from './harness.ts'

const minute = 60_000

/** Zones, each with the day that begins, and when that is by the specification's clock, worked out by hand. */
const midnights = [
  ['UTC', '2026-11-21', '2026-11-21T00:00:00Z'],
  // The first zone in which a day begins, and the last.
  ['Pacific/Kiritimati', '2026-11-21', '2026-11-20T10:00:00Z'],
  ['Pacific/Pago_Pago', '2026-11-21', '2026-11-21T11:00:00Z'],
  ['Asia/Kathmandu', '2026-11-21', '2026-11-20T18:15:00Z'],
  // The night in which clocks go back, and the day after it.
  ['Europe/Berlin', '2026-10-25', '2026-10-24T22:00:00Z'],
  ['Europe/Berlin', '2026-10-26', '2026-10-25T23:00:00Z'],
  // Midnight itself is skipped: the day begins at one.
  ['America/Santiago', '2026-09-06', '2026-09-06T04:00:00Z'],
] as const

describe.each(midnights)('the days of a report in %s, when %s begins', (zone, text, at) => {
  const today = day(text)
  const midnight = Date.parse(at)
  const harnessAt = (time: number) => harnessWith({ zone, clock: new TickingClock(time) })
  const days = (start: number, end: number) => ({ start: addDays(today, start), end: addDays(today, end) })

  it('begins when it is said to', () => {
    expect(timeOf(today, { hour: 0, zone })).toBe(midnight)
  })

  it('end with the day before, a minute before midnight', async () => {
    const { ask, service } = await harnessAt(midnight - minute)
    expect(await refusalOf(ask(days(-1, 0)))).toMatchObject({ kind: 'invalid', field: 'end' })
    expect(await refusalOf(ask(days(-92, -1)))).toMatchObject({ kind: 'invalid', field: 'start' })
    expect(await ask(days(-91, -1))).toMatchObject({ kind: 'report' })
    expect(service.requests).toMatchObject([days(-91, -1)])
  })

  it('end with the new day from midnight on, and begin a day later', async () => {
    const { ask, service } = await harnessAt(midnight)
    expect(await refusalOf(ask(days(-91, 0)))).toMatchObject({ kind: 'invalid', field: 'start' })
    expect(await refusalOf(ask(days(0, 1)))).toMatchObject({ kind: 'invalid', field: 'end' })
    expect(await ask(days(-90, 0))).toMatchObject({ kind: 'report' })
    expect(service.requests).toMatchObject([days(-90, 0)])
  })

  it('of a request that waited through midnight are looked at anew before it goes', async () => {
    const harness = await harnessAt(midnight - minute)
    const { limits } = harness.service
    harness.service.limits = { ...limits, minutes_available: 0 }
    await harness.ask({ ...days(-91, -1), name: 'Oldest' })
    await harness.ask({ ...days(-90, -1), name: 'Younger' })
    harness.service.limits = limits
    await harness.pass(minute * 16)
    expect(harness.service.requests).toMatchObject([{ name: 'Younger' }])
    expect(await harness.queue()).toEqual(['Oldest: refused'])
  })
})
