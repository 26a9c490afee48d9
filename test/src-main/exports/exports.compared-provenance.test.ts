import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import readSheets from 'read-excel-file/node'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { systemClock } from '#main/lib/async.ts'
import type { Accounts } from '#main/accounts/accounts.ts'
import { doubtWords } from '#shared/reports/answer.ts'
import { plainTable } from '#shared/reports/query.ts'
import type { TableQuery } from '#shared/reports/query.ts'
import { day } from '#shared/values/day.ts'
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

const shown = { start: day('2026-11-08'), end: day('2026-11-14') }
const doubted = { start: day('2026-11-01'), end: day('2026-11-07') }
const partly = { start: day('2026-10-25'), end: day('2026-10-31') }
const columns = ['Source', 'Requests']
const sourcesOf = (range: DayRange): TableQuery => ({
  ...plainTable,
  ...{ family: 'script', dimension: 'sources', range, limit: 1000 },
})

it('says in every form what is known of the days compared with, and does not say it of those shown', async () => {
  let max = 1000
  const desk = await sandboxDesk(running, { mostCalls: () => Promise.resolve(max) })
  // "search" counts what is of "Search", and the other way round.
  await running.behave({ filterCase: 'any' })
  await desk.ask(sourcesOf(doubted), true)
  await running.behave({ filterCase: 'apart' })
  max = 4
  await desk.ask(sourcesOf(partly), true)
  // Those shown are newer.
  desk.clock.moved += 3_600_000
  max = 1000
  const { provenance } = await desk.ask(sourcesOf(shown), true)
  expect(provenance).toMatchObject({ doubt: null, failure: null })
  const fetchedAt = new Date(provenance.fetchedAt).toISOString()

  const exported = async (format: 'csv' | 'xlsx' | 'json', before: DayRange) => {
    const folder = temporaryFolder()
    const { run } = exportsTo(folder, {
      ...{
        reports: desk.reports,
        accounts: fake<Accounts>('accounts', { ...ownBook, account: () => desk.account() }),
      },
      clock: { ...systemClock, now: desk.clock.now },
    })
    const order = { kind: 'table', format, rows: 'all', query: sourcesOf(shown), columns, before } as const
    const state = await run(order)
    if (state.kind !== 'done' || state.file === null) throw new Error(JSON.stringify(state))
    return join(folder, state.file)
  }
  const jsonOf = async (before: DayRange) => {
    const read: unknown = JSON.parse(readFileSync(await exported('json', before), 'utf8'))
    return read
  }
  const aboutOf = async (before: DayRange) => {
    const sheets = await readSheets(readFileSync(await exported('xlsx', before)))
    return sheets.find(({ sheet }) => sheet === 'About')?.data.map(([name, value]) => [name, value])
  }

  expect(await exported('csv', doubted)).toMatch(/ \(comparison does not add up\)\.csv$/)
  const words = doubtWords['rows-do-not-add-up']
  expect(await aboutOf(doubted)).toContainEqual(['Does not add up (2026-11-01 to 2026-11-07)', words])
  expect(await jsonOf(doubted)).toMatchObject({
    ...{ doubt: null, fetchedAt },
    compared: { doubt: 'rows-do-not-add-up', composed: null, missing: [], restated: null },
  })

  expect(await exported('csv', partly)).toMatch(/ \(comparison partial\)\.csv$/)
  const said = expect.stringMatching(/^3 of \d+ sources\. The others are part of /) as unknown
  expect(await aboutOf(partly)).toContainEqual(['Not all loaded (2026-10-25 to 2026-10-31)', said])
  expect(await jsonOf(partly)).toMatchObject({
    ...{ composed: null, partial: false, fetchedAt },
    compared: { composed: { asked: 3, unit: 'sources' }, partial: true, doubt: null },
  })
}, 60_000)
