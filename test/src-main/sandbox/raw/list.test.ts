import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Behaviour } from '#main/sandbox/contracts.ts'
import type { ArgumentsFor } from '#shared/api/endpoints.ts'
import { limited, order, startTestRaw } from './harness.ts'
import type { TestRaw } from './harness.ts'

let desk: TestRaw
beforeEach(async () => {
  desk = await startTestRaw()
})
afterEach(() => desk.close())

type Listed = {
  name: string
  instance: string
  type: string
  status: string
  requested: string
  expires: string
}

const list = async (parameters: ArgumentsFor<'raw/table'> = {}): Promise<Listed[]> =>
  (await desk.ask('raw/table', { limit: 1000, ...parameters })).table.rows

const names = async (parameters: ArgumentsFor<'raw/table'>) =>
  (await list(parameters)).map((each) => each.name)

describe('raw/table', () => {
  it('shows a report of each end from the start, one of them about to go', async () => {
    const rows = await list()
    expect(new Set(rows.map((each) => each.status))).toEqual(
      new Set(['Ready', 'Failed', 'Cancelled', 'Timed Out']),
    )
    expect(rows.map((each) => each.expires)).toContain('2026-11-21T00:00:00+00:00')
    expect(
      await startTestRaw().then(async (again) => [await again.ask('raw/table', {}), await again.close()][0]),
    ).toEqual(await desk.ask('raw/table', {}))
  })

  it.each([
    ['iso-without-offset', (moment: string) => moment.replace('+00:00', '')],
    ['space-without-offset', (moment: string) => moment.replace('+00:00', '').replace('T', ' ')],
  ] as const)('has moments in the form %s, as records have', async (moments, written) => {
    const raw = await desk.finished()
    const [rows, record] = [await list(), await desk.ask('raw/report', { raw })]
    const { raw: before } = desk.state.behaviour()
    desk.state.behave({ ...desk.state.behaviour(), raw: { ...before, moments } })
    const expected = rows.map(({ requested, expires }) => [written(requested), written(expires)])
    expect((await list()).map(({ requested, expires }) => [requested, expires])).toEqual(expected)
    const { requested, created, failed, alerted } = await desk.ask('raw/report', { raw })
    expect([requested, created, failed, alerted]).toEqual([
      written(record.requested),
      written(record.created),
      null,
      written(record.alerted),
    ])
  })

  it('comes spoilt where it is told to', async () => {
    for (let more = 0; more < 3; more += 1) await desk.finished()
    const spoil = (raw: Partial<Behaviour['raw']>) =>
      desk.state.behave({ ...desk.state.behaviour(), raw: { ...desk.state.behaviour().raw, ...raw } })
    const answer = async () => {
      const { table, query } = await desk.ask('raw/table', { limit: 1000 })
      return { rows: table.rows as Listed[], results: query.results as number }
    }
    spoil({ list: 'rows-left-out' })
    expect(await answer()).toMatchObject({ rows: { length: 6 }, results: 9 })
    spoil({ list: 'reports-hidden' })
    expect(await answer()).toMatchObject({ rows: { length: 6 }, results: 6 })
    spoil({ list: 'rows-twice' })
    const { rows, results } = await answer()
    expect([rows.length, results, new Set(rows.map(({ name, requested }) => name + requested)).size]).toEqual(
      [12, 9, 9],
    )
    expect(rows[3]).toMatchObject({ requested: rows[2]?.requested, created: null, status: 'In Progress' })
    spoil({ list: 'whole', labels: 'strange' })
    expect((await answer()).rows.map(({ status }) => status)).toContain('Zustand 5 / é')
  })

  it('has exactly the members of a list row', async () => {
    const [row] = await list()
    const members = 'id,name,instance,type,requested,created,failed,timed_out,cancelled,status,expires'
    expect(Object.keys(row ?? {}).join()).toBe(members)
  })

  it('shows only reports of the instances that a token may see', async () => {
    await desk.finished({ instance: '103', name: 'Elsewhere' })
    const seen = (await desk.ask('raw/table', {}, limited)).table.rows as Listed[]
    expect(seen.length).toBeGreaterThan(0)
    expect(seen.map((each) => each.name)).not.toContain('Elsewhere')
    expect(seen.some((each) => each.instance === '中 / plain')).toBe(false)
  })

  it('searches names in any case, broadly or from their start', async () => {
    expect(await names({ search: 'DEVICES' })).toEqual(['Devices by day'])
    expect(await names({ search: 'by DAY' })).toEqual(['Devices by day'])
    expect(await names({ search: 'by day', startswith: true })).toEqual([])
    expect(await names({ search: 'devices', startswith: true })).toEqual(['Devices by day'])
    expect(await names({ search: '50%+ / "é 中' })).toEqual(['Bad at 50%+ / "é 中"'])
  })

  it('stands newest first unless told otherwise', async () => {
    const sorted = (await list()).map((each) => each.requested)
    expect(sorted).toEqual(sorted.toSorted().toReversed())
  })

  it('sorts by up to three columns, counted from nought without the id', async () => {
    const rows = await list({
      sort: [
        { column: 2, direction: 'asc' },
        { column: 8, direction: 'desc' },
        { column: 3, direction: 'asc' },
      ],
    })
    const keys = rows.map(({ type, status, requested }) => ({ type, status, requested }))
    const expected = keys.toSorted(
      (a, b) =>
        a.type.localeCompare(b.type) ||
        b.status.localeCompare(a.status) ||
        a.requested.localeCompare(b.requested),
    )
    expect(keys).toEqual(expected)
  })

  it.each([10, 12])('has no column %i to sort by', async (column) => {
    await expect(list({ sort: [{ column, direction: 'asc' }] })).rejects.toMatchObject({ status: 400 })
  })

  it('comes in pages that make up the whole', async () => {
    const whole = await list()
    const pages = await Promise.all([1, 2, 3, 4].map((page) => desk.ask('raw/table', { page, limit: 2 })))
    expect(pages.flatMap((each) => each.table.rows)).toEqual(whole)
    expect(pages[0].query).toMatchObject({ results: whole.length, pages: Math.ceil(whole.length / 2) })
    expect(pages[0].query).not.toHaveProperty('startswith')
  })

  it('breaks processing usage down by day, for admin users only', async () => {
    await desk.ask('raw/request', order)
    const { processing } = await desk.ask('raw/table', { processing_usage: true })
    expect(processing.usage.at(-1)).toEqual({ date: 20261120, reports: 1, minutes: 1 })
    await expect(desk.ask('raw/table', { processing_usage: true }, limited)).rejects.toMatchObject({
      status: 403,
    })
    expect((await desk.ask('raw/table', {})).processing).not.toHaveProperty('usage')
  })
})
