import { describe, expect, it } from 'vitest'
import type { Restatement } from '#shared/reports/answer.ts'
import { day } from '#shared/values/day.ts'
import type { InstanceId, Instant } from '#shared/values/ids.ts'
import { plainOverview, plainReport } from '#shared/views/address.ts'
import type { Finding } from '#shared/watch/alerts.ts'
import { daysOfFinding, findingEvents, restatedEvents } from '#shared/watch/day-events.ts'
import { noteView } from '#shared/watch/notes.ts'
import { finding } from '#test/src-renderer/helpers/watched.ts'

const today = day('2026-11-20')
const instance = '7' as InstanceId
const bySource = { ...plainReport, family: 'script', dimension: 'sources' } as const
const byInstance = { ...plainReport, family: 'script', dimension: 'sessions' } as const

describe('the days of a finding', () => {
  const daysOf = (changes: Partial<Finding>) => daysOfFinding(finding(1, changes), today)

  it('end yesterday while it stands, and else before it was over', () => {
    expect(daysOf({})).toEqual({ start: '2026-11-18', end: '2026-11-19' })
    expect(daysOf({ from: day('2026-11-02'), state: 'over', to: day('2026-11-10') })).toEqual({
      ...{ start: '2026-11-02', end: '2026-11-09' },
    })
    expect(daysOf({ state: 'unwatched', day: day('2026-11-18') })).toMatchObject({ end: '2026-11-18' })
  })
})

describe('findings that a chart marks', () => {
  const isMarked = (
    changes: Partial<Finding>,
    address: Parameters<typeof findingEvents>[1]['address'],
    family: Finding['family'] = 'script',
  ) => findingEvents([finding(1, changes)], { address, family, today }).length > 0
  const total = { view: noteView(plainOverview), row: null }

  it('are those of its view, of the account, and of what it is limited to', () => {
    expect(isMarked({}, bySource)).toBe(true)
    expect(isMarked({}, byInstance)).toBe(false)
    expect(isMarked({}, { ...plainOverview, source: 'source-1' })).toBe(true)
    expect(isMarked({}, { ...plainOverview, source: 'source-2' })).toBe(false)
    expect(isMarked({}, plainOverview)).toBe(false)
    expect(isMarked(total, plainOverview)).toBe(true)
    expect(isMarked(total, { ...byInstance, source: 'source-2' })).toBe(true)
    const shop = { view: noteView(byInstance), row: { key: 'instance 7', text: 'Shop' } }
    expect(isMarked(shop, { ...plainOverview, instance })).toBe(true)
    const limited = { view: noteView({ ...plainOverview, instance }), row: null }
    expect(isMarked(limited, { ...bySource, instance })).toBe(true)
    expect(isMarked(limited, plainOverview)).toBe(false)
    const source = { view: noteView({ ...plainOverview, source: 'news' }), row: null }
    expect(isMarked(source, { ...byInstance, source: 'news' })).toBe(true)
  })

  it('are not those of a narrower view, of another family, or that proved wrong', () => {
    const narrow = { view: noteView({ ...bySource, instance }) }
    expect(isMarked(narrow, { ...plainOverview, source: 'source-1' })).toBe(false)
    expect(isMarked(narrow, { ...bySource, instance })).toBe(true)
    expect(isMarked(total, plainOverview, 'direct')).toBe(false)
    expect(isMarked({ ...total, state: 'withdrawn' }, plainOverview)).toBe(false)
    expect(isMarked({ ...total, state: 'unwatched' }, plainOverview)).toBe(false)
    expect(isMarked({ ...total, dismissed: 'wrong' }, plainOverview)).toBe(false)
    expect(isMarked({ ...total, dismissed: 'known', state: 'over' }, plainOverview)).toBe(true)
  })
})

it('restated days in a row are one event, with the newest change', () => {
  const restatement = (start: string, after: number, changes: Partial<Restatement> = {}): Restatement => ({
    ...{ range: { start: day(start), end: day(start) }, rows: [], differing: null },
    ...{ beforeFetchedAt: 0 as Instant, afterFetchedAt: after as Instant },
    totals: [{ name: 'bad', before: 1, after: 2 }],
    ...changes,
  })
  const items = [
    restatement('2026-11-14', 5),
    restatement('2026-11-11', 9),
    restatement('2026-11-10', 3),
    restatement('2026-11-10', 7),
    restatement('2026-11-12', 4),
    restatement('2026-11-20', 8, { totals: [] }),
  ]
  expect(restatedEvents({ items })).toEqual([
    { kind: 'restated', range: { start: '2026-11-10', end: '2026-11-12' }, latest: 9 },
    { kind: 'restated', range: { start: '2026-11-14', end: '2026-11-14' }, latest: 5 },
  ])
})
