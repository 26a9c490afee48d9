import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { noWindows } from '#shared/accounts/account.ts'
import { plainTable } from '#shared/reports/query.ts'
import type { TableQuery } from '#shared/reports/query.ts'
import { day } from '#shared/values/day.ts'
import { firstId, temporaryFolder } from '#test/src-main/database/helpers.ts'
import { runningSandbox } from '#test/helpers/running-sandbox.ts'
import type { RunningSandbox } from '#test/helpers/running-sandbox.ts'
import { sandboxDesk } from '../sandbox-desk.ts'

let running: RunningSandbox
beforeAll(async () => {
  running = await runningSandbox()
})
afterAll(() => running.close())
beforeEach(async () => {
  await running.control('DELETE', '/faults')
  await running.behave({ windows: noWindows, restated: [] })
})

const range = { start: day('2026-11-08'), end: day('2026-11-10') }
const table = (more: Partial<TableQuery>): TableQuery => ({
  ...plainTable,
  ...{ family: 'script', dimension: 'geography', range },
  ...more,
})
const away = { path: null, times: null, does: { kind: 'reset' } }

/** What the service itself answers, whole. */
async function rowsOf(
  path: 'script/geography' | 'script/browsers',
  limit: number,
): Promise<readonly string[]> {
  const client = running.client({})
  try {
    const { answer } = await client.call(path, { ...range, limit })
    return answer.table.rows.flatMap(({ label }) => (label.kind === 'text' ? [label.text] : []))
  } finally {
    await client.close()
  }
}

const sorted = (names: readonly string[] | undefined) => [...(names ?? [])].sort()

describe('names that are known', () => {
  it('are all rows of whole tables, those of pages, and of lists; without a call, and with the service away', async () => {
    const { ask, reports, calls } = await sandboxDesk(running)
    await ask(table({ whole: true, limit: 1000 }))
    await ask(table({ dimension: 'browsers' }))
    await reports.instances({ account: firstId, name: null, page: 1, limit: 1000 })
    await reports.handlers['lookups/sources']({
      account: firstId,
      range,
      instance: null,
      source: null,
      page: 1,
      limit: 20,
    })
    const [countries, browsers] = [
      await rowsOf('script/geography', 1000),
      await rowsOf('script/browsers', 20),
    ]
    await running.fault(away)
    calls()
    const { instances, names } = await reports.handlers['lookups/names']({ account: firstId })
    expect(calls()).toEqual([])
    expect(countries.length).toBeGreaterThan(5)
    expect(sorted(names.geography)).toEqual(sorted(countries))
    expect(names.browsers).toEqual(expect.arrayContaining([...browsers]))
    expect(instances.length).toBeGreaterThan(0)
    expect(names.sources?.length).toBeGreaterThan(0)
    expect(names.sessions).toBeUndefined()
  })

  it('are none where nothing is stored', async () => {
    const { reports } = await sandboxDesk(running)
    expect(await reports.handlers['lookups/names']({ account: firstId })).toEqual({
      instances: [],
      names: {},
    })
  })

  it('are those of sound files where others are gone', async () => {
    const folder = temporaryFolder()
    const { ask, reports, files } = await sandboxDesk(running, { folder })
    const first = { start: range.start, end: range.start }
    await ask(table({ whole: true, limit: 1000, range: first }))
    const [gone] = files()
    await ask(table({ whole: true, limit: 1000, range: { start: range.end, end: range.end } }))
    rmSync(join(folder, 'history', gone ?? ''))
    const { names } = await reports.handlers['lookups/names']({ account: firstId })
    expect(names.geography?.length).toBeGreaterThan(5)
  })
})
