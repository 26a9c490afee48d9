import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hourOf, latestOccurrence, nextOccurrence } from '#main/raw/requests/schedules.ts'
import type { RawEvery } from '#shared/raw/requests.ts'
import { day } from '#shared/values/day.ts'
import { checkProperty } from '#test/helpers/properties.ts'

const at = (text: string) => Date.parse(text)

describe('the hour of a day', () => {
  it.each([
    ['UTC', '2026-11-20', 9, '2026-11-20T09:00:00Z'],
    ['Europe/Berlin', '2026-07-01', 0, '2026-06-30T22:00:00Z'],
    // Skipped in spring: it begins when the clocks have gone on.
    ['Europe/Berlin', '2026-03-29', 2, '2026-03-29T01:00:00Z'],
    // Twice in autumn: the first counts.
    ['Europe/Berlin', '2026-10-25', 2, '2026-10-25T00:00:00Z'],
    // Midnight itself is skipped.
    ['America/Santiago', '2026-09-06', 0, '2026-09-06T04:00:00Z'],
    ['Asia/Kolkata', '2026-11-20', 6, '2026-11-20T00:30:00Z'],
    ['Pacific/Kiritimati', '2026-11-21', 1, '2026-11-20T11:00:00Z'],
  ])('in %s of %s, %d:00, is %s', (zone, text, hour, expected) => {
    expect(new Date(hourOf(day(text), hour, zone)).toISOString()).toBe(new Date(expected).toISOString())
  })
})

describe('turns', () => {
  const monday: RawEvery = { kind: 'week', weekday: 1, hour: 8 }
  const last: RawEvery = { kind: 'month', day: 31, hour: 8 }

  it('of every Monday are on Mondays, and come at their very moment', () => {
    expect(latestOccurrence(monday, 'UTC', at('2026-11-23T08:00:00Z'))).toEqual({
      day: '2026-11-23',
      time: at('2026-11-23T08:00:00Z'),
    })
    expect(latestOccurrence(monday, 'UTC', at('2026-11-23T07:59:59.999Z'))?.day).toBe('2026-11-16')
    expect(nextOccurrence(monday, 'UTC', at('2026-11-23T08:00:00Z'))?.day).toBe('2026-11-30')
  })

  it('of the 31st are on the last day of shorter months', () => {
    expect(latestOccurrence(last, 'UTC', at('2027-03-01T00:00:00Z'))?.day).toBe('2027-02-28')
    expect(nextOccurrence(last, 'UTC', at('2028-02-01T00:00:00Z'))?.day).toBe('2028-02-29')
    expect(nextOccurrence(last, 'UTC', at('2028-02-29T09:00:00Z'))?.day).toBe('2028-03-31')
  })

  /** The clock of a zone, read off another way than the days of turns are. */
  const wall = (zone: string, time: number) => {
    const format = new Intl.DateTimeFormat('en-GB', {
      ...{ timeZone: zone, weekday: 'short', year: 'numeric', month: '2-digit', day: '2-digit' },
      ...{ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
    })
    const part = Object.fromEntries(format.formatToParts(time).map(({ type, value }) => [type, value]))
    return {
      weekday: part['weekday'] ?? '',
      date: `${part['year']}-${part['month']}-${part['day']}`,
      clock: `${part['hour']}:${part['minute']}`,
    }
  }

  const hours = fc.integer({ min: 0, max: 23 })
  const whens: fc.Arbitrary<RawEvery> = fc.oneof(
    fc.record({ kind: fc.constant('day' as const), hour: hours }),
    fc.record({
      kind: fc.constant('week' as const),
      weekday: fc.constantFrom(
        1 as const,
        2 as const,
        3 as const,
        4 as const,
        5 as const,
        6 as const,
        7 as const,
      ),
      hour: hours,
    }),
    fc.record({ kind: fc.constant('month' as const), day: fc.integer({ min: 1, max: 31 }), hour: hours }),
  )
  const zones = fc.constantFrom(
    ...['UTC', 'Europe/Berlin', 'America/New_York', 'America/Santiago', 'America/St_Johns', 'Africa/Cairo'],
    ...[
      'Asia/Kolkata',
      'Asia/Kathmandu',
      'Australia/Lord_Howe',
      'Pacific/Apia',
      'Pacific/Chatham',
      'Asia/Beirut',
    ],
  )
  const moments = fc.integer({ min: at('2024-01-01T00:00:00Z'), max: at('2032-01-01T00:00:00Z') })

  it('lie on their days at their hours, one after the other, with none between them', () => {
    checkProperty(
      'turns',
      fc.property(whens, zones, moments, (when, zone, now) => {
        const [before, after] = [latestOccurrence(when, zone, now), nextOccurrence(when, zone, now)]
        if (!before || !after) throw new Error('There is always another turn')
        expect(before.time).toBeLessThanOrEqual(now)
        expect(after.time).toBeGreaterThan(now)
        // Just before a turn, the one before is the latest; from it on, it is itself.
        expect(latestOccurrence(when, zone, after.time - 1)).toEqual(before)
        expect(latestOccurrence(when, zone, after.time)).toEqual(after)
        expect(nextOccurrence(when, zone, before.time)).toEqual(after)
        const { date, clock } = wall(zone, after.time)
        expect(date).toBe(after.day)
        // Where the hour is skipped it is later, and the moment before it is earlier than the hour.
        const hour = `${String(when.hour).padStart(2, '0')}:00`
        expect(clock >= hour).toBe(true)
        if (clock !== hour) {
          const just = wall(zone, after.time - 60_000)
          expect(just.date < after.day || just.clock < hour).toBe(true)
        }
        if (when.kind === 'week') {
          expect(
            ['', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'].indexOf(wall(zone, after.time).weekday),
          ).toBe(when.weekday)
        }
        const max = { day: 1, week: 7, month: 31 }[when.kind]
        expect(after.time - before.time).toBeLessThanOrEqual(max * 86_400_000 + 2 * 3_600_000)
      }),
      600,
    )
  })
})
