import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Papa from 'papaparse'
import { expect, it } from 'vitest'
import type { Accounts } from '#main/accounts/accounts.ts'
import { systemClock } from '#main/lib/async.ts'
import type { Channel, ToServer } from '#main/workers/rpc.ts'
import type { ExportOrder } from '#shared/exports/order.ts'
import { plainTable } from '#shared/reports/query.ts'
import type { OverviewQuery, TableQuery } from '#shared/reports/query.ts'
import { day } from '#shared/values/day.ts'
import { withoutGuards } from '#shared/values/delimited.ts'
import { fake } from '#test/helpers/fake.ts'
import { readParquet } from '#test/helpers/parquet.ts'
import { firstId, temporaryFolder } from '../database/helpers.ts'
import { desk } from '../reports/helpers.ts'
import { exportsTo } from './helpers.ts'

const query: TableQuery = {
  ...plainTable,
  ...{ family: 'script', dimension: 'referrers', rates: true },
  range: { start: day('2026-11-08'), end: day('2026-11-14') },
}
const before = { start: day('2026-11-01'), end: day('2026-11-07') }
const headers = ['Host', 'Requests', 'Responses', 'Good', 'Warning', 'Bad', 'Mobile', 'Ad%20Blocker', 'UE']
const hosts = ['007', '=1+1', "it's", 'a"b,c', '', 'plain.example']
const order: ExportOrder = { kind: 'table', format: 'parquet', rows: 'all', query, columns: [] }

/** What the service says of every question: names and cells that are no plain texts and counts. */
function answer() {
  const rows = hosts.map((host, nth) => [
    ...[host, 70 + nth, 60, 50 + nth, 7, nth, 0],
    ...[nth % 2 === 0 ? null : nth, nth === 1 ? '< 10' : nth],
  ])
  const all = [false, 435, 360, 315, 42, 15, 0, null, null]
  const total = { good: 315, warning: 42, bad: 15, mobile: 0, adblocker: null, drops: 0 }
  const echo = { page: 1, limit: 1000, results: rows.length, pages: 1 }
  return { total, table: { headers, all, rows }, query: echo }
}

/** Exports over the real figures, by the real engine. */
async function exporting(between?: (channel: Channel) => Channel) {
  const profile = temporaryFolder()
  const { reports, service, accounts, clock } = await desk({ folder: profile, ...(between && { between }) })
  service.answering = answer
  const folder = temporaryFolder()
  const made = exportsTo(folder, {
    reports,
    accounts: fake<Accounts>('accounts', accounts),
    clock: { ...systemClock, now: clock.now },
  })
  const begin = async (given: ExportOrder) =>
    (await made.exported.begin({ account: firstId, order: given })).id
  const save = async (given: ExportOrder) => {
    const state = await made.ended(await begin(given))
    if (state.kind !== 'done' || state.file === null) throw new Error(JSON.stringify(state))
    return { path: join(folder, state.file), file: state.file, rows: state.rows }
  }
  return { ...made, begin, save, folder, profile }
}

/** Cells of a file as texts, as a CSV has them. */
async function cellsOf(path: string): Promise<readonly (readonly string[])[]> {
  if (path.endsWith('.parquet')) {
    const { types, rows } = await readParquet(path)
    const names = Object.keys(types)
    return [names, ...rows.map((row) => names.map((name) => String(row[name] ?? '')))]
  }
  const text = readFileSync(path, 'utf8').replace('\ufeff', '').trimEnd()
  return Papa.parse<string[]>(text).data.map((cells) => cells.map(withoutGuards))
}

it.each([
  ['all rows', order],
  ['the rows on screen', { ...order, rows: 'seen' }],
  ['columns as chosen', { ...order, columns: ['Bad', 'Bad Rate', 'Host'] }],
  ['rows with their changes', { ...order, before }],
] as const)('has the same values as a CSV of %s, without rows that are sums', async (_, given) => {
  const { save, folder } = await exporting()
  const [parquet, csv] = [await save(given), await save({ ...given, format: 'csv' })]
  const [names, ...rows] = await cellsOf(csv.path)
  const label = names?.indexOf('Host') ?? -1
  const plain = rows.filter((cells) => cells[label] !== 'All')
  expect(plain).toHaveLength(hosts.length)
  expect(await cellsOf(parquet.path)).toEqual([names, ...plain])
  expect(parquet.rows).toBe(hosts.length)
  expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).toEqual([])
})

it('types columns by what they hold', async () => {
  const { save } = await exporting()
  const { types, rows } = await readParquet((await save({ ...order, before })).path)
  expect(types).toMatchObject({
    ...{ Host: 'BYTE_ARRAY UTF8', Requests: 'INT64 INT_64', 'Bad Rate': 'DOUBLE' },
    ...{ 'Ad Blocker': 'INT64 INT_64', UE: 'BYTE_ARRAY UTF8', 'Requests change': 'INT64 INT_64' },
  })
  expect(rows).toContainEqual(
    expect.objectContaining({ Host: '007', Requests: 70n, 'Ad Blocker': null, UE: '0' }),
  )
})

it('has the cards of Overview', async () => {
  const { save } = await exporting()
  const { range } = query
  const of = (family: OverviewQuery['family']): OverviewQuery => ({
    ...{ kind: 'overview', family, range, chart: false, instance: null, source: null, campaign: null },
  })
  const overview: ExportOrder = { kind: 'overview', format: 'parquet', queries: [of('script')] }
  const [parquet, csv] = [await save(overview), await save({ ...overview, format: 'csv' })]
  expect(await cellsOf(parquet.path)).toEqual(await cellsOf(csv.path))
  const { types } = await readParquet(parquet.path)
  expect(types).toEqual({ Figure: 'BYTE_ARRAY UTF8', Count: 'INT64 INT_64', Rate: 'DOUBLE' })
})

it('never replaces another file', async () => {
  const { save, folder } = await exporting()
  const { file } = await save(order)
  writeFileSync(join(folder, file), 'mine')
  const second = await save(order)
  expect(second.file).toBe(file.replace('.parquet', ' (2).parquet'))
  expect(readFileSync(join(folder, file), 'utf8')).toBe('mine')
  expect((await readParquet(second.path)).rows).toHaveLength(hosts.length)
})

it('ends the work of the engine when it is cancelled, and leaves no file', async () => {
  const heard: string[] = []
  let cancel = () => {}
  const between = (channel: Channel): Channel => ({
    ...channel,
    post: (message) => {
      const asked = message as ToServer
      channel.post(message)
      if (heard.length > 0 && asked.kind === 'cancel') heard.push('given up')
      if (asked.kind !== 'call' || asked.name !== 'parquet') return
      heard.push('asked')
      cancel()
    },
  })
  const { jobs, begin, ended, folder, profile } = await exporting(between)
  const id = await begin(order)
  cancel = () => jobs.cancel(id)
  expect(await ended(id)).toMatchObject({ kind: 'cancelled' })
  expect(heard).toEqual(['asked', 'given up'])
  expect(readdirSync(folder)).toEqual([])
  const left = readdirSync(join(profile, 'history-work'), { recursive: true, encoding: 'utf8' })
  expect(left.filter((name) => name.includes('export-'))).toEqual([])
})
