import { describe, expect, it } from 'vitest'
import { day } from '#shared/values/day.ts'
import type { InstanceId } from '#shared/values/ids.ts'
import { plainOverview, plainReport, readAddress } from '#shared/views/address.ts'
import type { OverviewAddress, ReportAddress } from '#shared/views/view-address.ts'
import { charactersLeft, checkedNote, isShownIn, noteText, noteView, rowOfNote } from '#shared/watch/notes.ts'
import type { NoteEntry, NoteSubject } from '#shared/watch/notes.ts'

const today = day('2026-11-20')
const entry: NoteEntry = {
  ...{ range: { start: today, end: today }, text: 'New landing page' },
  subject: { kind: 'account' },
  leavesOut: false,
}
const faultOf = (changes: Partial<NoteEntry>) => {
  const checked = checkedNote({ ...entry, ...changes }, today)
  return checked.kind === 'fault' ? checked.field : null
}
const days = (start: string, end: string) => ({ start: day(start), end: day(end) })

describe('the text of a note', () => {
  it('is one line, without controls, and whole in Unicode', () => {
    expect(noteText(' \u200b Partner\r\n\tpaused\u0007 \u2028 again \ud800')).toBe(
      'Partner paused again \ufffd',
    )
    expect(noteText('cafe\u0301')).toBe('café')
  })

  it('is counted as people count', () => {
    expect(charactersLeft('')).toBe(200)
    expect(charactersLeft(' Café \n')).toBe(196)
    expect(charactersLeft('👨‍👩‍👧‍👦🇩🇪👍🏽')).toBe(197)
    expect(charactersLeft('x'.repeat(203))).toBe(-3)
  })

  it('has no room for a letter with thousands of accents', () => {
    expect(charactersLeft(`a${'\u0301'.repeat(19_000)}`)).toBe(-1)
  })

  it.each(['', ' \n\u0000', 'x'.repeat(201), '👍🏽'.repeat(201), `a${'\u0301'.repeat(19_000)}`])(
    'is refused where it is blank or too long (%#)',
    (text) => {
      expect(faultOf({ text })).toBe('text')
    },
  )

  it('takes 200 characters of any script', () => {
    for (const character of ['x', '👍🏽', '🇩🇪', '中'])
      expect(faultOf({ text: character.repeat(200) })).toBeNull()
  })
})

describe('the days of a note', () => {
  it.each([
    ['2026-11-21', '2026-11-20'],
    ['1999-12-31', '2026-11-20'],
    ['1000-01-01', '1000-01-02'],
    ['2026-11-20', '2027-11-22'],
    ['9998-01-01', '9999-12-31'],
  ])('from %s to %s are refused', (start, end) => {
    expect(faultOf({ range: days(start, end) })).toBe('days')
  })

  it('may be ahead by a year, and as old as the century', () => {
    expect(faultOf({ range: days('2000-01-01', '2027-11-21') })).toBeNull()
  })
})

describe('the view of a note', () => {
  const figures = (text: string) => readAddress(text) as OverviewAddress | ReportAddress

  it('is its figures: neither days nor sort, page, search and chart', () => {
    const address = figures(
      '#/reports/script/browsers?period=yesterday&sort=desc:Requests&page=3&search=x&chart=lines&rates=1&source=a&instance=7',
    )
    expect(noteView(address)).toBe('#/reports/script/browsers?instance=7&source=a')
    expect(noteView(figures('#/overview?movers=sources&period=yesterday'))).toBe(noteView(plainOverview))
    expect(noteView(figures('#/reports/script/browsers'))).not.toBe(noteView(plainReport))
  })

  it('is written in its one form, and must be of figures', () => {
    const at = (view: string) => checkedNote({ ...entry, subject: { kind: 'view', view } }, today)
    expect(at('#/reports/script/browsers?page=2')).toMatchObject({
      entry: { subject: { view: '#/reports/script/browsers' } },
    })
    for (const view of ['#/settings', '#/raw', '#/rows']) expect(at(view)).toMatchObject({ field: 'view' })
  })

  it('shows notes of the account, and of what it is limited to', () => {
    const long = 's'.repeat(4000)
    const view: ReportAddress = { ...plainReport, instance: '7' as InstanceId, source: long, page: 2 }
    const isShown = (subject: NoteSubject) => isShownIn({ subject }, view)
    expect(isShown({ kind: 'account' })).toBe(true)
    expect(isShown({ kind: 'instance', id: '7' as InstanceId, name: 'Shop' })).toBe(true)
    expect(isShown({ kind: 'instance', id: '8' as InstanceId, name: 'Shop' })).toBe(false)
    expect(isShown({ kind: 'source', source: long })).toBe(true)
    expect(isShown({ kind: 'source', source: long.slice(1) })).toBe(false)
    expect(isShown({ kind: 'view', view: noteView(view) })).toBe(true)
    expect(isShown({ kind: 'view', view: noteView(plainReport) })).toBe(false)
    expect(isShownIn({ subject: { kind: 'source', source: long } }, plainOverview)).toBe(false)
  })
})

it('a note is on a row of a report by source or instance', () => {
  const source = { subject: { kind: 'source', source: 'news' } } as const
  expect(rowOfNote(source, 'sources')).toBe('text news')
  expect(rowOfNote(source, 'sessions')).toBeNull()
  const instance = { subject: { kind: 'instance', id: '7' as InstanceId, name: 'Shop' } } as const
  expect(rowOfNote(instance, 'sessions')).toBe('instance 7')
  expect(rowOfNote(instance, 'sources')).toBeNull()
  expect(rowOfNote({ subject: { kind: 'account' } }, 'sources')).toBeNull()
})
