import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { noWindows } from '#shared/accounts/account.ts'
import { answerKey, plainTable } from '#shared/reports/query.ts'
import type { TableQuery } from '#shared/reports/query.ts'
import { day, daysOf } from '#shared/values/day.ts'
import { hundredths } from '#test/helpers/hundredths.ts'
import { runningSandbox } from '#test/helpers/running-sandbox.ts'
import type { RunningSandbox } from '#test/helpers/running-sandbox.ts'
import { sandboxDesk } from './sandbox-desk.ts'

let running: RunningSandbox
beforeAll(async () => {
  running = await runningSandbox()
})
afterAll(() => running.close())
beforeEach(async () => {
  await running.control('DELETE', '/faults')
  await running.behave({ windows: { ...noWindows, tables: 7 }, restated: [] })
  await running.control('DELETE', '/requests')
})

const limited = { traits: { windows: { ...noWindows, tables: 7 } } }

const month: TableQuery = {
  ...plainTable,
  family: 'script',
  dimension: 'devices',
  range: { start: day('2026-10-21'), end: day('2026-11-20') },
  limit: 1000,
}

const away = { path: null, times: null, does: { kind: 'reset' } }

describe('a range that is fetched day by day', () => {
  it('is given up at 14 of 31 days: what has come is shown with what is missing, and stays', async () => {
    const { ask, asked, cancel, until, clock } = await sandboxDesk(running, limited)
    // So many are answered; the others are waited for until it is given up.
    const path = 'script/devices'
    await running.fault({ path, times: 14, does: { kind: 'delay', milliseconds: 1 } })
    await running.fault({ path, times: null, does: { kind: 'delay', milliseconds: 600_000 } })
    const waiting = ask(month)
    await until('14 of 31 days')
    cancel(month)
    const partial = await waiting
    await running.control('DELETE', '/faults')
    const { missing } = partial.provenance
    expect(missing).toHaveLength(17)
    expect(partial.provenance).toMatchObject({ from: 'computed', failure: { kind: 'cancelled' } })
    const there = daysOf(month.range).filter((each) => !missing.includes(each))
    const each = await Promise.all(there.map((start) => ask({ ...month, range: { start, end: start } })))
    const good = each.reduce((sum, { figures }) => sum + Number(figures.total.good ?? 0), 0)
    expect(partial.figures.total.good).toBe(good)

    await asked()
    clock.moved += 31_000
    const whole = await ask(month)
    expect(whole.provenance.missing).toEqual([])
    expect(await asked()).toHaveLength(missing.length)
  }, 60_000)

  it('is given up while it is computed from what is saved', async () => {
    const { ask, cancel } = await sandboxDesk(running, limited)
    await ask(month)
    const sorted = { ...month, sort: [{ header: 'Bad', direction: 'asc' }] } as const
    const waiting = ask(sorted)
    cancel(sorted)
    await expect(waiting).rejects.toMatchObject({ failure: { kind: 'cancelled' } })
    expect((await ask(sorted)).provenance.missing).toEqual([])
  })

  it('of which nothing has come yet is given up as cancelled', async () => {
    const { ask, cancel, asked } = await sandboxDesk(running, limited)
    const waiting = ask(month)
    cancel(month)
    await expect(waiting).rejects.toMatchObject({ failure: { kind: 'cancelled' } })
    expect(await asked()).toEqual([])
  })

  it('is not taken from others who wait for the same days', async () => {
    const { ask, cancel } = await sandboxDesk(running, limited)
    const sorted = { ...month, sort: [{ header: 'Bad', direction: 'desc' }] } as const
    const first = ask(month)
    const second = ask(sorted)
    cancel(month)
    await expect(first).rejects.toMatchObject({ failure: { kind: 'cancelled' } })
    expect((await second).provenance.missing).toEqual([])
  }, 60_000)

  it('asks again for recent days alone, behind what is kept', async () => {
    const { ask, asked, until, clock } = await sandboxDesk(running, limited)
    await ask(month)
    await asked()
    clock.moved += 5 * 60_000
    const changed = until(`changed ${answerKey(month)}`)
    expect((await ask(month)).provenance).toMatchObject({ from: 'computed', refreshing: true, missing: [] })
    await changed
    // 18, 19 and 20 November: their figures still move on the twentieth.
    expect(await asked()).toHaveLength(3)
    expect((await ask(month)).provenance).toMatchObject({ refreshing: false, failure: null })
  }, 60_000)

  it('shows a restated day once it is asked for by hand', async () => {
    const { ask, asked, until } = await sandboxDesk(running, limited)
    const before = await ask(month)
    await running.control('POST', '/days/restate', { days: ['2026-11-02'] })
    await asked()
    expect((await ask(month)).figures).toEqual(before.figures)
    expect(await asked()).toEqual([])
    const changed = until(`changed ${answerKey(month)}`)
    expect((await ask(month, true)).provenance.refreshing).toBe(true)
    await changed
    expect(await asked()).toHaveLength(31)
    await running.behave({ windows: noWindows })
    const { start, end } = month.range
    const said = await running.client().call('script/devices', { start, end, limit: 1000 })
    const after = await ask(month)
    expect(after.figures).toMatchObject({ total: said.answer.total, table: said.answer.table })
    expect(after.figures.total).not.toEqual(before.figures.total)
  }, 60_000)
})

describe('without the service', () => {
  it('what is kept answers, with the days that are not kept by name', async () => {
    const { ask } = await sandboxDesk(running, limited)
    const week = { start: day('2026-11-03'), end: day('2026-11-09') }
    await ask({ ...month, range: week, whole: true })
    await running.fault(away)
    const range = { start: day('2026-11-03'), end: day('2026-11-11') }
    const answer = await ask({ ...month, range })
    expect(answer.provenance).toMatchObject({
      from: 'computed',
      failure: { kind: 'offline' },
      missing: ['2026-11-10', '2026-11-11'],
    })
  })

  it('nothing that is kept is said in words', async () => {
    await running.fault(away)
    const { ask } = await sandboxDesk(running, limited)
    await expect(ask(month)).rejects.toMatchObject({
      failure: { kind: 'offline', message: expect.stringContaining('Nothing of these 31 days is saved.') },
    })
  })

  it('a small table that was opened once is sorted, searched, paged and rated', async () => {
    const { ask } = await sandboxDesk(running, limited)
    const types: TableQuery = {
      ...month,
      dimension: 'device-types',
      range: { start: day('2026-11-03'), end: day('2026-11-09') },
      limit: 20,
    }
    expect((await ask(types)).provenance.from).toBe('service')
    const client = running.client()
    const { start, end } = types.range
    const said = await client.call('script/device-types', {
      ...{ start, end, search: 'mobile', startswith: true, rates: true, limit: 2 },
      sort: [{ column: 0, direction: 'asc' }],
    })
    await running.fault(away)
    const answer = await ask({
      ...{ ...types, search: 'mobile', startsWith: true, rates: true, limit: 2 },
      sort: [{ header: 'Type', direction: 'asc' }],
    })
    expect(hundredths(answer.figures)).toMatchObject({ table: said.answer.table })
    expect(answer).toMatchObject({ ratesBy: 'desk', provenance: { from: 'stored', missing: [] } })
  })

  it('rates of a page that is not all of its table are made of its counts, or left out', async () => {
    const { ask } = await sandboxDesk(running, limited)
    const page: TableQuery = {
      ...month,
      range: { start: day('2026-11-03'), end: day('2026-11-09') },
      limit: 3,
    }
    const plain = await ask(page)
    const rated = await ask({ ...page, page: 2, rates: true })
    expect(rated).toMatchObject({ ratesBy: 'desk', provenance: { from: 'service' } })
    await running.fault(away)
    const made = await ask({ ...page, rates: true })
    expect(made).toMatchObject({ ratesBy: 'desk', provenance: { from: 'stored' } })
    expect(made.figures.total).toEqual(plain.figures.total)
    const left = await ask({ ...page, page: 2 })
    expect(left).toMatchObject({ ratesBy: 'nobody' })
    expect(left.kind === 'table' && left.figures.table.headers).not.toContain('Requests Rate')
  })
})

it('keeps nothing of an account that is removed while its days are fetched', async () => {
  const { ask, until, remove, reports } = await sandboxDesk(running, limited)
  const waiting = ask(month)
  await until('3 of 31 days')
  await remove()
  await expect(waiting).rejects.toMatchObject({ failure: { kind: 'cancelled' } })
  expect(await reports.storedSize()).toEqual({ bytes: 0, days: 0 })
})
