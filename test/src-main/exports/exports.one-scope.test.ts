import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import Papa from 'papaparse'
import readSheets from 'read-excel-file/node'
import { describe, expect, it } from 'vitest'
import type { Reports } from '#main/reports/reports.ts'
import { cancelled } from '#main/lib/async.ts'
import type { Accounts } from '#main/accounts/accounts.ts'
import type { ExportOrder } from '#shared/exports/order.ts'
import type { OverviewQuery } from '#shared/reports/query.ts'
import type { Failure } from '#shared/api/failure.ts'
import { day } from '#shared/values/day.ts'
import { plainOverview, writeAddress } from '#shared/views/address.ts'
import { fake } from '#test/helpers/fake.ts'
import {
  account,
  exportsTo,
  fromPages,
  pageOf,
  provenance,
  query,
  temporaryFolder,
  textRow,
  writerHere,
} from './helpers.ts'

const headers = ['Browser', 'Requests']
const before = { start: day('2026-11-06'), end: day('2026-11-12') }
const overview = (family: 'direct' | 'script'): OverviewQuery => ({
  ...{ kind: 'overview', family, range: query.range, instance: null, source: null, campaign: null },
  chart: false,
})

/**
 * Reports of a token that sees two instances more after so many answers, each of which has 1,000 requests a row.
 * @param check what a check of the instances comes to
 */
function turning(after: number, check: Failure | null = null) {
  let answers = 0
  let checks = 0
  const instances = () => (answers > after ? 3 : 1)
  const count = () => {
    answers += 1
    return instances() * 1000
  }
  const total = (requests: number) => ({ drops: 0, good: requests, warning: 0, bad: 0 })
  const reports = fake<Reports>('reports', {
    ...fromPages({
      ask: async ({ query: asked }) => {
        const requests = count()
        const all = { label: { kind: 'all', name: null }, cells: [requests] } as const
        if (asked.kind === 'table')
          return pageOf(asked, { headers, rows: [textRow('Chrome', requests)], all })
        const figures = { total: total(requests), chart: null, query: {}, unknown: {} }
        return { kind: 'overview', query: asked, figures, provenance }
      },
      before: async ({ query: shown, before: range }) => {
        const requests = count()
        const rows = { headers, all: [requests], rows: [[requests]] }
        const periods = { kind: 'periods', now: shown.range, before: range, leftOut: [] } as const
        return { periods, compared: null, sides: { now: null, before: rows }, provenance }
      },
      paired: () => Promise.reject(new TypeError('No day is missing here')),
      trend: async ({ query: { range } }) => ({
        chart: { days: [range.start], series: [{ header: 'Requests', values: [count()] }] },
        provenance,
      }),
    }),
    confirm: async () => {
      checks += 1
      return check
    },
  })
  const accounts = fake<Accounts>('accounts', {
    account: () => account,
    standingOf: () => `of ${instances()}`,
  })
  return { reports, accounts, count, checks: () => checks }
}

const table = { kind: 'table', rows: 'seen', query, columns: headers } as const
const queries = [overview('direct'), overview('script')]
const orders: readonly { readonly name: string; readonly order: ExportOrder }[] = [
  { name: 'a page beside other days, as CSV', order: { ...table, format: 'csv', before } },
  { name: 'a page beside other days, as JSON', order: { ...table, format: 'json', before } },
  { name: 'a page beside other days, as a workbook', order: { ...table, format: 'xlsx', before } },
  { name: 'a page beside other days, in the clipboard', order: { ...table, format: 'clipboard', before } },
  { name: 'every dimension', order: { kind: 'workbook', query } },
  { name: 'the cards of Overview', order: { kind: 'overview', format: 'csv', queries } },
  {
    name: 'the cards of Overview beside other days, in the clipboard',
    order: { kind: 'overview', format: 'clipboard', queries, before },
  },
  {
    name: 'a whole report',
    order: {
      kind: 'report',
      address: writeAddress({ ...plainOverview, period: { kind: 'custom', range: query.range } }),
    },
  },
  { name: 'pages to send', order: { kind: 'pdf', address: '/reports/script/browsers' } },
]

/** Every number of thousands in what went out. */
async function thousandsIn(folder: string, file: string | null, copied: readonly string[]) {
  const cells = async (): Promise<readonly unknown[]> => {
    if (file === null) return Papa.parse<string[]>(copied.at(-1) ?? '', { delimiter: '\t' }).data.flat()
    const path = join(folder, file)
    if (file.endsWith('.xlsx')) return (await readSheets(path)).flatMap(({ data }) => data.flat())
    const text = readFileSync(path, 'utf8')
    return file.endsWith('.csv') ? Papa.parse<string[]>(text).data.flat() : (text.match(/\d+/gu) ?? [])
  }
  return new Set((await cells()).map(Number).filter((cell) => cell % 1000 === 0 && cell > 0 && cell < 10_000))
}

/** Exports while the token comes to see others after so many answers. */
async function exported(order: ExportOrder, after: number, check: Failure | null = null) {
  const folder = temporaryFolder()
  const { reports, accounts, count, checks } = turning(after, check)
  const print = () => Promise.resolve(new TextEncoder().encode(`%PDF ${count()} ${count()}`))
  const { run, copied } = exportsTo(folder, { reports, accounts, shell: { print }, openWriter: writerHere })
  const state = await run(order)
  return { state, checks, thousands: (file: string | null) => thousandsIn(folder, file, copied) }
}

describe('what goes out of several answers', () => {
  it.each(orders)('is of one scope, whenever the token comes to see others: $name', async ({ order }) => {
    for (const after of [0, 1, 2, 3]) {
      const { state, thousands } = await exported(order, after)
      if (state.kind !== 'done') throw new Error(JSON.stringify(state))
      expect((await thousands(state.file)).size).toBe(1)
    }
  })

  it.each(orders)('is not written where its scope cannot be checked: $name', async ({ order }) => {
    const failure: Failure = { kind: 'no-right', message: 'This token may not list instances.' }
    const { state } = await exported(order, Infinity, failure)
    expect(state).toEqual({ kind: 'failed', failure })
  })
})

it('asks for no check of what is one answer', async () => {
  const { state, checks } = await exported({ ...table, format: 'csv' }, Infinity)
  expect([state.kind, checks()]).toEqual(['done', 0])
})

it('is written where what it asked ended with an earlier scope, since nobody cancelled it', async () => {
  const { reports, accounts } = turning(0)
  let asked = 0
  const snapshot: typeof reports.snapshot = (...given) => {
    asked += 1
    return asked === 1 ? Promise.reject(cancelled()) : reports.snapshot(...given)
  }
  const parts = {
    reports: fake<Reports>('reports', { ...reports, snapshot }),
    accounts,
    openWriter: writerHere,
  }
  const { run } = exportsTo(temporaryFolder(), parts)
  const { kind } = await run({ ...table, format: 'csv', rows: 'all' })
  expect([kind, asked]).toEqual(['done', 2])
})
