import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ServiceFailure } from '#main/api/network-failure.ts'
import { plainTable } from '#shared/reports/query.ts'
import type { OverviewQuery, TableQuery } from '#shared/reports/query.ts'
import { day } from '#shared/values/day.ts'
import type { Day } from '#shared/values/day.ts'
import { noWindows } from '#shared/accounts/account.ts'
import { hundredths } from '#test/helpers/hundredths.ts'
import { runningSandbox } from '#test/helpers/running-sandbox.ts'
import type { RunningSandbox } from '#test/helpers/running-sandbox.ts'
import { firstId } from '#test/src-main/database/helpers.ts'
import { desk, now } from '../helpers.ts'
import { sandboxDesk } from '../sandbox-desk.ts'

let running: RunningSandbox
beforeAll(async () => {
  running = await runningSandbox()
})
afterAll(() => running.close())
beforeEach(async () => {
  await running.control('DELETE', '/faults')
  await running.control('DELETE', '/requests')
  await running.behave({ windows: noWindows, errorBodies: 'error-text' })
})

const ninety = { start: day('2026-08-23'), end: day('2026-11-20') }

const browsers: TableQuery = {
  ...plainTable,
  family: 'script',
  dimension: 'browsers',
  range: ninety,
  limit: 50,
}

const overview: OverviewQuery = {
  kind: 'overview',
  family: 'direct',
  range: ninety,
  instance: null,
  source: null,
  campaign: null,
  chart: true,
}

describe('days of a service that answers seven at once', () => {
  it('that are ninety in number are what a service without such a limit says, and asked for once', async () => {
    const { ask, asked, account, received } = await sandboxDesk(running)
    const { start, end } = ninety
    const unlimited = await running.client().call('script/browsers', { start, end, limit: 50 })
    await asked()
    await running.behave({ windows: { tables: 7 } })
    const answer = await ask(browsers)
    expect(answer.figures).toMatchObject({ total: unlimited.answer.total, table: unlimited.answer.table })
    expect(answer.figures.query).toMatchObject({ results: unlimited.answer.query.results })
    expect(answer.provenance).toMatchObject({
      from: 'computed',
      refreshing: false,
      failure: null,
      missing: [],
    })
    expect(account().windows).toEqual({ tables: 7, overview: null, lookups: null })
    // The refused one, one day, the seven that the refusal names, and ninety days.
    expect(await asked()).toHaveLength(3 + 90)
    expect(received()).toContain('14 of 90 days')
    expect((await ask(browsers)).figures).toEqual(answer.figures)
    expect(await asked()).toEqual([])
  }, 60_000)

  it('are sorted, searched, paged and rated from what is kept of them, also by what the service cannot sort by', async () => {
    // What rates are shares of is known: otherwise it is asked for once.
    const known = { rateBases: { script: {} }, ratesCheckedAt: { script: Date.parse(now) } }
    const traits = { windows: { ...noWindows, tables: 7 }, ...known }
    const { ask, asked } = await sandboxDesk(running, { traits })
    const month = { ...browsers, range: { start: day('2026-10-20'), end: day('2026-11-20') } }
    await ask(month)
    await asked()
    const { start, end } = month.range
    const client = running.client()
    const sorted = await client.call('script/browsers', {
      ...{ start, end, limit: 3, page: 2, search: 'e', rates: true },
      sort: [{ column: 4, direction: 'desc' }],
    })
    await asked()
    const query = { ...month, limit: 3, page: 2, search: 'e', rates: true } as const
    const answer = await ask({ ...query, sort: [{ header: 'Warning', direction: 'desc' }] })
    expect(answer).toMatchObject({
      kind: 'table',
      ratesBy: 'desk',
      provenance: { from: 'computed', missing: [] },
    })
    expect(hundredths(answer.figures)).toMatchObject({ table: sorted.answer.table })
    const byRate = await ask({ ...query, sort: [{ header: 'Bad Rate', direction: 'desc' }] })
    expect(byRate).toMatchObject({ kind: 'table', provenance: { from: 'computed' } })
    expect(await asked()).toEqual([])
  }, 60_000)

  it('are summed up for an overview too, with the chart of the days', async () => {
    const { ask, asked, account } = await sandboxDesk(running)
    const { start, end } = ninety
    const unlimited = await running.client().call('direct/overview', { start, end, chart: true })
    await asked()
    await running.behave({ windows: { overview: 31 } })
    const answer = await ask(overview)
    expect(answer.figures).toMatchObject({ total: unlimited.answer.total, chart: unlimited.answer.chart })
    expect(answer.provenance).toMatchObject({ from: 'computed', missing: [] })
    expect(account().windows.overview).toBe(31)
    await asked()
    await ask({ ...overview, chart: false })
    expect(await asked()).toEqual([])
  }, 60_000)

  it.each([
    [31, '2026-10-21', '2026-10-20'],
    [90, '2026-08-23', '2026-08-22'],
    [365, '2025-11-21', '2025-11-20'],
  ])(
    'that are %i in number are not asked for again; shifted by a day, that day alone is',
    async (days, first, dayBefore) => {
      const { ask, asked } = await sandboxDesk(running, { traits: { windows: { ...noWindows, tables: 7 } } })
      const client = running.client()
      const unlimited = async (start: Day, end: Day) => {
        await running.behave({ windows: noWindows })
        const { answer } = await client.call('direct/browsers', { start, end, limit: 50 })
        await running.behave({ windows: { tables: 7 } })
        await asked()
        return { total: answer.total, table: answer.table }
      }
      const direct = { ...browsers, family: 'direct' } as const
      const range = { start: day(first), end: ninety.end }
      const said = await unlimited(range.start, range.end)
      expect((await ask({ ...direct, range })).figures).toMatchObject(said)
      expect(await asked()).toHaveLength(days)
      expect((await ask({ ...direct, range })).figures).toMatchObject(said)
      expect(await asked()).toEqual([])
      const shifted = { start: day(dayBefore), end: day('2026-11-19') }
      const before = await unlimited(shifted.start, shifted.end)
      expect((await ask({ ...direct, range: shifted })).figures).toMatchObject(before)
      expect(await asked()).toHaveLength(1)
    },
    120_000,
  )
})

describe('a refusal', () => {
  it('that names no number is understood by trying narrower ranges', async () => {
    await running.behave({ windows: { tables: 9 }, errorBodies: 'empty' })
    const { ask, account } = await sandboxDesk(running)
    const answer = await ask({ ...browsers, range: { start: day('2026-11-01'), end: day('2026-11-12') } })
    expect(answer.provenance).toMatchObject({ from: 'computed', missing: [] })
    expect(account().windows.tables).toBe(7)
  })

  it('for another reason teaches nothing, and stands', async () => {
    await running.fault({
      path: 'script/browsers',
      times: null,
      does: { kind: 'status', status: 400, retryAfter: null },
    })
    const { ask, account, asked } = await sandboxDesk(running)
    await expect(ask(browsers)).rejects.toMatchObject({ failure: { kind: 'bad-request' } })
    expect(account().windows.tables).toBeNull()
    // Also without an order of its rows, and of one day.
    expect(await asked()).toHaveLength(3)
  })

  const month = { start: day('2026-10-24'), end: day('2026-11-20') }
  const given = (of: object, name: string): unknown => Object.entries(of).find(([each]) => each === name)?.[1]

  it.each<[string, Partial<TableQuery>, (asked: object) => boolean]>([
    ['a search', { search: '<script>' }, (asked) => given(asked, 'search') !== undefined],
    ['a page', { page: 2 }, (asked) => given(asked, 'page') === 2],
    ['a page of a table that is fetched whole', { whole: true }, (asked) => given(asked, 'page') === 2],
    ['an order', { sort: [{ header: 'Suspect', direction: 'asc' }] }, (asked) => 'sort' in asked],
    ['so many rows', { limit: 1000 }, (asked) => given(asked, 'limit') === 1000],
  ])('of %s, where the same days are answered without it, teaches nothing', async (_, asked, refuses) => {
    const { service, reports, stored: accounts } = await desk()
    service.answering = (_path, query) => {
      if (refuses(query)) throw new ServiceFailure({ kind: 'bad-request', message: 'No.' })
      return {
        total: { nonsuspect: 2, suspect: 1, mobile: 0 },
        table: {
          headers: ['Browser', 'Requests', 'Non-Suspect', 'Suspect', 'Mobile'],
          all: [false, 6, 4, 2, 0],
          rows: [['Firefox', 3, 2, 1, 0]],
        },
        query: { results: 2, pages: 2 },
      }
    }
    const query: TableQuery = {
      ...plainTable,
      family: 'direct',
      dimension: 'browsers',
      range: month,
      ...asked,
    }
    await expect(reports.ask({ account: firstId, query, force: false })).rejects.toMatchObject({
      failure: { kind: 'bad-request' },
    })
    expect(accounts[0]?.windows).toEqual(noWindows)
  })

  it('of a range that was known to be answered teaches a narrower one', async () => {
    await running.behave({ windows: { tables: 7 } })
    const { ask, account } = await sandboxDesk(running, { traits: { windows: { ...noWindows, tables: 31 } } })
    const answer = await ask({ ...browsers, range: { start: day('2026-11-01'), end: day('2026-11-20') } })
    expect(answer.provenance).toMatchObject({ from: 'computed', missing: [] })
    expect(account().windows.tables).toBe(7)
  })

  it('is learnt from once, however many questions meet it together', async () => {
    await running.behave({ windows: { tables: 7 } })
    const { ask, account, asked } = await sandboxDesk(running)
    const range = { start: day('2026-11-01'), end: day('2026-11-10') }
    const both = await Promise.all([
      ask({ ...browsers, range }),
      ask({ ...browsers, range, dimension: 'networks' }),
    ])
    expect(both.map(({ provenance }) => provenance.missing)).toEqual([[], []])
    expect(account().windows.tables).toBe(7)
    expect(await asked()).toHaveLength(2 + 2 + 2 * 10)
  })
})
