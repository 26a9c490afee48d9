import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { asExpiring, differences, nextExpiry, nextToAsk } from '#main/raw/polling/list-differences.ts'
import type { Compared } from '#main/raw/polling/list-differences.ts'
import type { KnownReport } from '#main/database/state/raw-reports-repository.ts'
import { ready, reportId, row } from '../fake-service.ts'

const now = Date.parse('2026-11-20T12:00:00Z')

const known = (id: string, changes: Partial<KnownReport> = {}): KnownReport => ({
  id: reportId(id),
  name: `Report ${id}`,
  state: 'in-progress',
  expires: '2026-12-21T00:00:00+00:00',
  listsWithout: 0,
  removedHere: false,
  cancelledHere: false,
  announced: [],
  ...changes,
})

/** What is announced, as "kind id". */
function announced(changes: Partial<Compared>): string[] {
  const compared = { known: [], rows: [], complete: true, gone: new Set<never>(), saved: new Set<never>() }
  const found = differences({ ...compared, position: 'next', now, ...changes })
  return found.announcements.map(({ kind, report }) => `${kind} ${report}`)
}

describe('the differences of two lists', () => {
  it('are ends of what ran, whatever became of them since', () => {
    const rows = [row('a', ready), row('b', { status: 'Failed' }), row('c', { status: 'Being wrapped' })]
    expect(announced({ known: ['a', 'b', 'c'].map((id) => known(id)), rows })).toEqual([
      'ready a',
      'failed b',
    ])
    expect(announced({ known: [known('a', { state: 'unknown' })], rows: [row('a', ready)] })).toEqual([
      'ready a',
    ])
    expect(announced({ known: [known('a', { state: 'failed' })], rows: [row('a', ready)] })).toEqual([])
  })

  it('are not what was told before', () => {
    const rows = [row('a', ready)]
    expect(announced({ known: [known('a', { announced: ['ready'] })], rows })).toEqual([])
    expect(announced({ known: [known('a', { listsWithout: 2, announced: ['disappeared'] })] })).toEqual([])
  })

  it.each(['first', 'anew'] as const)(
    'of a list that is the %s one are the ends of what ran for us',
    (position) => {
      const rows = [row('old', ready), row('ours', ready)]
      expect(announced({ position, rows, known: [known('ours')] })).toEqual(['ready ours'])
    },
  )

  it('of a list with another token are not what it does not see', () => {
    const given = { known: [known('a')], rows: [], complete: true, gone: new Set([reportId('a')]) }
    expect(differences({ ...given, position: 'anew', saved: new Set(), now })).toEqual({
      ...{ announcements: [], remaining: [], gone: [] },
      dropped: ['a'],
      undecided: false,
    })
  })

  it('of a first list that is not whole are left to the next, until two say the same', () => {
    const given = {
      rows: [row('old', ready)],
      complete: false,
      gone: new Set<never>(),
      saved: new Set<never>(),
      now,
    }
    expect(differences({ ...given, known: [], position: 'first' })).toMatchObject({ undecided: true })
    const absent = differences({ ...given, known: [known('old'), known('b')], position: 'anew' })
    expect(absent).toMatchObject({ undecided: true, dropped: [], gone: [] })
    expect(differences({ ...given, known: [known('old')], position: 'anew' })).toMatchObject({
      undecided: false,
    })
    const removed = [known('old'), known('b', { listsWithout: 2 })]
    expect(differences({ ...given, known: removed, position: 'anew' })).toMatchObject({ undecided: false })
    expect(differences({ ...given, known: [], position: 'next' })).toMatchObject({ undecided: false })
  })

  it('are disappearances of what the service does not know when asked, and had not expired', () => {
    const gone = new Set([reportId('a')])
    expect(announced({ known: [known('a')], gone })).toEqual(['disappeared a'])
    expect(announced({ known: [known('a')], gone, complete: false })).toEqual(['disappeared a'])
    expect(announced({ known: [known('a', { expires: null })], gone })).toEqual(['disappeared a'])
    expect(announced({ known: [known('a', { removedHere: true })], gone })).toEqual([])
    const expired = { expires: '2026-11-20T12:00:00+00:00' }
    expect(announced({ known: [known('a', expired)], gone })).toEqual([])
    // Told of once the clock is right again.
    const past = { known: [known('a', { listsWithout: 2 })], gone }
    expect(announced({ ...past, now: Date.parse('2027-01-01') })).toEqual([])
    expect(announced(past)).toEqual(['disappeared a'])
  })

  it('are none for what a complete list lacks: it stays, unless it expired or was removed here', () => {
    const ids = ['a', 'b', 'c', 'd']
    const missing = [
      ...ids.map((id) => known(id, { state: 'ready' })),
      known('e', { expires: '2026-11-20T12:00:00+00:00' }),
      known('f', { removedHere: true }),
    ]
    const given = { known: missing, rows: [], gone: new Set<never>(), saved: new Set<never>(), now }
    const found = differences({ ...given, complete: true, position: 'next' })
    expect(found).toMatchObject({ announcements: [], gone: ['e', 'f'], dropped: [] })
    expect(found.remaining.map(({ id }) => id)).toEqual(ids)
    // An incomplete one says nothing of them.
    expect(differences({ ...given, complete: false, position: 'next' })).toMatchObject({ gone: [] })
  })

  it('leave what is missing to be asked for in turn, and what runs each time', () => {
    const missing = Array.from({ length: 14 }, (_, place) => known(`r${place}`, { state: 'ready' }))
    const running = known('running')
    const all = [...missing, running]
    const first = nextToAsk(all, new Map())
    expect(first).toHaveLength(8)
    const second = nextToAsk(all, new Map(first.map((id) => [id, now])))
    expect([first[0], second[0]]).toEqual(['running', 'running'])
    expect(new Set([...first, ...second]).size).toBe(15)
  })

  it.each([
    ['2026-11-23T12:00:01+00:00', []],
    ['2026-11-23T12:00:00+00:00', ['expires-in-3-days a']],
    ['2026-11-21T13:00:01+01:00', ['expires-in-3-days a']],
    ['2026-11-21T13:00:00+01:00', ['expires-in-1-day-unsaved a']],
    ['2026-11-20T12:00:00+00:00', []],
  ])('are expiries by their moment: %s', (expires, expected) => {
    const given = { rows: [row('a', { ...ready, expires })], known: [known('a', { state: 'ready' })] }
    expect(announced(given)).toEqual(expected)
    const saved = new Set([reportId('a')])
    expect(announced({ ...given, saved })).toEqual(expected.filter((each) => !each.includes('unsaved')))
  })

  it.each(['America/New_York', 'Asia/Tokyo'])('are UTC where they have no offset, in %s', (zone) => {
    vi.stubEnv('TZ', zone)
    onTestFinished(() => void vi.unstubAllEnvs())
    const at = (expires: string) =>
      announced({
        rows: [row('a', { ...ready, expires })],
        known: [known('a', { state: 'ready' })],
      })
    expect(at('2026-11-23 12:00:01')).toEqual([])
    expect(at('2026-11-23 12:00:00')).toEqual(['expires-in-3-days a'])
    expect(at('2026-11-21T12:00:01')).toEqual(['expires-in-3-days a'])
    expect(at('2026-11-21T12:00:00')).toEqual(['expires-in-1-day-unsaved a'])
    expect(at('2026-11-20 12:00:00')).toEqual([])
    const next = nextExpiry([row('a', { ...ready, expires: '2026-11-22 00:00:00' })].map(asExpiring), now)
    expect(next).toBe(Date.parse('2026-11-21T00:00:00Z'))
  })

  it('come next when the first of them nears its expiry', () => {
    const rows = [
      row('a', { ...ready, expires: '2026-11-22T00:00:00+00:00' }),
      row('b', { ...ready, expires: '2026-12-22T00:00:00+00:00' }),
      row('c', { status: 'Failed', expires: '2026-11-21T13:00:00+00:00' }),
    ].map(asExpiring)
    expect(nextExpiry(rows, now)).toBe(Date.parse('2026-11-21T00:00:00Z'))
    expect(nextExpiry(rows, Date.parse('2026-11-21T00:00:00Z'))).toBe(Date.parse('2026-12-19T00:00:00Z'))
    expect(nextExpiry([], now)).toBeNull()
  })
})
