import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { timeOf } from '#shared/values/timestamp.ts'

/** Has this process in another time zone until the test ends. */
function zone(name: string): void {
  vi.stubEnv('TZ', name)
  onTestFinished(() => void vi.unstubAllEnvs())
}

const eight = Date.UTC(2026, 10, 20, 8)

describe('a moment of the service', () => {
  it.each(['America/New_York', 'Asia/Kolkata', 'Pacific/Auckland', 'UTC'])(
    'without an offset is UTC, also on a computer in %s',
    (name) => {
      zone(name)
      // Or the zone of this computer would not be tried at all.
      expect(new Date(eight).getTimezoneOffset() === 0).toBe(name === 'UTC')
      for (const text of [
        '2026-11-20 08:00:00',
        '2026-11-20T08:00:00',
        '2026-11-20 08:00',
        '2026-11-20 8:00:00',
        '2026-11-20 08:00:00.000000',
        '2026-11-20T08:00:00,0',
      ]) {
        expect(timeOf(text), text).toBe(eight)
      }
      // Where clocks are put forward at night, this hour is none of local time.
      expect(timeOf('2026-03-08 02:30:00')).toBe(Date.UTC(2026, 2, 8, 2, 30))
    },
  )

  it.each([
    ['2026-11-20T08:00:00Z', 0],
    ['2026-11-20t08:00:00z', 0],
    ['2026-11-20 08:00:00 UTC', 0],
    ['2026-11-20T08:00:00+00:00', 0],
    ['2026-11-20 08:00:00+00', 0],
    ['2026-11-20T08:00:00+01:00', 60],
    ['2026-11-20 08:00:00 +0530', 330],
    ['2026-11-20T08:00:00-05', -300],
    ['2026-11-20T08:00:00-03:30', -210],
  ])('with an offset has that: %s', (text, ahead) => {
    zone('America/New_York')
    expect(timeOf(text)).toBe(eight - ahead * 60_000)
  })

  it('keeps its thousandths', () => {
    expect(timeOf('2026-11-20T08:00:00.1239Z')).toBe(eight + 123)
    expect(timeOf('2026-11-20 08:00:00.57')).toBe(eight + 570)
  })

  it.each([
    ...[null, '', 'soon', '2026-11-20', '20261120', '1795000000', '0000-00-00 00:00:00'],
    ...['2026-02-30 08:00:00', '2026-13-01 08:00:00', '2026-11-20 25:00:00', '2026-11-20 08:61:00'],
    ...['2026-11-20 08:00:00 PST', '2026-11-20 08:00:00x', '-0001-11-30T00:00:00+00:00'],
  ])('that is none is null: %j', (text) => expect(timeOf(text)).toBeNull())
})
