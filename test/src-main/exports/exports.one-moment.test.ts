import fc from 'fast-check'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import Papa from 'papaparse'
import { readSheet } from 'read-excel-file/node'
import { describe, expect, it } from 'vitest'
import type { FromServer, Channel, ToServer } from '#main/workers/rpc.ts'
import { systemClock } from '#main/lib/async.ts'
import type { Accounts } from '#main/accounts/accounts.ts'
import type { ExportOrder } from '#shared/exports/order.ts'
import { plainTable } from '#shared/reports/query.ts'
import type { TableQuery } from '#shared/reports/query.ts'
import { day } from '#shared/values/day.ts'
import { eventually } from '#test/helpers/eventually.ts'
import { runs } from '#test/helpers/long.ts'
import { checkAsyncProperty } from '#test/helpers/properties.ts'
import { fake } from '#test/helpers/fake.ts'
import { desk } from '../reports/helpers.ts'
import { firstId, temporaryFolder } from '../database/helpers.ts'
import { exportsTo } from './helpers.ts'

const headers = ['Host', 'Requests', 'Responses', 'Good', 'Warning', 'Bad', 'Mobile', 'Ad%20Blocker']
/** More than the service answers in one page, and than were read at once. */
const ROWS = 2300
const query: TableQuery = {
  ...plainTable,
  ...{ family: 'script', dimension: 'referrers', rates: true },
  range: { start: day('2026-11-08'), end: day('2026-11-14') },
}
const before = { start: day('2026-11-01'), end: day('2026-11-07') }
const wholeQuery = { ...query, whole: true, limit: 1000 }

/** What the service says once it has restated everything so often: each count a multiple. The order of rows turns round too. */
function pageAt(version: number, { page = 1, limit = 10 }: { page?: number; limit?: number }) {
  const counts = (place: number) => {
    const count = 7 * (version % 2 === 0 ? place + 1 : ROWS - place) * version
    return [count, count, count - 2, 1, 1, count % 5, 0]
  }
  const all = Array.from({ length: ROWS }, (_, place) => counts(place))
  const sums = headers.slice(1).map((_, at) => all.reduce((sum, row) => sum + (row[at] ?? 0), 0))
  const [, , good, warning, bad, mobile, adblocker] = sums
  const places = all.map((_, place) => place).sort((a, b) => (counts(b)[0] ?? 0) - (counts(a)[0] ?? 0))
  const rows = places.map((place) => [`host-${String(place).padStart(5, '0')}.example`, ...counts(place)])
  return {
    total: { good, warning, bad, mobile, adblocker },
    table: { headers, all: [false, ...sums], rows: rows.slice((page - 1) * limit, page * limit) },
    query: { page, limit, results: ROWS, pages: Math.ceil(ROWS / limit) },
  }
}
const requestsAt = (version: number) => (7 * version * ROWS * (ROWS + 1)) / 2

/** Says something happened on the way to the engine or back; what was said is not passed on before `happened` is done. */
function channelWith(happened: (what: string) => Promise<void> | null): (channel: Channel) => Channel {
  return (channel) => ({
    ...channel,
    post: (message) => {
      const asked = message as ToServer
      const waits = asked.kind === 'call' ? happened(`before ${asked.name}`) : null
      if (!waits) channel.post(message)
      else void waits.then(() => channel.post(message))
      if (asked.kind === 'call') void happened(`during ${asked.name}`)
    },
    onMessage: (listener) =>
      channel.onMessage((message) => {
        const waits = (message as FromServer).kind === 'done' ? happened('after a call') : null
        if (!waits) listener(message)
        else void waits.then(() => listener(message))
      }),
  })
}

/** A desk that exports, of whose tables the service has newer figures than are saved, and which are fetched at a moment. */
async function replacing() {
  let version = 1
  let left: number | null = null
  let replaced: Promise<void> | null = null
  const happened = () => {
    if (left === null) return null
    left -= 1
    if (left >= 0) return null
    left = null
    return (replaced = replace())
  }
  const made = await desk({ between: channelWith(happened) })
  const { reports, service, accounts } = made
  service.answering = (_, given) => pageAt(version, given)
  const account = firstId
  const asked = { account, query: wholeQuery, force: true }
  const replace = async () => {
    for (const range of [query.range, before]) {
      const { provenance } = await reports.ask({ ...asked, query: { ...wholeQuery, range } })
      if (provenance.refreshing)
        await eventually(async () => {
          const now = await reports.ask({ ...asked, query: { ...wholeQuery, range }, force: false })
          expect(now.provenance.refreshing).toBe(false)
        })
    }
  }
  await replace()
  const folder = temporaryFolder()
  const { run, copied } = exportsTo(folder, {
    reports,
    accounts: fake<Accounts>('accounts', accounts),
    clock: { ...systemClock, now: made.clock.now },
  })
  return {
    /** Exports while the table is replaced at its nth moment; both versions that may be in the file. */
    exportAt: async (moment: number, order: ExportOrder) => {
      const versions = [version, version + 1] as const
      version += 1
      left = moment
      replaced = null
      const state = await run(order)
      left = null
      if (replaced === null) await replace()
      await replaced
      if (state.kind !== 'done') throw new Error(JSON.stringify(state))
      const path = state.file === null ? null : join(folder, state.file)
      return { versions, path, text: copied.splice(0).at(-1) ?? null }
    },
  }
}

type Records = readonly (readonly unknown[])[]

async function recordsOf(format: string, path: string | null, text: string | null): Promise<Records> {
  if (format === 'clipboard')
    return Papa.parse<string[]>(text ?? '', { delimiter: '\t', skipEmptyLines: true }).data
  if (path === null) throw new Error('No file')
  if (format === 'xlsx') return readSheet(path)
  const written = readFileSync(path, 'utf8').replace('\uFEFF', '')
  if (format === 'csv') return Papa.parse<string[]>(written, { skipEmptyLines: true }).data
  const {
    headers: names,
    all,
    rows,
  } = JSON.parse(written) as {
    headers: string[]
    all: Record<string, unknown>
    rows: Record<string, unknown>[]
  }
  return [names, ...[all, ...rows].map((row) => names.map((name) => row[name]))]
}

describe('an export of which the tables are replaced at any moment', () => {
  it(
    'has rows that add up to All, of one of both, in every format',
    async () => {
      const { exportAt } = await replacing()
      await checkAsyncProperty(
        'exports of one moment',
        fc.asyncProperty(
          fc.constantFrom('csv', 'json', 'xlsx', 'clipboard'),
          fc.nat({ max: 9 }),
          fc.boolean(),
          fc.constantFrom<TableQuery['sort']>([], [{ header: 'Requests', direction: 'asc' }]),
          async (format, moment, isCompared, sort) => {
            const columns = ['Host', 'Requests', 'Bad', 'Bad Rate']
            const { versions, path, text } = await exportAt(moment, {
              ...{ kind: 'table', format, rows: 'all', query: { ...query, sort }, columns },
              ...(isCompared && { before }),
            })
            const [names = [], ...below] = await recordsOf(format, path, text)
            const all = below.find(([label]) => label === 'All') ?? []
            // What has to be known of the figures stands below the rows of the clipboard.
            const rows = below.filter(([label]) => String(label).startsWith('host-'))
            expect(rows).toHaveLength(ROWS)
            expect(new Set(rows.map(([label]) => label)).size).toBe(ROWS)
            for (const name of ['Requests', ...(isCompared ? ['Requests before'] : [])]) {
              const place = names.indexOf(name)
              const sum = rows.reduce((total, row) => total + Number(row[place]), 0)
              expect(Number(all[place])).toBe(sum)
              expect(versions.map(requestsAt)).toContain(sum)
            }
          },
        ),
        100,
      )
    },
    runs(120_000, 2_700_000),
  )
})
