import { describe, expect, it } from 'vitest'
import { nameOfFinding, notificationOfFinding, summaryOfFindings } from '#shared/texts/finding-news.ts'
import { day } from '#shared/values/day.ts'
import { instantOf } from '#shared/values/ids.ts'
import type { AccountId } from '#shared/values/ids.ts'
import type { AlertId, Finding, FindingId } from '#shared/watch/alerts.ts'

const finding: Finding = {
  ...{ id: 'f' as FindingId, account: 'a' as AccountId, alert: 'w' as AlertId },
  ...{ view: '#/reports/script/sources', family: 'script', measure: 'bad-rate', condition: 'unusual' },
  ...{ row: { key: 'shop', text: 'Shop' }, rows: [], isShared: false, rule: null, isStopped: false },
  ...{ from: day('2026-11-12'), day: day('2026-11-13'), usual: 8.25, now: 20.4, z: 6 },
  ...{ state: 'standing', to: null, settled: null, foundAt: instantOf(0) },
  ...{ seen: false, dismissed: null, mutedUntil: null },
}
const titleOf = (changes: Partial<Finding>) => {
  const changed = { ...finding, ...changes }
  const named = { ...changed, name: nameOfFinding(changed, 'Kestrel Media') }
  return notificationOfFinding(named, 'Kestrel Media').title
}

describe('the notification of a finding', () => {
  it('says what changed, of which row, and in which account', () => {
    expect(titleOf({})).toBe('Shop: bad rate 20%, usually 8.3%')
    expect(titleOf({ condition: 'above', usual: 15 })).toBe('Shop: bad rate 20%, above 15%')
    expect(titleOf({ condition: 'fell' })).toBe('Shop: bad rate 20%, before 8.3%')
    const requests = { measure: 'requests', usual: 5000, now: 1200.4 } as const
    expect(titleOf(requests)).toBe(
      `Shop: ${(1200).toLocaleString()} requests a day, usually ${(5000).toLocaleString()}`,
    )
    expect(titleOf({ ...requests, isStopped: true })).toBe('Shop: no requests any more')
    const mix = { measure: 'rule-mix', rule: 'UE', usual: 18.2, now: 41.4 } as const
    expect(titleOf(mix)).toBe('Shop: UE 41% of broken rule sets, usually 18%')
    expect(titleOf({ ...mix, rule: null })).toBe(
      'Shop: several rule sets 41% of broken rule sets, usually 18%',
    )
    expect(titleOf({ row: null })).toBe('Kestrel Media: bad rate 20%, usually 8.3%')
    expect(titleOf({ row: null, rows: ['a', 'b'] })).toBe('2 rows: bad rate 20%, usually 8.3%')
    expect(titleOf({ row: null, isShared: true })).toBe('Kestrel Media: all rows changed together')
    expect(notificationOfFinding({ ...finding, name: 'Shop' }, 'Kestrel Media').body).toBe('Kestrel Media')
    expect(notificationOfFinding({ ...finding, name: 'Shop', state: 'so-far' }, 'K').body).toBe(
      'K · So far. These figures can still change.',
    )
  })

  it('is short and on one line, whatever the row is called', () => {
    const text = `a\u{202e}b\n${'s'.repeat(4000)}`
    expect(nameOfFinding({ row: { key: text, text }, rows: [] }, 'K')).toMatch(/^a b s+…$/)
    expect(nameOfFinding({ row: { key: '', text: '' }, rows: [] }, 'K')).toBe('(empty)')
  })

  it('has no name and no figure where none may be shown', () => {
    expect(notificationOfFinding({ ...finding, name: '' }, 'K').title).toBe('Some figures changed')
  })

  it('of many counts them by account', () => {
    expect(summaryOfFindings(['A', 'B', 'A', 'C', 'D', 'E'])).toMatchObject({
      ...{ title: '6 findings', body: 'A: 2 · B: 1 · C: 1 · 2 more' },
    })
  })
})
