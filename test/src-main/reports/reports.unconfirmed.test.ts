import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { ServiceFailure } from '#main/api/network-failure.ts'
import type { CreateClient } from '#main/accounts/clients.ts'
import { plainTable } from '#shared/reports/query.ts'
import type { OverviewQuery, ReportQuery, TableQuery } from '#shared/reports/query.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { eventually } from '#test/helpers/eventually.ts'
import { runningSandbox } from '#test/helpers/running-sandbox.ts'
import type { RunningSandbox } from '#test/helpers/running-sandbox.ts'
import { never } from '../accounts/helpers.ts'
import { connectLimited, days, few, limitTo, more, openHarness } from '../accounts/scopes-harness.ts'
import type { Harness } from '../accounts/scopes-harness.ts'
import { now } from './helpers.ts'

let running: RunningSandbox
beforeAll(async () => {
  running = await runningSandbox()
})
afterAll(() => running.close())

const limit = (instances: readonly string[]) => limitTo(running, instances)
beforeEach(() => limit(few))

const range = days(1, 3)
const browsers: TableQuery = { ...plainTable, family: 'script', dimension: 'browsers', range }
const safari: TableQuery = { ...browsers, filters: { browser: 'Safari' } }
const overview: OverviewQuery = {
  ...{ kind: 'overview', family: 'script', range, instance: null, source: null },
  ...{ campaign: null, chart: false },
}

/** A desk whose service can go, and whose data scope is checked only when a test says so. */
async function deskThatLoses() {
  let isAway = false
  const client = (create: CreateClient): CreateClient => {
    return (options) => {
      const made = create(options)
      const call: typeof made.call = (...given) =>
        isAway
          ? Promise.reject(new ServiceFailure({ kind: 'offline', message: 'No network.' }))
          : made.call(...given)
      return { ...made, call }
    }
  }
  const clock = { moved: 0, now: () => Date.parse(now) + clock.moved, wait: () => never }
  const harness = await openHarness({ client, clock })
  const { accounts, reports } = harness
  const id = await connectLimited(harness, running)
  /** Nothing answers from here on, and the desk knows. */
  const lose = async () => {
    isAway = true
    await reports
      .ask({ account: id, query: { ...overview, family: 'direct' }, force: false })
      .catch(() => null)
  }
  const find = async () => {
    isAway = false
    await accounts.confirm(id)
  }
  return { ...harness, id, lose, find }
}

const asked = async ({ reports }: Pick<Harness, 'reports'>, account: AccountId, query: ReportQuery) => {
  const { figures, provenance } = await reports.ask({ account, query, force: false })
  return { total: figures.total, doubt: provenance.doubt, missing: provenance.missing }
}

it('what was seen before the service went stays readable, marked until it is confirmed', async () => {
  const desk = await deskThatLoses()
  const seen = await asked(desk, desk.id, browsers)
  const whole = await asked(desk, desk.id, overview)
  expect([seen.doubt, whole.doubt]).toEqual([null, null])
  await desk.lose()
  expect(await asked(desk, desk.id, browsers)).toEqual({ ...seen, doubt: 'unconfirmed' })
  expect(await asked(desk, desk.id, overview)).toEqual({ ...whole, doubt: 'unconfirmed' })
  await desk.find()
  expect(await asked(desk, desk.id, browsers)).toEqual(seen)
  expect(await asked(desk, desk.id, overview)).toEqual(whole)
})

it('a whole table that was seen answers for each of its rows', async () => {
  const desk = await deskThatLoses()
  const { figures } = await desk.reports.ask({ account: desk.id, query: browsers, force: false })
  const row =
    'table' in figures
      ? figures.table.rows.find(({ label }) => label.kind === 'text' && label.text === 'Safari')
      : null
  await desk.lose()
  const answer = await desk.reports.ask({ account: desk.id, query: safari, force: false })
  expect(answer.figures).toMatchObject({ table: { rows: [row] } })
  expect(answer.provenance).toMatchObject({ doubt: 'unconfirmed', missing: [] })
  const found = await desk.reports.ask({
    account: desk.id,
    query: { ...browsers, search: 'safari' },
    force: false,
  })
  expect(found.figures).toMatchObject({ table: { rows: expect.arrayContaining([row]) } })
  expect(found.provenance.doubt).toBe('unconfirmed')
})

it('nothing is added to it, and nothing is compared with it', async () => {
  const desk = await deskThatLoses()
  const account = desk.id
  await asked(desk, account, { ...browsers, range: days(4, 6) })
  await desk.find()
  await asked(desk, account, browsers)
  await desk.lose()
  const both = await asked(desk, account, { ...browsers, whole: true, limit: 1000, range: days(1, 6) })
  const confirmed = await asked(desk, account, { ...browsers, range: days(4, 6) })
  expect(both).toEqual({ ...confirmed, doubt: null, missing: ['2026-11-01', '2026-11-02', '2026-11-03'] })
  const paired = await desk.reports.paired({
    ...{ account, query: { ...overview, range: days(4, 6) }, before: range },
  })
  expect(paired.sides).toBeNull()
  const rowsOf = (now: TableQuery['range'], before: TableQuery['range']) =>
    desk.reports.before({
      ...{ account, query: { ...browsers, range: now }, before, labels: [], force: false },
      isWhole: now !== range,
    })
  expect((await rowsOf(days(4, 6), range).catch(() => null))?.sides ?? null).toBeNull()
  expect((await rowsOf(range, days(4, 6)).catch(() => null))?.sides ?? null).toBeNull()
})

it('goes when the token turns out to see other instances, and what was confirmed before is there again', async () => {
  const desk = await deskThatLoses()
  const account = desk.id
  // One page of several: no table tells it.
  const page = { ...browsers, limit: 2 }
  const first = await asked(desk, account, page)
  await desk.find()
  await limit(more)
  // Asked anew with other rights, and gone before that was noticed.
  await desk.reports.ask({ account, query: page, force: true })
  await eventually(async () => expect((await asked(desk, account, page)).total).not.toEqual(first.total))
  await desk.find()
  await limit(few)
  await desk.find()
  await desk.lose()
  expect(await asked(desk, account, page)).toEqual(first)
})
