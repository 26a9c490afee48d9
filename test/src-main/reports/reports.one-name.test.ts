import { readFileSync, rmSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readSnapshotRows } from '#shared/exports/columns.ts'
import type { SnapshotForm } from '#shared/exports/columns.ts'
import { instanceText } from '#shared/api/instance-names.ts'
import { labelText } from '#shared/reports/rows.ts'
import { plainTable } from '#shared/reports/query.ts'
import type { TableQuery } from '#shared/reports/query.ts'
import { day } from '#shared/values/day.ts'
import { runningSandbox } from '#test/helpers/running-sandbox.ts'
import type { RunningSandbox } from '#test/helpers/running-sandbox.ts'
import { firstId } from '../database/helpers.ts'
import { sandboxDesk } from './sandbox-desk.ts'

let running: RunningSandbox
beforeAll(async () => {
  running = await runningSandbox()
  await running.behave({ oneName: true })
})
afterAll(() => running.close())

const range = { start: day('2026-11-02'), end: day('2026-11-03') }
const before = { start: day('2026-10-31'), end: day('2026-11-01') }
const query: TableQuery = {
  ...plainTable,
  ...{ family: 'script', dimension: 'sessions', range, limit: 1000, whole: true },
}
/** The two instances that have one name, as they are told apart. */
const both = ['Northwind News (4101)', 'Northwind News (4117)']
const ofBoth = (names: readonly string[]) => names.filter((name) => name.startsWith('Northwind')).sort()

it('tells two instances of one name apart by their ids, in every answer', async () => {
  const desk = await sandboxDesk(running)
  const { reports } = desk
  const page = { account: firstId, name: null, page: 1, limit: 1000 }
  const { instances } = (await reports.instances(page)).answer
  expect(ofBoth(instances.map(instanceText))).toEqual(both)
  // One of them alone, as a search for the other's traffic finds it, has its id as well.
  const names = await reports.handlers['lookups/names']({ account: firstId })
  expect(ofBoth(names.instances.map(instanceText))).toEqual(both)

  const answer = await desk.ask(query)
  if (answer.kind !== 'table') throw new TypeError('Not a table')
  const { rows } = answer.figures.table
  expect(ofBoth(rows.map(({ label }) => labelText(label)))).toEqual(both)
  const alone = await desk.ask({ ...query, without: ['instance 4101'] })
  if (alone.kind !== 'table') throw new TypeError('Not a table')
  expect(ofBoth(alone.figures.table.rows.map(({ label }) => labelText(label)))).toEqual(both.slice(1))
  expect(alone.figures.table.rows).toHaveLength(rows.length - 1)

  const moved = { account: firstId, query, before, header: 'Requests', min: 0, max: 50, force: false }
  const { up, down } = await reports.movers(moved)
  expect(ofBoth([...up, ...down].map(({ label }) => labelText(label)))).toEqual(both)

  const snapshot = async (form: SnapshotForm) => {
    const request = { account: firstId, query, before: null, columns: null, form }
    const found = await reports.snapshot(request, new AbortController().signal)
    if (found.kind !== 'file') throw new TypeError('No file')
    const text = readFileSync(found.file.path, 'utf8')
    rmSync(found.file.path)
    return text
  }
  const lines = (await snapshot('rows')).split(/\r?\n/).filter((line) => line !== '')
  expect(ofBoth(readSnapshotRows(lines).map(({ label }) => labelText(label)))).toEqual(both)
  const csv = await snapshot('comma')
  for (const name of both) expect(csv).toContain(`"${name}"`)
}, 60_000)
