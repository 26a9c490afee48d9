import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import Papa from 'papaparse'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '#main/lib/async.ts'
import { plainBehaviour } from '#main/sandbox/contracts.ts'
import type { Accounts } from '#main/accounts/accounts.ts'
import type { ReportAnswer } from '#shared/reports/answer.ts'
import { plainTable } from '#shared/reports/query.ts'
import type { TableQuery } from '#shared/reports/query.ts'
import { labelText } from '#shared/reports/rows.ts'
import { day } from '#shared/values/day.ts'
import { runningSandbox } from '#test/helpers/running-sandbox.ts'
import type { RunningSandbox } from '#test/helpers/running-sandbox.ts'
import { fake } from '#test/helpers/fake.ts'
import { firstId } from '../database/helpers.ts'
import { exportsTo, ownBook, temporaryFolder } from '../exports/helpers.ts'
import { sandboxDesk } from './sandbox-desk.ts'
import type { SandboxDesk } from './sandbox-desk.ts'

let running: RunningSandbox
beforeAll(async () => {
  running = await runningSandbox()
})
afterAll(() => running.close())
afterEach(async () => {
  const { ties, labelSort, growing, rowsPerPage, sortColumnsFrom } = plainBehaviour
  await running.behave({ ties, labelSort, growing, rowsPerPage, sortColumnsFrom })
})

const settled = { start: day('2026-11-15'), end: day('2026-11-15') }
const today = { start: day('2026-11-20'), end: day('2026-11-20') }
const table = { ...plainTable, family: 'script', limit: 1000, whole: true } as const
const hosts: TableQuery = { ...table, dimension: 'referrers', range: settled }
const countries: TableQuery = { ...table, dimension: 'geography', range: today }

const rowsOf = ({ figures }: ReportAnswer) => ('table' in figures ? figures.table.rows : [])
const namesOf = (answer: ReportAnswer) => rowsOf(answer).map(({ label }) => labelText(label))

/** Every name of a table, as the sandbox gives it on one page. */
async function allNames({ dimension, range }: TableQuery): Promise<readonly string[]> {
  const path = dimension === 'geography' ? 'script/geography' : 'script/referrers'
  const { answer } = await running.client().call(path, { ...range, limit: 1000 })
  expect(answer.query.pages).toBe(1)
  return answer.table.rows.map(({ label }) => labelText(label))
}

/** Saves all rows of a table as CSV. @returns its name and its names of rows */
async function exported(desk: SandboxDesk, query: TableQuery, header: string) {
  const folder = temporaryFolder()
  const { run } = exportsTo(folder, {
    ...{
      reports: desk.reports,
      accounts: fake<Accounts>('accounts', { ...ownBook, account: () => desk.account() }),
    },
    clock: { ...systemClock, now: desk.clock.now },
  })
  const order = { kind: 'table', format: 'csv', rows: 'all', query, columns: [header, 'Good'] } as const
  const state = await run(order)
  if (state.kind !== 'done' || state.file === null) throw new Error(JSON.stringify(state))
  const text = readFileSync(join(folder, state.file), 'utf8').replace('\ufeff', '')
  // The row for all comes first.
  // The row for all comes first.
  const { data } = Papa.parse<Record<string, string>>(text, { header: true, skipEmptyLines: true })
  return {
    file: state.file,
    names: data.slice(1).map((row) => row[header] ?? ''),
  }
}

describe('rows of equal count that come in another order with each request', () => {
  it.each([0, 1] as const)(
    'stand once each, on the whole table, page by page and in a file; columns counted from %i',
    async (sortColumnsFrom) => {
      const names = (await allNames(hosts)).toSorted()
      expect(new Set(names).size).toBe(names.length)
      expect(names.length).toBeGreaterThan(500)
      const pages = Math.ceil(names.length / 60)
      await running.behave({ ties: 'shuffled', sortColumnsFrom })
      const page: TableQuery = { ...hosts, limit: 60, whole: false }
      const sorts: readonly TableQuery['sort'][] = [
        [],
        [
          { header: 'Bad', direction: 'desc' },
          { header: 'Mobile', direction: 'asc' },
        ],
      ]
      for (const sort of sorts) {
        const desk = await sandboxDesk(running)
        const seen: string[] = []
        for (let nth = 1; nth <= pages; nth += 1)
          seen.push(...namesOf(await desk.ask({ ...page, sort, page: nth })))
        expect(seen.toSorted()).toEqual(names)
      }
      await running.behave({ rowsPerPage: 60 })
      const desk = await sandboxDesk(running, { traits: { firstColumn: sortColumnsFrom } })
      await desk.asked()
      const whole = await desk.ask(hosts)
      expect(whole.provenance).toMatchObject({ doubt: null, failure: null })
      expect(await desk.asked()).toHaveLength(pages)
      expect(namesOf(whole).toSorted()).toEqual(names)
      const { file, names: inFile } = await exported(desk, hosts, 'Host')
      expect(inFile.toSorted()).toEqual(names)
      expect(file).not.toContain('does not add up')
    },
  )

  it.each(['ignored', 'refused'] as const)(
    'are counted once where a sort by label is %s, and it is said that some did not come',
    async (labelSort) => {
      const names = new Set(await allNames(hosts))
      await running.behave({ ties: 'shuffled', labelSort, rowsPerPage: 60 })
      const desk = await sandboxDesk(running)
      const answer = await desk.ask(hosts)
      expect(answer.provenance).toMatchObject({ doubt: 'fewer-rows', failure: null })
      const came = namesOf(answer)
      expect(new Set(came).size).toBe(came.length)
      expect(came.length).toBeLessThan(names.size)
      expect(came.filter((name) => !names.has(name))).toEqual([])
      const { file, names: inFile } = await exported(desk, hosts, 'Host')
      expect(inFile.toSorted()).toEqual(came.toSorted())
      expect(file).toContain('does not add up')
    },
  )
})

describe('counts of today that grow with each request', () => {
  it('give a table of three pages that has each label once and is of different moments, in a file too', async () => {
    const names = (await allNames(countries)).toSorted()
    await running.behave({ growing: true, rowsPerPage: 4 })
    const desk = await sandboxDesk(running)
    await desk.asked()
    const answer = await desk.ask(countries)
    expect(answer.provenance).toMatchObject({ doubt: 'moments-differ', failure: null, missing: [] })
    expect(namesOf(answer).toSorted()).toEqual(names)
    expect((await desk.asked()).length).toBeLessThanOrEqual(9)
    const { file, names: inFile } = await exported(desk, countries, 'Country')
    expect(inFile.toSorted()).toEqual(names)
    expect(file).toContain('in progress, does not add up')
  })

  it('say so where they are added to other days', async () => {
    await running.behave({ growing: true, rowsPerPage: 4 })
    const desk = await sandboxDesk(running)
    const both = { ...countries, range: { start: day('2026-11-19'), end: today.end } }
    await desk.reports.storeWhole({
      ...{ account: firstId, query: both, progress: () => undefined },
      signal: new AbortController().signal,
    })
    const answer = await desk.ask(both)
    expect(answer.provenance).toMatchObject({ from: 'computed', doubt: 'moments-differ' })
  })

  it('give each label once where rows cannot be sorted by it, and say that some may be missing', async () => {
    const query = { ...hosts, range: today }
    await running.behave({ growing: true, rowsPerPage: 25, labelSort: 'refused' })
    const desk = await sandboxDesk(running)
    const answer = await desk.ask(query)
    expect(answer.provenance.failure).toBeNull()
    expect(['rows-moved', 'moments-differ']).toContain(answer.provenance.doubt)
    const came = namesOf(answer)
    expect(new Set(came).size).toBe(came.length)
    expect((await exported(desk, query, 'Host')).names.toSorted()).toEqual(came.toSorted())
  })
})
