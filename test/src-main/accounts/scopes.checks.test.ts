import { readdirSync } from 'node:fs'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { AccountId } from '#shared/values/ids.ts'
import { subjectOf } from '#shared/reports/query.ts'
import type { OverviewQuery } from '#shared/reports/query.ts'
import { eventually } from '#test/helpers/eventually.ts'
import { runningSandbox } from '#test/helpers/running-sandbox.ts'
import type { RunningSandbox } from '#test/helpers/running-sandbox.ts'
import { never } from './helpers.ts'
import { exportsTo, writerHere } from '#test/src-main/exports/helpers.ts'
import { temporaryFolder } from '#test/src-main/database/helpers.ts'
import { now } from '../reports/helpers.ts'
import { connectLimited, days, devices, few, limitTo, more, openHarness, shown } from './scopes-harness.ts'
import type { Harness } from './scopes-harness.ts'

let running: RunningSandbox
beforeAll(async () => {
  running = await runningSandbox()
})
afterAll(() => running.close())

const limit = (instances: readonly string[]) => limitTo(running, instances)
beforeEach(() => limit(few))

const connect = (harness: Harness): Promise<AccountId> => connectLimited(harness, running)

const paths = async () => {
  const all = (await running.requests()).map(({ path }) => path)
  await running.control('DELETE', '/requests')
  return all
}
/** Whoever waits goes on when the test says so. */
class HeldClock {
  moved = 0
  readonly #held: (() => void)[] = []
  readonly now = () => Date.parse(now) + this.moved
  readonly wait = () => new Promise<void>((resolve) => this.#held.push(resolve))

  release(): void {
    for (const resolve of this.#held.splice(0)) resolve()
  }
}

const firstThree = { ...devices, range: days(1, 3) }
const overview: OverviewQuery = {
  ...{ kind: 'overview', family: 'script', range: days(1, 3), instance: null, source: null },
  ...{ campaign: null, chart: false },
}

/** What the service says itself while a token sees these. */
async function truth(instances: readonly string[], range: typeof devices.range) {
  await limit(instances)
  const given = { start: range.start, end: range.end, limit: 1000 }
  const { answer } = await running.client({}, 'limited').call('script/devices', given)
  return answer.total
}

describe('a token that comes to see others', () => {
  it('adds none of their days to those before, and leaves none behind when it sees the same again', async () => {
    const [before, after] = [await truth(few, days(1, 6)), await truth(more, days(1, 6))]
    await limit(few)
    const harness = await openHarness()
    const id = await connect(harness)
    await shown(harness.reports, id, firstThree)
    await limit(more)
    expect((await shown(harness.reports, id)).total).toEqual(after)
    await limit(few)
    await harness.accounts.confirm(id)
    await paths()
    expect((await shown(harness.reports, id)).total).toEqual(before)
    // The first three days are there still: the others alone are asked for.
    expect((await paths()).filter((path) => path === 'script/devices')).toHaveLength(1)
  })

  it('is not answered for while its instances change at each attempt', async () => {
    const harness = await openHarness()
    const id = await connect(harness)
    await shown(harness.reports, id, firstThree)
    let standing = 0
    const changing = vi
      .spyOn(harness.accounts, 'standingOf')
      .mockImplementation(() => String((standing += 1)))
    await expect(shown(harness.reports, id, firstThree)).rejects.toMatchObject({
      failure: { message: "The token's instances changed meanwhile. Try again." },
    })
    changing.mockRestore()
    expect(await shown(harness.reports, id, firstThree)).toMatchObject({ missing: [] })
  })

  it('restates nothing', async () => {
    const harness = await openHarness()
    const { accounts, reports } = harness
    const id = await connect(harness)
    const ask = (force: boolean) => reports.ask({ account: id, query: overview, force })
    await ask(false)
    await accounts.confirm(id)
    const first = await ask(false)
    await limit(more)
    await ask(true)
    await eventually(async () => expect((await ask(false)).provenance.refreshing).toBe(false))
    await accounts.confirm(id)
    await limit(few)
    await accounts.confirm(id)
    const again = await ask(false)
    expect([again.figures.total, again.provenance.restated]).toEqual([first.figures.total, null])
    expect(await reports.restatements({ account: id, query: overview })).toEqual({ items: [], total: 0 })
  })

  it('is noticed while nothing is asked, by the list that is read to see whether the service is there', async () => {
    // Nothing takes too long.
    const clock = { moved: 0, now: () => Date.parse(now) + clock.moved, wait: () => never }
    const harness = await openHarness({ clock })
    const id = await connect(harness)
    const dataScope = harness.accounts.dataScopeOf(id)
    harness.reports.setWatching(true)
    await eventually(() => expect(harness.reports.connection(id)).toEqual({ kind: 'online' }))
    await limit(more)
    clock.moved += 20_000
    harness.reports.look()
    await eventually(() => expect(harness.accounts.dataScopeOf(id)).not.toBe(dataScope))
  })
})

describe('the days that a page is compared with', () => {
  it('are of the scope of the page, whatever was stored for an earlier one', async () => {
    const after = await truth(more, days(1, 2))
    await limit(few)
    // Nothing is checked by itself.
    const harness = await openHarness({ clock: new HeldClock() })
    const { accounts, reports } = harness
    const id = await connect(harness)
    await shown(reports, id, { ...devices, range: days(1, 2) })
    await accounts.confirm(id)
    await limit(more)
    const page = { ...devices, range: days(3, 4), whole: false }
    await shown(reports, id, page)
    await eventually(() => expect(reports.connection(id)).toEqual({ kind: 'online' }))
    const given = { account: id, query: page, before: days(1, 2), isWhole: true, labels: [], force: false }
    const { sides } = await reports.before(given)
    const { headers, all } = sides?.before ?? { headers: [], all: null }
    expect(all?.[headers.indexOf('Good') - 1]).toBe(after.good)
  })
})

describe('what comes', () => {
  it('is asked for once, with one check after it, and none before for a minute', async () => {
    const clock = new HeldClock()
    const harness = await openHarness({ clock })
    const id = await connect(harness)
    await shown(harness.reports, id, firstThree)
    clock.moved += 30_000
    await paths()
    await shown(harness.reports, id, { ...devices, range: days(4, 6) })
    expect(await paths()).toEqual(['script/devices', 'interface/instances'])
    // A page that is looked at waits for no check.
    await shown(harness.reports, id, { ...devices, range: days(7, 7), whole: false })
    expect(await paths()).toEqual(['script/devices'])
  })

  it('is checked once nothing more has come for a second, so that it can be read offline', async () => {
    const clock = new HeldClock()
    const harness = await openHarness({ clock })
    const id = await connect(harness)
    const page = { ...devices, whole: false }
    await shown(harness.reports, id, { ...page, range: days(1, 1) })
    await harness.accounts.confirm(id)
    await paths()
    await shown(harness.reports, id, { ...page, range: days(2, 2) })
    await shown(harness.reports, id, { ...page, range: days(3, 3) })
    expect(await paths()).toEqual(['script/devices', 'script/devices'])
    const place = { dataScope: harness.accounts.dataScopeOf(id), subject: subjectOf(page) }
    await eventually(async () => expect(await harness.store.run('tables/provisional', place)).toHaveLength(2))
    const checked = new Promise<void>((resolve) => harness.events.on('account/confirmed', () => resolve()))
    clock.release()
    await checked
    const asked = async () => (await running.requests()).map(({ path }) => path)
    expect(await asked()).toEqual(['interface/instances'])
    // Two pages of one day each tell of both days, with no figures to ask for.
    expect((await shown(harness.reports, id, { ...devices, range: days(2, 3) })).missing).toEqual([])
    expect(await asked()).not.toContain('script/devices')
  })

  it('is added up with nothing where the list of instances cannot be read, and not asked for again', async () => {
    const harness = await openHarness()
    const { reports } = harness
    const id = await connect(harness)
    await running.fault({
      path: 'interface/instances',
      times: null,
      does: { kind: 'status', status: 403 },
    })
    const ask = () => reports.ask({ account: id, query: firstThree, force: false })
    await expect(ask()).rejects.toMatchObject({ failure: { kind: 'no-right' } })
    await running.control('DELETE', '/faults')
    await paths()
    harness.clock.moved += 31_000
    expect((await shown(reports, id, firstThree)).missing).toEqual([])
    expect(await paths()).toEqual(['interface/instances'])
  })
})

describe.each(['csv', 'json', 'xlsx'] as const)('what is exported as %s', (format) => {
  const order = { kind: 'table', format, rows: 'all', columns: ['Manufacturer', 'Good', 'Bad'] } as const

  it('is not written while it is not known of which instances it is, and needs no figure anew then', async () => {
    const harness = await openHarness()
    const { accounts, clock, reports } = harness
    const id = await connect(harness)
    const folder = temporaryFolder()
    const { exported, ended } = exportsTo(folder, {
      ...{ reports, accounts, openWriter: writerHere },
      clock: { now: clock.now, wait: () => never },
    })
    const save = async () =>
      ended((await exported.begin({ account: id, order: { ...order, query: firstThree } })).id)
    await running.fault({
      path: 'interface/instances',
      times: null,
      does: { kind: 'status', status: 403 },
    })
    expect(await save()).toMatchObject({ kind: 'failed', failure: { kind: 'no-right' } })
    expect(readdirSync(folder)).toEqual([])
    await running.control('DELETE', '/faults')
    await paths()
    clock.moved += 31_000
    const state = await save()
    expect(state).toMatchObject({ kind: 'done', file: expect.not.stringContaining('partial') })
    expect(await paths()).toEqual(['interface/instances'])
  })
})
