import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { labelKey, labelText, sumOfRows } from '#shared/reports/rows.ts'
import { answerKey, plainTable } from '#shared/reports/query.ts'
import type { OverviewQuery, ReportQuery, TableQuery } from '#shared/reports/query.ts'
import { day } from '#shared/values/day.ts'
import { noWindows } from '#shared/accounts/account.ts'
import { runningSandbox } from '#test/helpers/running-sandbox.ts'
import type { RunningSandbox } from '#test/helpers/running-sandbox.ts'
import { fake } from '#test/helpers/fake.ts'
import type { Accounts } from '#main/accounts/accounts.ts'
import { exportsTo, ownBook } from '../exports/helpers.ts'
import { account, firstId, temporaryFolder } from '../database/helpers.ts'
import { sandboxDesk } from './sandbox-desk.ts'
import type { SandboxDesk } from './sandbox-desk.ts'

let running: RunningSandbox
beforeAll(async () => {
  running = await runningSandbox()
})
afterAll(() => running.close())

const range = { start: day('2026-11-02'), end: day('2026-11-04') }
const earlier = { start: day('2026-10-30'), end: day('2026-11-01') }
const later = { start: day('2026-11-05'), end: day('2026-11-07') }
const table: TableQuery = {
  ...plainTable,
  ...{ family: 'script', dimension: 'networks', range, limit: 1000, whole: true },
}
const overview: OverviewQuery = {
  ...{ kind: 'overview', family: 'script', range, chart: true },
  ...{ instance: null, source: null, campaign: null },
}

/** Asks, and waits until what comes behind the answer is there. */
async function settled(desk: SandboxDesk, query: ReportQuery, force: boolean): Promise<void> {
  const changed = desk.until(`changed ${answerKey(query)}`)
  const { provenance } = await desk.ask(query, force)
  if (provenance.refreshing) await changed
}

type Bad = ReadonlyMap<string, number>

/** Bad requests of each network over the same days, as five views tell them, and of all of them. */
async function fiveViews(desk: SandboxDesk, exported: () => Promise<Bad>) {
  const answer = await desk.ask(table)
  if (answer.kind !== 'table') throw new TypeError('Not a table')
  const { headers, rows } = answer.figures.table
  const place = headers.indexOf('Bad') - 1
  const names = new Map(rows.map(({ label }) => [labelKey(label), labelText(label)]))
  const report: Bad = new Map(rows.map(({ label, cells }) => [labelText(label), Number(cells[place])]))
  const cards = await desk.ask(overview)
  const compared = await desk.reports.before({
    ...{ account: firstId, query: { ...table, range: later }, before: table.range, isWhole: true },
    ...{ labels: [...names.keys()], force: false },
  })
  const rowsThen = compared.sides?.before
  const beforePlace = (rowsThen?.headers.indexOf('Bad') ?? 0) - 1
  const before: Bad = new Map(
    [...names.values()].map((name, row) => [name, Number(rowsThen?.rows[row]?.[beforePlace])]),
  )
  const movers = (query: TableQuery, than: typeof range) =>
    desk.reports.movers({
      ...{ account: firstId, query, before: than, header: 'Bad', max: 50, force: false },
    })
  const now = await movers(table, earlier)
  const then = await movers({ ...table, range: later }, range)
  const all = sumOfRows(answer.figures.table)[place]
  return {
    report,
    sums: [
      all,
      answer.figures.table.all?.cells[place],
      answer.figures.total['bad'],
      cards.figures.total['bad'],
    ],
    before,
    moved: [
      ...[...now.up, ...now.down].map((each): [string, number] => [labelText(each.label), each.now ?? 0]),
      ...[...then.up, ...then.down].map((each): [string, number] => [
        labelText(each.label),
        each.before ?? 0,
      ]),
    ],
    exported: await exported(),
  }
}

it('tells the same figures of the same days in five views, also once they were restated', async () => {
  await running.behave({ windows: noWindows, charts: 'all', restated: [] })
  const desk = await sandboxDesk(running)
  const folder = temporaryFolder()
  const exporting = exportsTo(folder, {
    accounts: fake<Accounts>('accounts', { ...ownBook, account: () => account() }),
    reports: desk.reports,
  })
  const exported = async (): Promise<Bad> => {
    const columns = ['Network', 'Requests', 'Bad']
    const order = { kind: 'table', format: 'json', rows: 'all', query: table, columns } as const
    const state = await exporting.run(order)
    if (state.kind !== 'done' || state.file === null) throw new Error(JSON.stringify(state))
    const written = JSON.parse(readFileSync(join(folder, state.file), 'utf8')) as {
      rows: { Network: string; Bad: number }[]
    }
    return new Map(written.rows.map(({ Network, Bad }) => [Network, Bad]))
  }

  async function areEqual(): Promise<Bad> {
    const { report, sums, before, moved, exported: written } = await fiveViews(desk, exported)
    expect(report.size).toBeGreaterThan(10)
    expect(new Set(sums).size, String(sums)).toBe(1)
    expect(before).toEqual(report)
    expect(written).toEqual(report)
    expect(moved.length).toBeGreaterThan(10)
    for (const [name, count] of moved) expect([name, count]).toEqual([name, report.get(name) ?? 0])
    return report
  }

  const first = await areEqual()
  await running.behave({ restated: [range.start, range.end] })
  // What is settled is not asked for again by itself: nothing mixes two states of it.
  expect(await areEqual()).toEqual(first)
  desk.clock.moved += 60_000
  await settled(desk, table, true)
  // Whoever opens another view of these days sees it ask for newer figures by itself.
  await settled(desk, overview, false)
  const second = await areEqual()
  expect(second).not.toEqual(first)
})
