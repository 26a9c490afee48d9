import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { isStored } from '#shared/texts/downloads.ts'
import {
  agoWords,
  cellOf,
  expiryWords,
  isNearExpiry,
  momentOf,
  notificationOf,
  summaryOf,
} from '#shared/texts/raw.ts'
import type { Formats } from '#shared/texts/formats.ts'

const ready = { kind: 'ready', name: 'Weekly bad traffic', rows: 12_400, size: 1_234_567 } as const
const facts = { account: 'Northwind', saved: false, locale: 'en-GB' }

const iso = (time: number) => new Date(time).toISOString()
const formats: Formats = {
  ...{ count: String, share: String, size: String, moment: iso, momentBriefly: iso, dayInFull: String },
  ...{ days: ({ start }) => start, daysIn: (first) => iso(first) },
}

describe('a moment of a report that has no offset', () => {
  it.each(['America/New_York', 'Asia/Tokyo'])('is UTC in every text, in %s', (zone) => {
    vi.stubEnv('TZ', zone)
    onTestFinished(() => void vi.unstubAllEnvs())
    const now = Date.UTC(2026, 10, 20, 9)
    for (const moment of ['2026-11-20 08:00:00', '2026-11-20T08:00:00', '2026-11-20T09:00:00+01:00']) {
      expect(momentOf(moment, now, formats)).toBe('2026-11-20T08:00:00.000Z')
      expect(cellOf(moment, now, formats)).toBe('2026-11-20T08:00:00.000Z')
      expect(agoWords(moment, now, formats)).toBe('1 h ago')
      expect(expiryWords(moment, now, formats)).toBe('expired')
      expect(expiryWords(moment, now - 7_200_000, formats)).toBe('in 1 h')
      expect(isNearExpiry(moment, now - 7_200_000)).toBe(true)
      expect([isStored(moment, now), isStored(moment, now - 7_200_000)]).toEqual([false, true])
    }
  })
})

describe('the words of a notification', () => {
  it('name the report, the account, its rows and its size, and offer to save it', () => {
    expect(notificationOf(ready, facts)).toEqual({
      title: 'Weekly bad traffic is ready',
      body: 'Northwind · 12,400 rows · 1.2 MB',
      actions: ['save'],
      urgent: false,
    })
  })

  it('lead to the file where it is saved', () => {
    expect(notificationOf(ready, { ...facts, saved: true }).actions).toEqual(['show-in-folder'])
  })

  it('leave out what is not known, and offer nothing of what failed', () => {
    const failed = { ...ready, kind: 'failed', rows: null, size: null } as const
    expect(notificationOf(failed, facts)).toEqual({
      title: 'Weekly bad traffic failed',
      body: 'Northwind',
      actions: [],
      urgent: false,
    })
  })

  it('stay what they are beside names that would turn, break or flood them', () => {
    const name = `a\u202Egnp.exe\n${'x'.repeat(4000)}`
    const { title } = notificationOf({ ...ready, name }, facts)
    expect(title).toMatch(/^a gnp\.exe x+… is ready$/)
    expect(Array.from(title).length).toBe(80 + ' is ready'.length)
    expect(notificationOf({ ...ready, name: '\u200B' }, facts).title).toBe('A raw report is ready')
  })

  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [1_000, '1 kB'],
    [52_340, '52 kB'],
    [1_073_741_824, '1.1 GB'],
  ])('say a size of %i bytes as %s', (size, words) => {
    expect(notificationOf({ ...ready, rows: 1, size }, facts).body).toBe(`Northwind · 1 row · ${words}`)
  })
})

describe('the words for many', () => {
  const many = (account: string, ...names: string[]) => names.map((name) => ({ ...ready, account, name }))

  it('count by kind and name the account and the first', () => {
    const failed = { ...ready, account: 'Northwind', kind: 'failed' as const, name: 'E' }
    expect(summaryOf([...many('Northwind', 'A', 'B', 'C', 'D'), failed])).toEqual({
      title: 'Raw reports: 4 are ready, 1 failed',
      body: 'Northwind: A, B, C, and 2 more',
      actions: [],
      urgent: false,
    })
  })

  it('tell whose each is where there are several accounts', () => {
    const all = [...many('Northwind', 'A', 'B'), ...many('Contoso', 'C'), ...many('Northwind', 'D')]
    expect(summaryOf(all).body).toBe('Northwind: A, B, D · Contoso: C')
    const more = [...all, ...many('Fabrikam', 'E'), ...many('Tailspin', 'F'), ...many('Wingtip', 'G')]
    expect(summaryOf(more).body).toBe(
      'Northwind: A, B, D · Contoso: C · Fabrikam: E · 2 more in other accounts',
    )
  })
})
