import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import Papa from 'papaparse'
import readSheets from 'read-excel-file/node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '#main/lib/async.ts'
import type { Accounts } from '#main/accounts/accounts.ts'
import { plainTable } from '#shared/reports/query.ts'
import type { OverviewQuery, TableQuery } from '#shared/reports/query.ts'
import { day, daysOf } from '#shared/values/day.ts'
import type { DayRange } from '#shared/values/day.ts'
import { runningSandbox } from '#test/helpers/running-sandbox.ts'
import type { RunningSandbox } from '#test/helpers/running-sandbox.ts'
import { fake } from '#test/helpers/fake.ts'
import { sandboxDesk } from '../reports/sandbox-desk.ts'
import { exportsTo, ownBook, temporaryFolder } from './helpers.ts'

let running: RunningSandbox
beforeAll(async () => {
  running = await runningSandbox()
})
afterAll(() => running.close())

const hour = 3_600_000
const today = day('2026-11-20')
const soFar = { start: day('2026-11-16'), end: today }
const weekBefore = { start: day('2026-11-09'), end: day('2026-11-13') }
const columns = ['Browser', 'Requests', 'Bad']
const browsers: TableQuery = {
  ...plainTable,
  ...{ family: 'script', dimension: 'browsers', range: soFar, whole: true },
}
const overview: OverviewQuery = {
  ...{ kind: 'overview', family: 'script', range: soFar, chart: true },
  ...{ instance: null, source: null, campaign: null },
}

/** Bad requests over some days, day by day. */
async function badOf(range: DayRange): Promise<number> {
  const client = running.client()
  const each = daysOf(range).map((start) => client.call('script/overview', { start, end: start }))
  return (await Promise.all(each)).reduce((all, { answer }) => all + Number(answer.total['bad']), 0)
}

/** Exports of a desk at noon of the day that runs, or so much later. */
async function exportsAt(moved: number) {
  const desk = await sandboxDesk(running)
  desk.clock.moved = moved
  const folder = temporaryFolder()
  const { run, copied } = exportsTo(folder, {
    ...{
      reports: desk.reports,
      accounts: fake<Accounts>('accounts', { ...ownBook, account: () => desk.account() }),
    },
    clock: { ...systemClock, now: desk.clock.now },
  })
  const file = async (order: Parameters<typeof run>[0]) => {
    const state = await run(order)
    if (state.kind !== 'done') throw new Error(JSON.stringify(state))
    return state.file === null ? '' : join(folder, state.file)
  }
  return { file, copied }
}

const csv = (path: string) =>
  Papa.parse<Record<string, string>>(readFileSync(path, 'utf8').replace('\ufeff', ''), { header: true }).data

describe.each([
  ['half an hour after midnight', -11.5 * hour],
  ['at noon', 0],
])('a comparison with a day that runs, %s', (_when, moved) => {
  const table = { kind: 'table', rows: 'all', query: browsers, columns, before: weekBefore } as const

  it('is of the days that are over, and says so in every file and in the clipboard', async () => {
    const now = await badOf({ start: soFar.start, end: day('2026-11-19') })
    const then = await badOf({ start: weekBefore.start, end: day('2026-11-12') })
    const { file, copied } = await exportsAt(moved)
    const [all] = csv(await file({ ...table, format: 'csv' }))
    expect(Number(all?.['Bad before'])).toBe(then)
    expect(Number(all?.['Bad change until 2026-11-19'])).toBe(now - then)
    await file({ ...table, format: 'clipboard' })
    const [headers, first] = (copied[0] ?? '').split('\n').map((line) => line.split('\t'))
    expect(headers).toContain('Bad change % until 2026-11-19')
    expect(copied[0]).toContain(
      'Compared with\t2026-11-09 to 2026-11-12. Compares 2026-11-16 to 2026-11-19 with',
    )
    expect(first?.[headers?.indexOf('Bad change until 2026-11-19') ?? -1]).toBe(String(now - then))
    const read: unknown = JSON.parse(readFileSync(await file({ ...table, format: 'json' }), 'utf8'))
    expect(read).toMatchObject({
      all: { 'Bad change until 2026-11-19': now - then },
      compared: {
        range: { ...weekBefore, end: '2026-11-12' },
        periods: { now: { ...soFar, end: '2026-11-19' }, leftOut: [today] },
      },
    })
    const sheets = await readSheets(readFileSync(await file({ ...table, format: 'xlsx' })))
    const about = sheets.find(({ sheet }) => sheet === 'About')?.data
    expect(about).toContainEqual([
      'Compared with',
      '2026-11-09 to 2026-11-12. Compares 2026-11-16 to 2026-11-19 with 2026-11-09 to 2026-11-12. ' +
        'Left out: 2026-11-20, still in progress.',
    ])
    const cards = csv(
      await file({ kind: 'overview', format: 'csv', queries: [overview], before: weekBefore }),
    )
    const bad = cards.find(({ Figure }) => Figure === 'Script: Bad')
    expect(Number(bad?.['Count change until 2026-11-19'])).toBe(now - then)
  })
})

describe('a comparison of periods of unequal length', () => {
  it('is per day, and its headers and facts say so', async () => {
    const week = { start: day('2026-11-13'), end: day('2026-11-19') }
    const before = { start: day('2026-10-16'), end: day('2026-11-12') }
    const [now, then] = [(await badOf(week)) / 7, (await badOf(before)) / 28]
    const { file } = await exportsAt(0)
    const query = { ...browsers, range: week }
    const table = { kind: 'table', rows: 'all', query, columns, before } as const
    const [all] = csv(await file({ ...table, format: 'csv' }))
    expect(all?.['Bad change']).toBeUndefined()
    expect(Number(all?.['Bad change per day'])).toBeCloseTo(now - then, 9)
    expect(Number(all?.['Bad change % per day'])).toBeCloseTo(((now - then) / then) * 100, 9)
    const sheets = await readSheets(readFileSync(await file({ ...table, format: 'xlsx' })))
    expect(sheets.find(({ sheet }) => sheet === 'About')?.data).toContainEqual([
      'Compared with',
      '2026-10-16 to 2026-11-12. Changes are per day: 7 days against 28.',
    ])
    const cards = csv(
      await file({
        ...{ kind: 'overview', format: 'csv', before },
        queries: [{ ...overview, range: week }],
      }),
    )
    const bad = cards.find(({ Figure }) => Figure === 'Script: Bad')
    expect(Number(bad?.['Count change per day'])).toBeCloseTo(now - then, 9)
  })
})

describe('a comparison of nothing but a day that runs', () => {
  it('has no columns, and says why', async () => {
    const { file } = await exportsAt(0)
    const query = { ...browsers, range: { start: today, end: today } }
    const before = { start: day('2026-11-19'), end: day('2026-11-19') }
    const table = { kind: 'table', rows: 'all', query, columns, before } as const
    const [all] = csv(await file({ ...table, format: 'csv' }))
    expect(Object.keys(all ?? {})).toEqual(columns)
    const sheets = await readSheets(readFileSync(await file({ ...table, format: 'xlsx' })))
    expect(sheets.find(({ sheet }) => sheet === 'About')?.data).toContainEqual([
      'Compared with',
      '2026-11-19. Nothing is compared: 2026-11-20 is still in progress.',
    ])
  })
})
