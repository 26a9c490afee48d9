import { describe, expect, it } from 'vitest'
import type { Job } from '#shared/app/jobs.ts'
import type { Instant } from '#shared/values/ids.ts'
import { isDue, untilDue, untilNextDay } from '#main/saved-views/due.ts'

const minute = 60_000
const at = (time: string) => Date.parse(`2026-11-20T${time}Z`) as Instant

/** A view whose last refresh started and ended at these times. */
const refreshed = (started: string, ended: string | null, zone = 'UTC') => {
  const last = ended === null ? null : ({ endedAt: at(ended) } as Job)
  const record = {
    kind: 'view',
    key: 'a',
    active: null,
    last,
    failure: null,
    startedAt: at(started),
  } as const
  return { record, zone }
}

describe('a pinned view', () => {
  it.each([
    ['an hour after its last refresh ended', refreshed('10:00:00', '10:10:00'), '11:10:00', true],
    ['not before', refreshed('10:00:00', '10:10:00'), '11:09:59', false],
    [
      'on another day than the refresh started',
      refreshed('18:20:00', '18:40:00', 'Asia/Kolkata'),
      '18:45:00',
      true,
    ],
    ['where the clock was set back', refreshed('10:00:00', '10:10:00'), '10:09:59', true],
    ['where no refresh ended', refreshed('10:00:00', null), '10:01:00', true],
    ['where there was none', { record: null, zone: 'UTC' }, '10:00:00', true],
  ])('is due %s', (_, view, now, due) => expect(isDue(view, at(now))).toBe(due))

  it.each([
    [
      'the first of all',
      [refreshed('10:00:00', '10:10:00'), refreshed('10:00:00', '10:20:00')],
      '10:30:00',
      40,
    ],
    ['within the hour where there is none', [], '10:30:00', 60],
    ['within the hour where none was refreshed', [{ record: null, zone: 'UTC' }], '10:30:00', 60],
    ['in a second where one is overdue', [refreshed('10:00:00', '10:10:00')], '11:30:00', 1 / 60],
    ['at the next day', [refreshed('23:30:00', '23:30:00')], '23:45:00', 15],
  ])('is waited for: %s', (_, views, now, minutes) => {
    const wait = untilDue(views, at(now))
    expect(wait).toBeGreaterThanOrEqual(minutes * minute)
    expect(wait).toBeLessThanOrEqual(minutes * minute + 1000)
  })
})

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
