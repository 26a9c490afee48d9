import { describe, expect, it } from 'vitest'
import { isLookupFresh, isReportFresh } from '#main/reports/coverage/plan.ts'
import { day } from '#shared/values/day.ts'
import type { Instant } from '#shared/values/ids.ts'

const at = (time: string) => Date.parse(time) as Instant

type Case = {
  fetched: string
  end?: string
  zone?: string
  now: string
  back?: string
  ahead?: [from: string, until: string, days: number]
}

function isFresh({ fetched, end = '2026-11-17', zone = 'UTC', now, back, ahead }: Case): boolean {
  const [from, until, days] = ahead ?? []
  const clockAhead =
    from && until && days ? { from: at(from), until: at(until), by: days * 86_400_000 } : undefined
  const circumstances = { now: at(now), clockAhead, onlineAgainAt: back === undefined ? null : at(back) }
  const range = { start: day('2026-11-01'), end: day(end) }
  return isReportFresh({ fetchedAt: at(fetched), range }, zone, circumstances)
}

describe('a report', () => {
  it.each<[string, boolean, Case]>([
    ['settled, fetched long ago', true, { fetched: '2026-11-20T08:00Z', now: '2027-05-01T00:00Z' }],
    ['settled on its first day', true, { fetched: '2026-11-20T00:00Z', now: '2026-11-20T12:00Z' }],
    [
      'one minute before it settles, then left',
      false,
      { fetched: '2026-11-19T23:59Z', now: '2026-11-20T12:00Z' },
    ],
    ['fetched while it was still moving', false, { fetched: '2026-11-18T12:00Z', now: '2026-12-20T12:00Z' }],
    [
      'fetched by a clock that ran four days ahead',
      false,
      {
        fetched: '2026-11-21T12:00Z',
        now: '2026-12-20T12:00Z',
        ahead: ['2026-11-17T11:00Z', '2026-11-21T13:00Z', 4],
      },
    ],
    [
      'settled, fetched by a clock that ran an hour ahead',
      true,
      {
        fetched: '2026-11-21T12:00Z',
        now: '2026-12-20T12:00Z',
        ahead: ['2026-11-21T11:00Z', '2026-11-21T13:00Z', 1 / 24],
      },
    ],
    [
      'settled, fetched after the clock was put right',
      true,
      {
        fetched: '2026-11-22T12:00Z',
        now: '2026-12-20T12:00Z',
        ahead: ['2026-11-17T11:00Z', '2026-11-21T13:00Z', 4],
      },
    ],
    [
      'recent, under five minutes old',
      true,
      { fetched: '2026-11-18T12:00Z', now: '2026-11-18T12:04:59.999Z' },
    ],
    ['recent, five minutes old', false, { fetched: '2026-11-18T12:00Z', now: '2026-11-18T12:05Z' }],
    [
      'settled east of UTC before midnight',
      true,
      { fetched: '2026-11-19T11:00Z', zone: 'Pacific/Auckland', now: '2026-11-20T12:00Z' },
    ],
    [
      'not settled west of UTC after midnight',
      false,
      { fetched: '2026-11-20T04:00Z', zone: 'America/New_York', now: '2026-11-20T12:00Z' },
    ],
    [
      'recent, from before the service was away',
      false,
      { fetched: '2026-11-18T12:00Z', now: '2026-11-18T12:02Z', back: '2026-11-18T12:01Z' },
    ],
    [
      'recent, the one by which the service was found',
      true,
      { fetched: '2026-11-18T12:01Z', now: '2026-11-18T12:02Z', back: '2026-11-18T12:01Z' },
    ],
    [
      'recent, where the service was back at a time to come',
      true,
      { fetched: '2026-11-18T12:01Z', now: '2026-11-18T12:02Z', back: '2026-11-18T13:00Z' },
    ],
    [
      'settled, from before the service was away',
      true,
      { fetched: '2026-11-20T12:00Z', now: '2026-11-20T13:00Z', back: '2026-11-20T12:30Z' },
    ],
    ['from a time to come', false, { fetched: '2026-11-25T12:00Z', now: '2026-11-24T12:00Z' }],
  ])('%s: %s', (_what, fresh, given) => {
    expect(isFresh(given)).toBe(fresh)
  })
})

describe('a look-up', () => {
  it.each<[string, boolean, Case]>([
    ['under a day old', true, { fetched: '2026-11-18T12:00Z', now: '2026-11-19T11:59Z' }],
    ['a day old', false, { fetched: '2026-11-18T12:00Z', now: '2026-11-19T12:00Z' }],
    ['from a time to come', false, { fetched: '2026-11-18T12:00Z', now: '2026-11-18T11:59Z' }],
    [
      'from before the service was away',
      false,
      { fetched: '2026-11-18T12:00Z', now: '2026-11-18T12:02Z', back: '2026-11-18T12:01Z' },
    ],
    [
      'fetched just now, where the service was back at a time to come',
      true,
      { fetched: '2026-11-18T12:01Z', now: '2026-11-18T12:02Z', back: '2026-11-18T13:00Z' },
    ],
  ])('%s: %s', (_what, fresh, { fetched, now, back }) => {
    const onlineAgainAt = back === undefined ? null : at(back)
    expect(isLookupFresh(at(fetched), { now: at(now), onlineAgainAt })).toBe(fresh)
  })
})
