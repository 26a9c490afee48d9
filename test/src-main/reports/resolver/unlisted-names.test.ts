import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { comparisonOf } from '#shared/reports/overview-figures.ts'
import { plainTable } from '#shared/reports/query.ts'
import type { OverviewQuery, TableQuery } from '#shared/reports/query.ts'
import type { AccountId, InstanceId } from '#shared/values/ids.ts'
import { runningSandbox } from '#test/helpers/running-sandbox.ts'
import type { RunningSandbox } from '#test/helpers/running-sandbox.ts'
import { never } from '../../accounts/helpers.ts'
import { connectLimited, days, devices, openHarness } from '../../accounts/scopes-harness.ts'
import type { Harness } from '../../accounts/scopes-harness.ts'
import { now } from '../helpers.ts'

let running: RunningSandbox
beforeAll(async () => {
  running = await runningSandbox()
})
afterAll(() => running.close())
beforeEach(() => running.behave({ forgotten: [] }))

const [earlier, later] = [days(1, 3), days(4, 6)]
type Limit = { readonly instance?: InstanceId; readonly source?: string; readonly campaign?: string }
const nothing = { instance: null, source: null, campaign: null }

/** Questions about the later days, limited. */
const overviewOf = (limit: Limit): OverviewQuery => ({
  ...{ kind: 'overview', family: 'script', range: later, chart: false, ...nothing },
  ...limit,
})
const tableOf = (limit: Limit): TableQuery => ({ ...devices, range: later, ...limit })

/** Everything that compares the later days with the earlier ones. */
async function compared({ reports }: Harness, account: AccountId, limit: Limit) {
  const ask = (query: OverviewQuery | TableQuery) => reports.ask({ account, query, force: false })
  const overview = overviewOf(limit)
  const shown = await ask(overview)
  const before = await ask({ ...overview, range: earlier })
  const query = tableOf(limit)
  const table = await ask(query)
  const paired = await reports.paired({ account, query: overview, before: earlier })
  const rows = (isWhole: boolean) =>
    reports.before({ ...{ account, query, before: earlier, labels: [], isWhole, force: false } })
  const movers = await reports.movers({
    ...{ account, query, before: earlier, header: 'Bad', max: 5, force: false },
  })
  const explaining = { account, query: overview, before: earlier, header: 'Bad', base: 'Requests', load: [] }
  const explained = await reports.explain({ ...explaining, by: 'count' }).then(
    () => 'explained',
    (error: Error) => error.message,
  )
  return {
    doubts: [shown.provenance.doubt, table.provenance.doubt],
    now: shown.figures.total,
    cards: comparisonOf('script', { shown, now: shown, before }, 'UTC', paired),
    paired: paired.sides,
    rows: (await rows(true)).sides,
    own: (await rows(false)).sides,
    down: movers.down.length,
    explained,
  }
}

const connect = async () => {
  const clock = { moved: 0, now: () => Date.parse(now) + clock.moved, wait: () => never }
  const harness = await openHarness({ clock })
  return { harness, id: await connectLimited(harness, running) }
}

/** What the earlier days count is stored before the name is forgotten. */
async function storeEarlier({ accounts, reports }: Harness, account: AccountId, limit: Limit) {
  for (const query of [overviewOf(limit), tableOf(limit)])
    await reports.ask({ account, query: { ...query, range: earlier }, force: false })
  await accounts.confirm(account)
}

const limits: readonly Limit[] = [{ source: 'newsletter' }, { campaign: 'brand' }]

it.each(limits)('a name that is not listed any more has not fallen to nothing: %o', async (limit) => {
  const { harness, id } = await connect()
  await storeEarlier(harness, id, limit)
  await running.behave({ forgotten: Object.values(limit) })
  const found = await compared(harness, id, limit)
  expect(found).toMatchObject({
    doubts: ['not-listed', 'not-listed'],
    now: { good: 0, bad: 0 },
    ...{ cards: null, paired: null, rows: null, own: null, down: 0 },
  })
  expect(found.explained).toContain('no change to explain')
})

it('nothing that is counted stands where the list cannot be had, because the service is away', async () => {
  const harness = await openHarness()
  const id = await connectLimited(harness, running)
  await running.behave({ forgotten: ['newsletter'] })
  await running.fault({ path: 'interface/sources', times: null, does: { kind: 'reset' } })
  const query = overviewOf({ source: 'newsletter' })
  const { figures, provenance } = await harness.reports.ask({ account: id, query, force: false })
  await running.control('DELETE', '/faults')
  expect(figures.total).toMatchObject({ good: 0, bad: 0 })
  expect(provenance.doubt).toBeNull()
})

it('one that is listed is compared', async () => {
  const { harness, id } = await connect()
  const found = await compared(harness, id, { source: 'newsletter' })
  expect(found.doubts).toEqual([null, null])
  for (const sides of [found.cards, found.rows, found.own]) expect(sides).not.toBeNull()
  expect(found.explained).toBe('explained')
})

it('one of a list that was emptied is not taken for gone: the last list is used, and read again', async () => {
  const { harness, id } = await connect()
  const limit = { instance: '4101' as InstanceId }
  await storeEarlier(harness, id, limit)
  const read = () => harness.reports.instances({ account: id, name: null, page: 1, limit: 1000 })
  const whole = await read()
  await running.behave({ forgotten: ['4101'] })
  await running.fault({ path: 'interface/instances', times: null, does: { kind: 'left-out', left: 0 } })
  harness.clock.moved += 25 * 3_600_000
  await read()
  await expect
    .poll(async () => (await read()).failure?.message)
    .toBe("The service's list of instances was empty. The last one is used, and checked again.")
  expect((await read()).answer).toEqual(whole.answer)
  const query = overviewOf(limit)
  const { provenance } = await harness.reports.ask({ account: id, query, force: false })
  expect(provenance.doubt).toBe('unconfirmed')
  expect((await harness.reports.paired({ account: id, query, before: earlier })).sides).toBeNull()
  await running.control('DELETE', '/faults')
  harness.clock.moved += 31_000
  await read()
  await expect.poll(async () => (await read()).failure).toBeNull()
})

it('a table is not composed of an empty list of sources, where days count and there were sources before', async () => {
  const { harness, id } = await connect()
  const sources = { ...plainTable, family: 'script', dimension: 'sources', limit: 1000, whole: true } as const
  const ask = (range: typeof later) =>
    harness.reports.ask({ account: id, query: { ...sources, range }, force: true })
  await ask(days(1, 1))
  await running.fault({ path: 'interface/sources', times: 1, does: { kind: 'left-out', left: 0 } })
  await expect(ask(days(2, 2))).rejects.toMatchObject({
    failure: { message: expect.stringContaining('list of sources is empty') },
  })
  await expect(ask(days(2, 2))).resolves.toMatchObject({ provenance: { missing: [] } })
})
