import { describe, expect, it } from 'vitest'
import { exampleFile, scheduledWords, suggestedName } from '#shared/texts/schedules.ts'
import type { CaseId } from '#shared/cases/case.ts'
import type { SavedViewId } from '#shared/views/saved-views.ts'

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
