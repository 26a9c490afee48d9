import { describe, expect, it } from 'vitest'
import {
  dayOfMonthWords,
  exampleFile,
  ruleWords,
  scheduledWords,
  suggestedName,
} from '#shared/texts/schedules.ts'
import type { CaseId } from '#shared/cases/case.ts'
import type { SavedViewId } from '#shared/views/saved-views.ts'
import type { ScheduleDays } from '#shared/watch/schedules.ts'

const words = (days: ScheduleDays, zone = 'Europe/Berlin') => ruleWords({ days, hour: 8, minute: 5, zone })

describe('when a schedule is due', () => {
  it.each([
    [{ kind: 'week', weekdays: [1] }, 'Every Monday at 08:05, Berlin time'],
    [{ kind: 'week', weekdays: [1, 3, 7] }, 'Every Monday, Wednesday and Sunday at 08:05, Berlin time'],
    [{ kind: 'week', weekdays: [1, 2, 3, 4, 5] }, 'Every weekday at 08:05, Berlin time'],
    [{ kind: 'week', weekdays: [2, 3, 4, 5, 6] }, /^Every Tuesday, .* and Saturday at/],
    [{ kind: 'week', weekdays: [1, 2, 3, 4, 5, 6, 7] }, 'Every day at 08:05, Berlin time'],
    [{ kind: 'month', day: 1 }, 'On the 1st of every month at 08:05, Berlin time'],
    [{ kind: 'month', day: 30 }, 'On the 30th of every month, or its last day, at 08:05, Berlin time'],
    [{ kind: 'month', day: 31 }, 'On the last day of every month at 08:05, Berlin time'],
  ] as const)('is said of %o', (days, expected) => {
    expect(words(days)).toEqual(typeof expected === 'string' ? expected : expect.stringMatching(expected))
  })

  it('names zones as people do', () => {
    expect(words({ kind: 'month', day: 1 }, 'UTC')).toMatch(/, UTC$/)
    expect(words({ kind: 'month', day: 1 }, 'America/New_York')).toMatch(/, New York time$/)
    expect([1, 2, 3, 4, 11, 21, 22, 23].map(dayOfMonthWords)).toEqual(
      '1st 2nd 3rd 4th 11th 21st 22nd 23rd'.split(' '),
    )
  })
})

describe('what a schedule saves', () => {
  const [a, b, c] = ['A', 'B', 'C'] as unknown as readonly SavedViewId[]
  const nameOf = (id: string) => (id === 'A' ? 'Sources' : id === 'C' ? null : 'Browsers')

  it('is named, and so is the schedule', () => {
    if (!a || !b || !c) throw new Error('No ids')
    expect(scheduledWords({ kind: 'views', views: [a, c] }, nameOf)).toBe('Sources, A deleted view')
    expect(scheduledWords({ kind: 'today' }, nameOf)).toBe('Today')
    expect(scheduledWords({ kind: 'case', id: 'C' as CaseId }, nameOf)).toBe('A deleted case')
    expect(suggestedName({ kind: 'views', views: [a, b] }, nameOf)).toBe('Sources, Browsers')
    expect(suggestedName({ kind: 'views', views: [a, b, c] }, nameOf)).toBe('3 views')
  })

  it('has an example of its file, which is a valid name', () => {
    const parts = { account: 'A/B', schedule: 'Weekly', name: 'By {day}', day: '2026-11-30' }
    expect(exampleFile({ fileNames: '{account} {schedule} {day}', format: 'pdf' }, parts)).toBe(
      'A B Weekly 2026-11-30.pdf',
    )
    expect(exampleFile({ fileNames: '', format: 'csv' }, parts)).toBe('By {day}.csv')
  })
})
