import { describe, expect, it } from 'vitest'
import { everyWords } from '#shared/texts/raw.ts'
import { dayOfMonthWords, recurrenceWords } from '#shared/texts/recurrence.ts'
import type { ScheduleDays } from '#shared/watch/schedules.ts'

const words = (days: ScheduleDays, zone: string | null = 'Europe/Berlin') =>
  recurrenceWords({ days, hour: 8, minute: 5, zone })

describe('a recurrence', () => {
  it.each([
    [{ kind: 'week', weekdays: [1] }, 'Every Monday at 08:05, Berlin time'],
    [{ kind: 'week', weekdays: [1, 3, 7] }, 'Every Monday, Wednesday and Sunday at 08:05, Berlin time'],
    [{ kind: 'week', weekdays: [1, 2, 3, 4, 5] }, 'Every weekday at 08:05, Berlin time'],
    [{ kind: 'week', weekdays: [2, 3, 4, 5, 6] }, /^Every Tuesday, .* and Saturday at/],
    [{ kind: 'week', weekdays: [1, 2, 3, 4, 5, 6, 7] }, 'Every day at 08:05, Berlin time'],
    [{ kind: 'month', day: 1 }, 'On the 1st of every month at 08:05, Berlin time'],
    [{ kind: 'month', day: 30 }, 'On the 30th of every month, or its last day, at 08:05, Berlin time'],
    [{ kind: 'month', day: 31 }, 'On the last day of every month at 08:05, Berlin time'],
  ] as const)('of %o is said', (days, expected) => {
    expect(words(days)).toEqual(typeof expected === 'string' ? expected : expect.stringMatching(expected))
  })

  it('names zones as people do', () => {
    expect(words({ kind: 'month', day: 1 }, 'UTC')).toMatch(/, UTC$/)
    expect(words({ kind: 'month', day: 1 }, null)).toBe('On the 1st of every month at 08:05')
    expect(words({ kind: 'month', day: 1 }, 'America/New_York')).toMatch(/, New York time$/)
    expect([1, 2, 3, 4, 11, 21, 22, 23].map(dayOfMonthWords)).toEqual(
      '1st 2nd 3rd 4th 11th 21st 22nd 23rd'.split(' '),
    )
  })

  it('is said alike of a raw schedule', () => {
    expect(everyWords({ kind: 'day', hour: 6 })).toBe('Every day at 06:00')
    expect(everyWords({ kind: 'week', weekday: 7, hour: 23 }, 'Europe/Berlin')).toBe(
      'Every Sunday at 23:00, Berlin time',
    )
    expect(everyWords({ kind: 'month', day: 29, hour: 0 })).toBe(
      'On the 29th of every month, or its last day, at 00:00',
    )
  })
})
