import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { CreateClient } from '#main/accounts/clients.ts'
import type { TableQuery } from '#shared/reports/query.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { noWindows } from '#shared/accounts/account.ts'
import { daysOf } from '#shared/values/day.ts'
import type { Day } from '#shared/values/day.ts'
import { runningSandbox } from '#test/helpers/running-sandbox.ts'
import type { RunningSandbox } from '#test/helpers/running-sandbox.ts'
import { exportsTo, writerHere } from '#test/src-main/exports/helpers.ts'
import { temporaryFolder } from '#test/src-main/database/helpers.ts'
import { never } from './helpers.ts'
import { now } from '../reports/helpers.ts'
import { connectLimited, days, devices, few, limitTo, more, openHarness } from './scopes-harness.ts'
import type { Harness } from './scopes-harness.ts'

let running: RunningSandbox
beforeAll(async () => {
  running = await runningSandbox()
})
afterAll(() => running.close())

const limit = (instances: readonly string[]) => limitTo(running, instances)
beforeEach(async () => {
  await running.control('POST', '/behaviour', { turns: [], windows: noWindows })
  await limit(few)
})

const minute = 60_000
/** What an exported table says of its good requests, and of the days that it lacks. */
const exportedGood = v.object({ missing: v.array(v.string()), all: v.object({ Good: v.number() }) })
/** How long each call takes, in milliseconds. */
const callTakes = 10_000
const bySource: TableQuery = { ...devices, dimension: 'sources', range: days(3, 3) }

type Call = { readonly path: string; readonly at: number }

/** A desk on which time passes with each call, and only then: it is never quiet. */
async function slowDesk() {
  const clock = { moved: 0, now: () => Date.parse(now) + clock.moved, wait: () => never }
  const calls: Call[] = []
  const client =
    (create: CreateClient): CreateClient =>
    (options) => {
      const inner = create(options)
      return {
        ...inner,
        call: async (path, given, more) => {
          calls.push({ path, at: clock.now() })
          clock.moved += callTakes
          return await inner.call(path, given, more)
        },
      }
    }
  const harness = await openHarness({ clock, client })
  const id = await connectLimited(harness, running)
  return { ...harness, id, calls }
}

const compose = ({ reports }: Pick<Harness, 'reports'>, account: AccountId, force = true) =>
  reports.ask({ account, query: bySource, force })

/** What is seen of each row: the good requests of all of those that a token sees. */
async function goodBySource(instances: readonly string[]): Promise<ReadonlyMap<string, unknown>> {
  await limit(instances)
  const client = running.client({}, 'limited')
  const range = { start: bySource.range.start, end: bySource.range.end }
  const { answer } = await client.call('interface/sources', { ...range, limit: 1000 })
  const found = await Promise.all(
    answer.sources.map(async (source) => {
      const { answer: of } = await client.call('script/overview', { ...range, source })
      return [source, of.total.good] as const
    }),
  )
  return new Map(found)
}

it('no figure of a composition is of a moment more than a minute from a check of its scope', async () => {
  const desk = await slowDesk()
  await compose(desk, desk.id)
  await desk.accounts.confirm(desk.id)
  const checks = desk.calls.filter(({ path }) => path === 'interface/instances').map(({ at }) => at)
  const figures = desk.calls.filter(({ path }) => path === 'script/overview').map(({ at }) => at)
  expect(figures.length * callTakes).toBeGreaterThan(2 * minute)
  for (const at of figures) {
    expect(Math.min(...checks.filter((check) => check <= at).map((check) => at - check))).toBeLessThanOrEqual(
      minute,
    )
    expect(Math.min(...checks.filter((check) => check >= at).map((check) => check - at))).toBeLessThanOrEqual(
      minute,
    )
  }
})

it('a composition during which the token saw others for more than a minute is of one scope', async () => {
  const [before, between] = [await goodBySource(few), await goodBySource(more)]
  await limit(few)
  const desk = await slowDesk()
  await running.control('POST', '/behaviour', {
    turns: [
      { requests: 6, instances: few, unseen: true },
      { requests: 9, instances: more, unseen: true },
      { requests: 1, instances: few },
    ],
  })
  await compose(desk, desk.id).catch(() => undefined)
  const { figures, provenance } = await compose(desk, desk.id, false)
  if (!('table' in figures)) throw new TypeError('Not a table')
  const good = figures.table.headers.indexOf('Good') - 1
  const rows = figures.table.rows.flatMap(({ label, cells }) =>
    label.kind === 'text' && before.has(label.text) ? [[label.text, cells[good]] as const] : [],
  )
  expect(rows.length).toBeGreaterThan(2)
  const isOf = (truth: typeof before) => rows.every(([source, count]) => truth.get(source) === count)
  expect({ isOfOne: isOf(before) || isOf(between), doubt: provenance.doubt }).toEqual({
    isOfOne: true,
    doubt: null,
  })
})

it('an export during which the token saw others for more than a minute mixes nothing', async () => {
  const range = days(1, 19)
  const goodByDay = async (instances: readonly string[]) => {
    await limit(instances)
    const client = running.client({}, 'limited')
    const found = daysOf(range).map(async (each): Promise<[Day, number]> => {
      const { answer } = await client.call('script/devices', { start: each, end: each, limit: 1000 })
      return [each, Number(answer.total.good)]
    })
    return new Map(await Promise.all(found))
  }
  const truths = [await goodByDay(few), await goodByDay(more)]
  await limit(few)
  const desk = await slowDesk()
  await running.control('POST', '/behaviour', {
    windows: { tables: 1, overview: null, lookups: null },
    turns: [
      { requests: 8, instances: few, unseen: true },
      { requests: 7, instances: more, unseen: true },
      { requests: 1, instances: few },
    ],
  })
  const folder = temporaryFolder()
  const { exported, ended } = exportsTo(folder, {
    ...{ reports: desk.reports, accounts: desk.accounts, openWriter: writerHere },
    clock: { now: desk.clock.now, wait: () => never },
  })
  const query = { ...devices, range }
  const order = {
    kind: 'table',
    format: 'json',
    rows: 'all',
    columns: ['Manufacturer', 'Good'],
    query,
  } as const
  const state = await ended((await exported.begin({ account: desk.id, order })).id)
  const written = readdirSync(folder).map((name) =>
    v.parse(exportedGood, JSON.parse(readFileSync(join(folder, name), 'utf8'))),
  )
  if (state.kind !== 'done') {
    expect(written).toEqual([])
    return
  }
  // Days that could not be fetched of one moment are missing, and the file names them. The others are of one data scope.
  const [file] = written
  const sums = truths.map((byDay) =>
    [...byDay].reduce((sum, [each, good]) => sum + (file?.missing.includes(each) ? 0 : good), 0),
  )
  expect(sums).toContain(file?.all.Good)
})

it('what waited for the disk is confirmed by when it came, not by when it was stored', async () => {
  const { accounts, clock, id, calls } = await slowDesk()
  const client = await accounts.dataScopeClient(id, accounts.dataScopeOf(id))
  await client.call('script/overview', { ...days(3, 3) })
  const came = clock.now()
  expect(calls.at(-1)).toEqual({ path: 'script/overview', at: came - callTakes })
  clock.moved += 2 * minute
  expect(client.provisional()?.arrivedAt).toBe(came)
})
