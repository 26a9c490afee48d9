import { join } from 'node:path'
import { readdirSync } from 'node:fs'
import { expect, it } from 'vitest'
import { openHandle } from '#main/database/sqlite/database.ts'
import type { Accounts } from '#main/accounts/accounts.ts'
import { doubts, doubtsOfTotals } from '#shared/reports/answer.ts'
import type { Doubt } from '#shared/reports/answer.ts'
import { plainTable } from '#shared/reports/query.ts'
import type { OverviewQuery, ReportQuery, TableQuery } from '#shared/reports/query.ts'
import { day } from '#shared/values/day.ts'
import type { InstanceId } from '#shared/values/ids.ts'
import { fake } from '#test/helpers/fake.ts'
import { never } from '../accounts/helpers.ts'
import { firstId, temporaryFolder } from '../database/helpers.ts'
import { exportsTo, writerHere } from '../exports/helpers.ts'
import { desk } from './helpers.ts'

const both = { start: day('2026-11-01'), end: day('2026-11-02') }
const [first, second] = [both.start, both.end].map((start) => ({ start, end: start }))
if (!first || !second) throw new TypeError('Two days')

const whole = { ...plainTable, family: 'direct', range: both, limit: 1000, whole: true } as const
const types: TableQuery = { ...whole, dimension: 'device-types' }
const browsers: TableQuery = { ...whole, dimension: 'browsers' }
const byRules: TableQuery = { ...browsers, rules: true }
const overview: OverviewQuery = {
  ...{ kind: 'overview', family: 'direct', range: both, chart: false },
  ...{ instance: null, source: null, campaign: null },
}
/** Of another source, so that other tables answer it. */
const elsewhere = { source: 'other' }
const seven = '7' as InstanceId

const counts = [10, 5, 5, 0]
const total = { nonsuspect: 5, suspect: 5, mobile: 0 }

/** A table of one row, whatever it is of. */
function answerFor(path: string) {
  if (path === 'interface/instances') return { instances: [], query: { results: 0, pages: 0 } }
  if (path.endsWith('/overview')) return { total, query: {} }
  const label = path.endsWith('/sessions') ? encodeURIComponent('{"id":"7","name":"Seven"}') : 'Tablet'
  const headers = ['Type', 'Requests', 'Non-Suspect', 'Suspect', 'Mobile']
  const table = { headers, all: [false, ...counts], rows: [[label, ...counts]] }
  return { total, table, query: { results: 1, pages: 1 } }
}

/** A desk with each table saved day by day, whose service is away from then on. */
async function doubtfulDesk() {
  const folder = temporaryFolder()
  const made = await desk({ folder })
  const { reports, service } = made
  service.answering = answerFor
  const sessions: TableQuery = { ...whole, dimension: 'sessions' }
  const stored: readonly ReportQuery[] = [types, byRules, overview, sessions, { ...types, ...elsewhere }]
  for (const query of stored)
    await reports.storeWhole({
      ...{ account: firstId, query, progress: () => undefined },
      signal: new AbortController().signal,
    })
  service.failure = 'offline'
  const doubt = (value: Doubt | null) => {
    const cache = openHandle(join(folder, 'cache.sqlite'))
    cache.prepare('UPDATE kept_tables SET doubt = ?').run(value)
    cache.close()
  }
  return { ...made, folder, doubt }
}

type Desk = Awaited<ReturnType<typeof doubtfulDesk>>

const ofRows = { account: firstId, force: false } as const
const asked = (query: ReportQuery) => ({ ...ofRows, query })
const ofDays = { ...asked({ ...types, range: second }), before: first }
const tablet = { filters: { type: 'Tablet' } }
const compared = { ...ofDays, isWhole: false, labels: [] }

async function snapshot({ reports }: Desk, query: TableQuery, before: TableQuery['range'] | null = null) {
  const request = { account: firstId, query, before, columns: null, form: 'rows' } as const
  const answer = await reports.snapshot(request, new AbortController().signal)
  const beside = answer.kind === 'file' ? answer.compared?.provenance.doubt : null
  return before ? beside : answer.report.provenance.doubt
}

async function marksOfFile({ reports, accounts, clock }: Desk): Promise<string> {
  const folder = temporaryFolder()
  const { exported, ended } = exportsTo(folder, {
    ...{ reports, accounts: fake<Accounts>('accounts', accounts), openWriter: writerHere },
    clock: { now: clock.now, wait: () => never },
  })
  const order = {
    kind: 'table',
    format: 'csv',
    rows: 'all',
    query: types,
    columns: ['Type', 'Suspect'],
  } as const
  await ended((await exported.begin({ account: firstId, order })).id)
  return readdirSync(folder).join(' ')
}

const ask = async ({ reports }: Desk, query: ReportQuery) =>
  (await reports.ask(asked(query))).provenance.doubt
const trend = async ({ reports }: Desk, query: ReportQuery) =>
  (await reports.trend(asked(query))).provenance.doubt

type Way = readonly [name: string, doubtOf: (desk: Desk) => Promise<Doubt | null | undefined>]

/** Each way in which rows of stored tables answer. */
const ofRowsSaid: readonly Way[] = [
  ['page', (at) => ask(at, { ...types, whole: false })],
  ['memo', (at) => ask(at, types)],
  ['narrowed', (at) => ask(at, { ...types, search: 'tab' })],
  ['compared', (at) => ask(at, { ...types, range: second, before: first, sort: [] })],
  [
    'movers',
    async ({ reports }) =>
      (await reports.movers({ ...ofDays, query: { ...types, range: second }, header: 'Suspect', max: 5 }))
        .provenance.doubt,
  ],
  [
    'before',
    async ({ reports }) =>
      (await reports.before({ ...compared, query: { ...types, range: second } })).provenance.doubt,
  ],
  ['elsewhere: without rules', (at) => ask(at, browsers)],
  ['elsewhere: one row', (at) => ask(at, { ...types, ...tablet })],
  ['elsewhere: days of a row', (at) => trend(at, { ...types, ...tablet })],
  [
    'elsewhere: before of a row',
    async ({ reports }) =>
      (await reports.before({ ...compared, query: { ...types, ...tablet, range: second } })).provenance.doubt,
  ],
  ['elsewhere: an instance', (at) => ask(at, { ...overview, instance: seven })],
  ['snapshot', (at) => snapshot(at, types)],
  ['snapshot: compared', (at) => snapshot(at, { ...types, range: second }, first)],
  ['snapshot: elsewhere', (at) => snapshot(at, browsers)],
]

/** Each way in which their totals do. */
const ofTotalsSaid: readonly Way[] = [
  ['overview', (at) => ask(at, overview)],
  ['trend', (at) => trend(at, overview)],
  ['trend of a table', (at) => trend(at, types)],
  [
    'paired',
    async ({ reports }) =>
      (await reports.paired({ account: firstId, query: { ...overview, range: second }, before: first }))
        .doubt,
  ],
  ['elsewhere: overview', (at) => ask(at, { ...overview, ...elsewhere })],
  ['elsewhere: trend', (at) => trend(at, { ...overview, ...elsewhere })],
]

/** What a file's name says of doubts that are no matter of sums. */
const marks: Partial<Record<Doubt, string>> = {
  scope: 'doubtful scope',
  ...{ unconfirmed: 'not confirmed', 'not-listed': 'not listed' },
}

it('each doubt of a table is said in each way in which the table answers', async () => {
  const at = await doubtfulDesk()
  const ways = [...ofRowsSaid, ...ofTotalsSaid]
  for (const doubt of doubts) {
    at.doubt(doubt)
    const said: Record<string, Doubt | null | undefined> = {}
    for (const [name, doubtOf] of ways) said[name] = await doubtOf(at)
    const isOfTotals = (name: string) => ofTotalsSaid.some(([each]) => each === name)
    const expected = (name: string) => (!isOfTotals(name) || doubtsOfTotals.includes(doubt) ? doubt : null)
    expect({ doubt, said }).toEqual({
      doubt,
      said: Object.fromEntries(ways.map(([name]) => [name, expected(name)])),
    })
    expect(await marksOfFile(at)).toContain(marks[doubt] ?? 'does not add up')
  }
  at.doubt(null)
  for (const [name, doubtOf] of ways) expect([name, await doubtOf(at)]).toEqual([name, null])
}, 120_000)

it.each([...doubts, null])(
  'what was computed of tables that have gone says no less than before: %s',
  async (doubt) => {
    const at = await doubtfulDesk()
    at.doubt(doubt)
    expect(await ask(at, types)).toBe(doubt)
    const tables = await at.store.run('tables/newest', {
      dataScope: at.accounts.dataScopeOf(firstId),
      max: 100,
    })
    await at.store.run(
      'tables/forget',
      tables.map(({ id, file }) => ({ id, path: file.path })),
    )
    const left = await at.reports.ask(asked({ ...types, whole: false })).catch(() => null)
    // What is sound stays, and is not said to be as the service gave it.
    const expected = { provenance: { from: 'computed', doubt: null } }
    if (doubt === null) expect(left).toMatchObject(expected)
    else expect(left).toBeNull()
  },
)
