import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { latestOccurrence, nextOccurrence, occurrencesBetween, timeOf } from '#main/lib/occurrence.ts'
import { day, daysOf, weekdayOf } from '#shared/values/day.ts'
import type { Day } from '#shared/values/day.ts'
import { weekdays } from '#shared/watch/alerts.ts'
import type { ScheduleRule } from '#shared/watch/schedules.ts'
import { checkProperty } from '#test/helpers/properties.ts'

const at = (text: string) => Date.parse(text)

describe('the time of a day', () => {
  it.each([
    ['UTC', '2026-11-20', '09:00', '2026-11-20T09:00:00Z'],
    ['Europe/Berlin', '2026-07-01', '00:00', '2026-06-30T22:00:00Z'],
    // Skipped in spring: it is as long after the gap begins.
    ['Europe/Berlin', '2026-03-29', '02:00', '2026-03-29T01:00:00Z'],
    ['Europe/Berlin', '2026-03-29', '02:30', '2026-03-29T01:30:00Z'],
    // Twice in autumn: the first counts.
    ['Europe/Berlin', '2026-10-25', '02:00', '2026-10-25T00:00:00Z'],
    ['Europe/Berlin', '2026-10-25', '02:30', '2026-10-25T00:30:00Z'],
    // Midnight itself is skipped.
    ['America/Santiago', '2026-09-06', '00:00', '2026-09-06T04:00:00Z'],
    // A gap of half an hour.
    ['Australia/Lord_Howe', '2026-10-04', '02:15', '2026-10-03T15:45:00Z'],
    ['Asia/Kolkata', '2026-11-20', '06:00', '2026-11-20T00:30:00Z'],
    ['Asia/Kathmandu', '2026-11-20', '06:45', '2026-11-20T01:00:00Z'],
    ['Pacific/Kiritimati', '2026-11-21', '01:00', '2026-11-20T11:00:00Z'],
  ])('in %s of %s, %s, is %s', (zone, text, clock, expected) => {
    const [hour = 0, minute = 0] = clock.split(':').map(Number)
    expect(new Date(timeOf(day(text), { hour, minute, zone })).toISOString()).toBe(
      new Date(expected).toISOString(),
    )
  })
})

describe('occurrences', () => {
  const at8 = { hour: 8, minute: 0, zone: 'UTC' }
  const monday: ScheduleRule = { ...at8, days: { kind: 'week', weekdays: [1] } }
  const workdays: ScheduleRule = { ...at8, days: { kind: 'week', weekdays: [1, 2, 3, 4, 5] } }
  const last: ScheduleRule = { ...at8, days: { kind: 'month', day: 31 } }

  it('of every Monday are on Mondays, and come at their very moment', () => {
    expect(latestOccurrence(monday, at('2026-11-23T08:00:00Z'))).toEqual({
      day: '2026-11-23',
      time: at('2026-11-23T08:00:00Z'),
    })
    expect(latestOccurrence(monday, at('2026-11-23T07:59:59.999Z'))?.day).toBe('2026-11-16')
    expect(nextOccurrence(monday, at('2026-11-23T08:00:00Z'))?.day).toBe('2026-11-30')
  })

  it('of workdays leave the weekend out', () => {
    expect(nextOccurrence(workdays, at('2026-11-20T08:00:00Z'))?.day).toBe('2026-11-23')
    expect(latestOccurrence(workdays, at('2026-11-22T12:00:00Z'))?.day).toBe('2026-11-20')
  })

  it('of the 31st are on the last day of shorter months', () => {
    expect(latestOccurrence(last, at('2027-03-01T00:00:00Z'))?.day).toBe('2027-02-28')
    expect(nextOccurrence(last, at('2028-02-01T00:00:00Z'))?.day).toBe('2028-02-29')
    expect(nextOccurrence(last, at('2028-02-29T09:00:00Z'))?.day).toBe('2028-03-31')
  })

  it('are listed with the latest first, after the one moment and up to the other', () => {
    const days = (since: string, now: string) =>
      occurrencesBetween(workdays, { since: at(since), now: at(now) }).map((each) => each.day)
    expect(days('2026-11-19T08:00:00Z', '2026-11-24T08:00:00Z')).toEqual([
      '2026-11-24',
      '2026-11-23',
      '2026-11-20',
    ])
    expect(days('2026-11-19T08:00:00Z', '2026-11-24T07:59:59Z')).toEqual(['2026-11-23', '2026-11-20'])
    expect(days('2026-11-24T09:00:00Z', '2026-11-24T08:00:00Z')).toEqual([])
  })

  it('of 02:30 are one a day where the clocks go on and back', () => {
    const rule: ScheduleRule = {
      ...{ hour: 2, minute: 30, zone: 'Europe/Berlin' },
      days: { kind: 'week', weekdays },
    }
    for (const [from, to] of [
      ['2026-03-28T00:00:00Z', '2026-03-30T12:00:00Z'],
      ['2026-10-24T00:00:00Z', '2026-10-26T12:00:00Z'],
    ] as const) {
      const found = occurrencesBetween(rule, { since: at(from), now: at(to) })
      expect(found.map((each) => each.day).toSorted()).toEqual(
        daysOf({ start: day(from.slice(0, 10)), end: day(to.slice(0, 10)) }),
      )
    }
  })

  it.each([
    // 23:00 to midnight is skipped: half past is due on the next day.
    ['America/Nuuk', 23, '2026-03-29T01:10:00Z', '2026-03-28', '2026-03-29T01:30:00Z'],
    // A whole day is skipped: its occurrence is that of the day after.
    ['Pacific/Apia', 8, '2011-12-29T20:00:00Z', '2011-12-31', '2011-12-30T18:30:00Z'],
    ['Pacific/Apia', 8, '2011-12-30T10:00:00Z', '2011-12-31', '2011-12-30T18:30:00Z'],
    // Midnight comes twice: one minute after it, clocks went back an hour.
    ['America/St_Johns', 23, '2010-11-07T02:45:00Z', '2010-11-07', '2010-11-08T03:00:00Z'],
  ] as const)('in %s, at %i:30, are found across midnight on %s', (zone, hour, now, expected, due) => {
    const rule: ScheduleRule = { ...{ hour, minute: 30, zone }, days: { kind: 'week', weekdays } }
    const next = { day: expected, time: at(due) }
    expect(nextOccurrence(rule, at(now))).toEqual(next)
    expect(latestOccurrence(rule, at(due))).toEqual(next)
  })

  it('of a midnight that came twice are past the second time', () => {
    const rule: ScheduleRule = {
      ...{ hour: 0, minute: 0, zone: 'America/St_Johns' },
      days: { kind: 'week', weekdays },
    }
    // 23:15 on the day before, for the second time.
    const again = at('2010-11-07T02:45:00Z')
    expect(latestOccurrence(rule, again)).toEqual({ day: '2010-11-07', time: at('2010-11-07T02:30:00Z') })
  })

  /** The clock of a zone, read off another way than the days of occurrences are. */
  const formats = new Map<string, Intl.DateTimeFormat>()
  const formatOf = (timeZone: string) => {
    const options = {
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
    } as const
    const format =
      formats.get(timeZone) ?? new Intl.DateTimeFormat('en-GB', { timeZone, ...options, hourCycle: 'h23' })
    formats.set(timeZone, format)
    return format
  }
  const wall = (zone: string, time: number) => {
    const format = formatOf(zone)
    const part = Object.fromEntries(format.formatToParts(time).map(({ type, value }) => [type, value]))
    return {
      date: `${part['year']}-${part['month']}-${part['day']}`,
      clock: `${part['hour']}:${part['minute']}`,
    }
  }

  const zonedRules = (zone: string): fc.Arbitrary<ScheduleRule> =>
    fc.record({
      days: fc.oneof(
        fc.record({
          kind: fc.constant('week' as const),
          weekdays: fc.subarray([...weekdays], { minLength: 1 }),
        }),
        fc.record({ kind: fc.constant('month' as const), day: fc.integer({ min: 1, max: 31 }) }),
      ),
      hour: fc.integer({ min: 0, max: 23 }),
      minute: fc.integer({ min: 0, max: 59 }),
      zone: fc.constant(zone),
    })
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

  const isOn = ({ days }: ScheduleRule, value: Day) => {
    const date = new Date(value)
    const end = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()
    return days.kind === 'week'
      ? days.weekdays.includes(weekdayOf(value))
      : date.getUTCDate() === Math.min(days.day, end)
  }
  const clockOf = ({ hour, minute }: ScheduleRule) =>
    `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`

  /** Occurrences of a rule by a naive walk: on each of its days, the first quarter of an hour at or after its time. */
  function walked(rule: ScheduleRule, from: number, to: number): ReadonlyMap<string, number> {
    const found = new Map<string, number>()
    for (let time = from; time <= to; time += 15 * 60_000) {
      const { date, clock } = wall(rule.zone, time)
      if (!found.has(date) && isOn(rule, day(date)) && clock >= clockOf(rule)) found.set(date, time)
    }
    return found
  }

  it('are those of a walk by the clock on the wall', () => {
    checkProperty(
      'walked occurrences',
      fc.property(zones.chain(zonedRules), moments, (any, now) => {
        const rule = { ...any, minute: any.minute - (any.minute % 15) }
        const from = now - (now % 900_000)
        const to = from + 40 * 86_400_000
        const [first, last] = [wall(rule.zone, from).date, wall(rule.zone, to).date]
        const walk = walked(rule, from, to)
        const found = occurrencesBetween(rule, { since: from - 1, now: to })
        // The first and the last day are not walked as a whole.
        const inner = (dates: Iterable<string>) =>
          [...dates].filter((date) => date > first && date < last).toSorted()
        expect(inner(found.map((each) => each.day))).toEqual(inner(walk.keys()))
        for (const { day: date, time } of found) {
          // In a gap the walk stops at its end, and the rule as long after as the gap lies before.
          if (date > first && wall(rule.zone, time).clock === clockOf(rule)) expect(time).toBe(walk.get(date))
        }
      }),
      30,
    )
  })

  it('lie on their days at their times, one after the other, with none between them', () => {
    checkProperty(
      'occurrences',
      fc.property(zones.chain(zonedRules), moments, (rule, now) => {
        const [before, after] = [latestOccurrence(rule, now), nextOccurrence(rule, now)]
        if (!before || !after) throw new Error('There is always another occurrence')
        expect(before.time).toBeLessThanOrEqual(now)
        expect(after.time).toBeGreaterThan(now)
        // Just before an occurrence, the one before is the latest; from it on, it is itself.
        expect(latestOccurrence(rule, after.time - 1)).toEqual(before)
        expect(latestOccurrence(rule, after.time)).toEqual(after)
        expect(nextOccurrence(rule, before.time)).toEqual(after)
        const { date, clock } = wall(rule.zone, after.time)
        expect(date).toBe(after.day)
        // Where the hour is skipped it is later, and the moment before it is earlier than the hour.
        const hour = clockOf(rule)
        expect(clock >= hour).toBe(true)
        if (clock !== hour) {
          // An hour earlier, the gap lies ahead.
          const just = wall(rule.zone, after.time - 3_600_000)
          expect(just.date < after.day || just.clock < hour).toBe(true)
        }
        expect(isOn(rule, day(date))).toBe(true)
        const max = rule.days.kind === 'week' ? 7 : 31
        expect(after.time - before.time).toBeLessThanOrEqual(max * 86_400_000 + 2 * 3_600_000)
      }),
      600,
    )
  })
})
