import { screen, waitFor, within } from '@testing-library/svelte'
import { beforeEach, describe, expect, it } from 'vitest'
import { rowNotes } from '#renderer/components/notes/row-notes.ts'
import { day } from '#shared/values/day.ts'
import type { InstanceId } from '#shared/values/ids.ts'
import { deskWithNotes, note } from '#test/src-renderer/helpers/noted.ts'
import { show, standAt } from '#test/src-renderer/helpers/show.ts'

const days = (start: string, end = start) => ({ start: day(start), end: day(end) })
const ofSource = (text: string) => ({ label: { kind: 'text', text }, cells: [] }) as const
const ofInstance = (id: string) =>
  ({ label: { kind: 'instance', id: id as InstanceId, name: 'Any', shared: false }, cells: [] }) as const

const long = 's'.repeat(4000)
const notes = [
  note(1, '2026-11-14', { text: 'Paused', subject: { kind: 'source', source: long } }),
  note(2, '2026-11-15', { text: 'Back', subject: { kind: 'source', source: long } }),
  note(3, '2026-11-15', {
    text: 'Moved',
    subject: { kind: 'instance', id: '102' as InstanceId, name: 'Shop' },
  }),
  note(4, '2026-11-15', { text: 'Of all' }),
]

describe('the notes on rows', () => {
  it('are those of the source or instance on the days of the table, or on those compared with', () => {
    const range = days('2026-11-15', '2026-11-20')
    expect(rowNotes(notes, 'sources', [range])?.(ofSource(long))).toBe('Nov 15, 2026: Back')
    const both = rowNotes(notes, 'sources', [range, days('2026-11-10', '2026-11-14')])
    expect(both?.(ofSource(long))).toBe('Nov 14, 2026: Paused\nNov 15, 2026: Back')
    expect(both?.(ofSource('other'))).toBe('')
    const instances = rowNotes(notes, 'sessions', [range])
    expect(instances?.(ofInstance('102'))).toBe('Nov 15, 2026: Moved')
    expect(instances?.({ label: { kind: 'all', name: null }, cells: [] })).toBe('')
  })

  it('are none in other tables and on other days', () => {
    expect(rowNotes(notes, 'browsers', [days('2026-11-15')])).toBeUndefined()
    expect(rowNotes(notes, 'sources', [days('2026-11-16')])).toBeUndefined()
  })
})

describe('a row with notes', () => {
  beforeEach(() => standAt('2026-11-20T10:00:00Z'))

  it('has a mark after its name, and the notes in its tip and description', async () => {
    const subject = { kind: 'instance', id: '102' as InstanceId, name: 'Shop' } as const
    const { desk } = deskWithNotes([note(1, '2026-11-14', { text: 'Moved', subject })])
    show(desk, '#/reports/script/sessions')
    const grid = await screen.findByRole('grid', { name: 'Script by instance' })
    await waitFor(() => {
      const described = within(grid)
        .getAllByRole('rowheader')
        .filter((cell) => cell.getAttribute('aria-description') === 'Notes: Nov 14, 2026: Moved')
      expect(described).toHaveLength(1)
      expect(described[0]?.querySelectorAll('.noted')).toHaveLength(1)
      expect(described[0]?.title).toContain('Nov 14, 2026: Moved')
      expect(grid.querySelectorAll('.noted')).toHaveLength(1)
    })
  })
})
