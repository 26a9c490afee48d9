import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { firstColumnOf } from '#main/reports/pages/answers.ts'
import { noWindows } from '#shared/accounts/account.ts'
import { plainTable } from '#shared/reports/query.ts'
import type { TableQuery } from '#shared/reports/query.ts'
import type { Cell, Table } from '#shared/api/answers.ts'
import { day } from '#shared/values/day.ts'
import { runningSandbox } from '#test/helpers/running-sandbox.ts'
import type { RunningSandbox } from '#test/helpers/running-sandbox.ts'
import { sandboxDesk } from '../sandbox-desk.ts'

const standard = ['Browser', 'Requests', 'Suspect']

const table = (...rows: readonly (readonly [string, ...Cell[]])[]): Table => ({
  headers: ['Browser', 'Requests', 'Requests Rate', 'Suspect'],
  all: null,
  rows: rows.map(([text, ...cells]) => ({ label: { kind: 'text', text }, cells })),
})

describe('what columns are counted from', () => {
  it('shows by the only reading under which the rows stand in the order that was asked for', () => {
    expect(firstColumnOf(table(['a', 3, 1, 1], ['b', 2, 1, 2]), standard, [])).toBe(0)
    expect(firstColumnOf(table(['b', 2, 1, 1], ['a', 3, 1, 2]), standard, [])).toBe(1)
    const bySecond = [{ column: 2, direction: 'desc' }] as const
    expect(firstColumnOf(table(['a', 2, 1, 9], ['b', 3, 1, 8]), standard, bySecond)).toBe(0)
    expect(firstColumnOf(table(['a', 3, 1, 8], ['b', 2, 1, 9]), standard, bySecond)).toBe(1)
  })

  it('is found by header, whatever stands between them', () => {
    const last = [{ column: 2, direction: 'asc' }] as const
    expect(firstColumnOf(table(['a', 9, 5, 0], ['b', 8, 9, 1]), standard, last)).toBe(0)
  })

  it.each<[string, readonly Cell[]]>([
    ['first', [null, 0, 3]],
    ['last', [0, 3, null]],
    ['among zeros', [0, null, 0]],
  ])('shows by the counts that are there, where null stands %s', (_, [a = 0, b = 0, c = 0]) => {
    const bySecond = [{ column: 2, direction: 'asc' }] as const
    const falling = table(['a', 9, 1, a], ['b', 8, 1, b], ['c', 7, 1, c])
    expect(firstColumnOf(falling, standard, bySecond)).toBe(0)
    // The requests rise as well: nothing tells that it is not they that were sorted by.
    const rising = table(['a', 7, 1, a], ['b', 8, 1, b], ['c', 9, 1, c])
    expect(firstColumnOf(rising, standard, bySecond)).toBeNull()
  })

  it.each([
    ['both readings fit', table(['b', 2, 1, 1], ['a', 1, 1, 2])],
    ['neither fits', table(['a', 1, 1, 1], ['b', 2, 1, 2])],
    ['there is one row', table(['a', 1, 1, 1])],
    ['there is none', table()],
  ])('does not show where %s', (_, rows) => {
    expect(firstColumnOf(rows, standard, [])).toBeNull()
  })
})

describe('a service that counts columns from 1', () => {
  let running: RunningSandbox
  beforeAll(async () => {
    running = await runningSandbox()
  })
  afterAll(() => running.close())
  beforeEach(async () => {
    await running.behave({ sortColumnsFrom: 0 })
    await running.control('DELETE', '/requests')
  })

  const browsers: TableQuery = {
    ...plainTable,
    family: 'script',
    dimension: 'browsers',
    range: { start: day('2026-11-03'), end: day('2026-11-09') },
    limit: 5,
  }
  const requests = (answer: { readonly figures: object }) =>
    'table' in answer.figures ? (answer.figures.table as Table).rows.map(({ cells }) => cells[0]) : []

  it('is found out by its first answer, and asked again in its own numbers', async () => {
    const { ask, account, asked } = await sandboxDesk(running)
    const right = requests(await ask(browsers))
    expect(account().firstColumn).toBe(0)
    expect(await asked()).toHaveLength(1)
    await running.behave({ sortColumnsFrom: 1 })
    const other = await sandboxDesk(running)
    expect(requests(await other.ask(browsers))).toEqual(right)
    expect(other.account().firstColumn).toBe(1)
    // It has no column 0 by which rows of equal count could stand.
    expect(await other.asked()).toHaveLength(3)
    await other.ask({ ...browsers, page: 2 })
    expect(await other.asked()).toHaveLength(1)
  })

  it('and changes that later is noticed; what stood in the wrong order is asked for anew', async () => {
    await running.behave({ sortColumnsFrom: 1 })
    const { ask, account, asked } = await sandboxDesk(running, {
      traits: { windows: noWindows, firstColumn: 0 },
    })
    const sorted = { ...browsers, sort: [{ header: 'Mobile', direction: 'desc' }] } as const
    await ask(sorted)
    expect(account().firstColumn).toBe(1)
    await running.behave({ sortColumnsFrom: 0 })
    await ask({ ...sorted, page: 2, sort: [{ header: 'Browser', direction: 'desc' }] })
    expect(account().firstColumn).toBe(0)
    await asked()
    expect((await ask(sorted)).provenance.from).toBe('service')
    expect(await asked()).toHaveLength(1)
  })

  it('is found out by a number that it refuses', async () => {
    await running.behave({ sortColumnsFrom: 1 })
    const { ask, account } = await sandboxDesk(running)
    const answer = await ask({ ...browsers, sort: [{ header: 'Browser', direction: 'asc' }] })
    expect(answer.provenance.from).toBe('service')
    expect(account()).toMatchObject({ firstColumn: 1, windows: noWindows })
  })
})
