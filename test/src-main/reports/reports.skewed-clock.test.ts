import { expect, it } from 'vitest'
import { figureFacts, inFiles } from '#shared/reports/figure-facts.ts'
import { areWhole, unsettledOf } from '#shared/reports/answer.ts'
import { plainTable } from '#shared/reports/query.ts'
import type { TableQuery } from '#shared/reports/query.ts'
import { day } from '#shared/values/day.ts'
import { account, firstId } from '../database/helpers.ts'
import { desk, now, recent } from './helpers.ts'

const hour = 60 * 60_000
const before = { start: day('2026-11-07'), end: day('2026-11-13') }
const table: TableQuery = {
  ...{ ...plainTable, family: 'direct', dimension: 'device-types', range: recent.range },
  ...{ limit: 1000, whole: true },
}

/** All that is marked at noon of a day that still runs, on a desk whose clock is known to be ahead by so much. */
async function marksOf(skew: number) {
  const { reports, service, clock, stored } = await desk()
  await clock.move(skew)
  const from = Date.parse(now) - hour
  if (skew > 0) stored[0] = account({ clockAhead: { from, until: from + 1000 * hour, by: skew } })
  let count = 5
  service.answering = (path) => {
    const total = { nonsuspect: 5, suspect: count, mobile: 0 }
    if (path === 'direct/overview') return { total, query: {} }
    const headers = ['Type', 'Requests', 'Non-Suspect', 'Suspect', 'Mobile']
    const cells = [10, 5, count, 0]
    return {
      total,
      table: { headers, all: [false, ...cells], rows: [['Tablet', ...cells]] },
      query: { results: 1, pages: 1 },
    }
  }
  const saveAll = async () => {
    for (const query of [recent, table])
      for (const range of [query.range, before])
        await reports.storeWhole({
          ...{ account: firstId, query: { ...query, range }, progress: () => undefined },
          signal: new AbortController().signal,
        })
  }
  await saveAll()
  const asked = { account: firstId, query: recent, force: false }
  const { provenance } = await reports.ask(asked)
  const page = await reports.ask({
    ...asked,
    query: { ...recent, range: { ...recent.range, start: recent.range.end } },
  })
  const known = { provenance, range: recent.range, zone: 'UTC' }
  const keys = figureFacts(known, inFiles).map(({ key }) => key)
  const { compared } = await reports.paired({ account: firstId, query: recent, before })
  const request = { account: firstId, query: table, before, header: 'Suspect', max: 5, force: false }
  const movers = await reports.movers(request)
  // Some come to less: what was over is restated, what still runs is not.
  await clock.move(hour)
  count = 4
  await saveAll()
  const { items } = await reports.restatements({ account: firstId, query: recent })
  return {
    unsettled: unsettledOf(provenance, recent.range, 'UTC'),
    ofPage: unsettledOf(page.provenance, page.query.range, 'UTC'),
    isWhole: areWhole(provenance, recent.range, 'UTC'),
    ...{ keys, compared, moved: [movers.compared, movers.periods] },
    restated: items.map(({ range }) => range.start).sort(),
  }
}

it('a clock that is known to be ahead marks what a clock that is right does', async () => {
  const right = await marksOf(0)
  expect(right.unsettled).toEqual({ open: ['2026-11-20'], moving: ['2026-11-18', '2026-11-19'] })
  expect(right.keys).toEqual(expect.arrayContaining(['notOver', 'canChange']))
  expect(right).toMatchObject({ compared: { days: 6 }, restated: ['2026-11-18', '2026-11-19'] })
  for (const hours of [1, 11, 13, 24, 36, 24 * 5])
    expect({ hours, ...(await marksOf(hours * hour)) }).toEqual({ hours, ...right })
}, 60_000)
