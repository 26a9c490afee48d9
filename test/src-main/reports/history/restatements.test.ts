import { readdirSync } from 'node:fs'
import { describe, expect, it, vi } from 'vitest'
import type { TableToStore } from '#main/reports/history/history.ts'
import type { Store } from '#main/database/open-store.ts'
import type { Cell, Label } from '#shared/api/answers.ts'
import { DeskFailure } from '#shared/api/failure.ts'
import { day } from '#shared/values/day.ts'
import type { Day, DayRange } from '#shared/values/day.ts'
import type { InstanceId, Instant, DataScopeId } from '#shared/values/ids.ts'
import { localStore, openFor, temporaryFolder } from '#test/src-main/database/helpers.ts'
import { withDataScopes } from '#test/helpers/with-data-scopes.ts'
import { engineForTest } from '../engine/engine-thread.ts'
import { asked } from '../engine/tables.ts'
import { accountsOfScope, historyOver } from './history-over.ts'

const dataScope = 'scope-1' as DataScopeId
const subject = 'direct/browsers?'
const first = day('2026-11-02')
const month: DayRange = { start: day('2026-11-01'), end: day('2026-11-30') }
const headers = ['Browser', 'Requests', 'Suspect']
const text = (value: string): Label => ({ kind: 'text', text: value })
const instance = (id: string, name: string): Label => ({ kind: 'instance', id: id as InstanceId, name })

type Rows = readonly (readonly [Label | string, ...Cell[]])[]
type Made = Partial<Omit<TableToStore, 'rows'>> & { readonly rows?: Rows | null; readonly on?: Day }

/** So many days after the first of November, at noon. */
const noon = (days: number) => (Date.parse('2026-11-01T12:00:00Z') + days * 24 * 60 * 60_000) as Instant

const parquetFilesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.parquet'))
    .length

function history({
  store = localStore(),
  zone = 'UTC',
  begun = engineForTest(),
}: { store?: Store; zone?: string | null; begun?: ReturnType<typeof engineForTest> } = {}) {
  const { engine, history: folder } = begun
  const accounts = accountsOfScope(dataScope, () => (zone === null ? null : { dayZone: zone }))
  const made = historyOver({
    store: withDataScopes(store, dataScope),
    engine,
    historyFolder: folder,
    accounts,
  })
  const keep = ({ rows = [], on = first, ...table }: Made) =>
    made.save({
      ...{ dataScope, subject, range: { start: on, end: on }, headers, all: null, total: {}, doubt: null },
      term: 0,
      fetchedAt: noon(5),
      ...table,
      rows: rows && [
        rows.map(([label, ...cells]) => ({ label: typeof label === 'string' ? text(label) : label, cells })),
      ],
    })
  const list = async (range = month) => (await made.restatements.list({ dataScope, subject, range })).items
  return { made, keep, list }
}

describe('restated rows', () => {
  it('are those of which any count differs, the largest change first', async () => {
    const { keep, list } = history()
    await keep({
      rows: [
        ['same', 5, 1],
        ['less', 100, 1],
        ['gone', 7, null],
        ['unknown', 3, 2],
        ['none', null, null],
        ['both', 10, 4],
      ],
    })
    await keep({
      fetchedAt: noon(6),
      rows: [
        ['same', 5, 1],
        ['less', 60, 1],
        ['unknown', 3, null],
        ['come', 0, 1],
        ['none', null, null],
        ['both', 11, 0],
      ],
    })
    expect(await list()).toMatchObject([
      {
        range: { start: first, end: first },
        beforeFetchedAt: noon(5),
        afterFetchedAt: noon(6),
        totals: [],
        differing: 5,
        rows: [
          { label: text('less'), changes: [{ name: 'Requests', before: 100, after: 60 }] },
          { label: text('gone'), changes: [{ name: 'Requests', before: 7, after: null }] },
          {
            label: text('both'),
            changes: [
              { name: 'Requests', before: 10, after: 11 },
              { name: 'Suspect', before: 4, after: 0 },
            ],
          },
          { label: text('unknown'), changes: [{ name: 'Suspect', before: 2, after: null }] },
          {
            label: text('come'),
            changes: [
              { name: 'Requests', before: null, after: 0 },
              { name: 'Suspect', before: null, after: 1 },
            ],
          },
        ],
      },
    ])
  })

  it('are told by instance, whatever that is called by now', async () => {
    const { keep, list } = history()
    await keep({ rows: [[instance('7', 'Old name'), 5, 1]] })
    await keep({ fetchedAt: noon(6), rows: [[instance('7', 'New name'), 5, 1]] })
    expect(await list()).toEqual([])
    await keep({ fetchedAt: noon(7), rows: [[instance('7', 'New name'), 6, 1]] })
    expect(await list()).toMatchObject([{ rows: [{ label: instance('7', 'New name') }] }])
  })

  it('are found in a file of many days too', async () => {
    const { made, keep, list } = history()
    for (const on of [first, day('2026-11-03'), day('2026-11-04')]) await keep({ on, rows: [['a', 5, 1]] })
    await made.compact(() => () => true, new AbortController().signal, 2)
    await keep({ fetchedAt: noon(6), rows: [['a', 6, 1]] })
    await keep({ fetchedAt: noon(6), on: day('2026-11-03'), rows: [['a', 5, 1]] })
    expect(await list()).toMatchObject([
      { differing: 1, rows: [{ changes: [{ name: 'Requests', before: 5, after: 6 }] }] },
    ])
  })

  it('are at most 200, with how many there are; long labels are fewer', async () => {
    const { keep, list } = history()
    const rows = (count: number, long: string): Rows =>
      Array.from({ length: 500 }, (_, place) => [`${place}${long}`, count, 1])
    await keep({ rows: rows(1, '') })
    await keep({ fetchedAt: noon(6), rows: rows(2, '') })
    const [restatement] = await list()
    expect([restatement?.rows.length, restatement?.differing]).toEqual([200, 500])
    await keep({ on: day('2026-11-03'), rows: rows(1, 'x'.repeat(2000)) })
    await keep({ on: day('2026-11-03'), fetchedAt: noon(6), rows: rows(2, 'x'.repeat(2000)) })
    const [long] = await list()
    expect(long?.differing).toBe(500)
    expect(long?.rows.length).toBeGreaterThan(0)
    expect(JSON.stringify(long?.rows).length).toBeLessThan(51_000)
  })
})

describe('a restatement', () => {
  it('is of totals and of the row of all, by what both have', async () => {
    const { keep, list } = history()
    const all = (...cells: Cell[]) => ({ label: { kind: 'all', name: null } as const, cells })
    await keep({ all: all(5, null), total: { suspect: 1, nonsuspect: 5, mobile: null } })
    await keep({ fetchedAt: noon(6), all: all(5, 2), total: { suspect: 2, nonsuspect: null, mobile: null } })
    expect(await list()).toMatchObject([
      {
        totals: [
          { name: 'suspect', before: 1, after: 2 },
          { name: 'nonsuspect', before: 5, after: null },
        ],
        rows: [{ label: { kind: 'all' }, changes: [{ name: 'Suspect', before: null, after: 2 }] }],
        differing: 0,
      },
    ])
  })

  it('is none where nothing but columns came or went', async () => {
    const { keep, list } = history()
    await keep({ rows: [['a', 5, 1]], total: { suspect: 1 } })
    await keep({
      fetchedAt: noon(6),
      headers: [...headers, 'UE'],
      rows: [['a', 5, 1, 4]],
      total: { suspect: 1, nonsuspect: 3 },
    })
    expect(await list()).toEqual([])
  })

  it.each(['fewer-rows', 'rows-moved'] as const)(
    'is none of rows that did not come, where the service is doubted for it: %s',
    async (doubt) => {
      const { keep, list } = history()
      const rows: Rows = [
        ['there', 5, 1],
        ['not sent', 3, 1],
      ]
      await keep({ rows })
      await keep({ rows: rows.slice(0, 1), fetchedAt: noon(6), doubt })
      await keep({ rows, fetchedAt: noon(7) })
      expect(await list()).toEqual([])
    },
  )

  it('of totals alone leaves rows to the whole table that follows', async () => {
    const { keep, list } = history()
    await keep({ rows: [['a', 5, 1]], total: { suspect: 1 } })
    await keep({ fetchedAt: noon(6), rows: null, total: { suspect: 2 } })
    await keep({ fetchedAt: noon(7), rows: [['a', 5, 2]], total: { suspect: 2 } })
    expect(await list()).toMatchObject([
      { beforeFetchedAt: noon(6), totals: [], differing: 1, rows: [{ changes: [{ before: 1, after: 2 }] }] },
      { beforeFetchedAt: noon(5), totals: [{ before: 1, after: 2 }], differing: null, rows: [] },
    ])
  })

  it('is of several days together only where the same were fetched before', async () => {
    const { made, keep, list } = history()
    const week = { start: first, end: day('2026-11-04') }
    await keep({ range: week, fetchedAt: noon(8), total: { suspect: 1 } })
    await keep({ fetchedAt: noon(6), total: { suspect: 9 } })
    expect(await list()).toEqual([])
    await keep({ range: week, fetchedAt: noon(9), total: { suspect: 2 } })
    expect(await list()).toMatchObject([{ range: week }])
    expect(await made.restatements.restated({ dataScope, subject, range: month })).toEqual({
      days: 3,
      latest: noon(9),
    })
    expect(
      await made.restatements.restated({ dataScope, subject, range: { start: first, end: first } }),
    ).toBeNull()
  })

  it.each([
    ['was fetched before the day was over', 'UTC', noon(1)],
    [
      'was fetched at an hour when the day still ran there',
      'Pacific/Pago_Pago',
      (noon(2) - 2 * 3_600_000) as Instant,
    ],
    ['belongs to an account that nobody knows', null, noon(5)],
  ])('is none where the older table %s', async (_, zone, fetchedAt) => {
    const { keep, list } = history({ zone })
    await keep({ fetchedAt, total: { suspect: 1 } })
    await keep({ fetchedAt: noon(6), total: { suspect: 2 } })
    expect(await list()).toEqual([])
  })

  it('is none where counts of days that are not settled grow, and is one where any of them becomes less', async () => {
    const { keep, list } = history()
    const all = (count: number) => ({ label: { kind: 'all', name: null } as const, cells: [count, 1] })
    const early = { fetchedAt: noon(3), rows: [['a', 5, 1]], all: all(5), total: { suspect: 1 } } as const
    await keep(early)
    await keep({
      fetchedAt: (noon(3) + 1) as Instant,
      rows: [
        ['a', 6, 1],
        ['b', 1, 1],
      ],
      all: all(7),
      total: { suspect: 2 },
    })
    expect(await list()).toEqual([])
    const moved = {
      rows: [
        ['a', 5, 1],
        ['b', 2, 1],
      ],
      all: all(7),
      total: { suspect: 2 },
    } as const
    await keep({ fetchedAt: (noon(3) + 2) as Instant, ...moved })
    expect(await list()).toMatchObject([{ differing: 2, totals: [] }])
    await keep({ fetchedAt: (noon(3) + 3) as Instant, ...moved, total: { suspect: null } })
    expect((await list())[0]).toMatchObject({ totals: [{ before: 2, after: null }] })
    await keep({ fetchedAt: noon(4), ...moved, total: { suspect: 3 } })
    expect(await list()).toHaveLength(2)
    await keep({ fetchedAt: noon(7), ...moved, total: { suspect: 4 } })
    expect((await list())[0]).toMatchObject({ totals: [{ before: 3, after: 4 }] })
  })

  it('is none of figures that come late: the newer ones stay', async () => {
    const { keep, list } = history()
    await keep({ fetchedAt: noon(6), total: { suspect: 1 } })
    await keep({ fetchedAt: noon(5), total: { suspect: 2 } })
    expect(await list()).toEqual([])
    await keep({ fetchedAt: noon(8), rows: null, total: { suspect: 3 } })
    await keep({ fetchedAt: noon(7), rows: null, total: { suspect: 2 } })
    expect(await list()).toMatchObject([{ afterFetchedAt: noon(8), totals: [{ before: 1, after: 3 }] }])
  })

  it('is one too where the clock was set back between', async () => {
    const { keep, list } = history()
    await keep({ fetchedAt: (Date.now() + 365 * 24 * 3_600_000) as Instant, total: { suspect: 1 } })
    await keep({ total: { suspect: 2 } })
    expect(await list()).toMatchObject([{ totals: [{ before: 1, after: 2 }] }])
  })

  it('does not count where the app ended before the newer table was kept, and is one once it is', async () => {
    const [folder, begun] = [temporaryFolder(), engineForTest()]
    const before = history({ store: localStore(folder), begun })
    await before.keep({ rows: [['a', 1, 1]], total: { suspect: 1 } })
    const real = localStore(folder)
    const ending: Store = {
      ...real,
      run: async (name, argument) => {
        if (name === 'tables/keep') throw new DeskFailure({ kind: 'internal', message: 'ended' })
        return await real.run(name, argument)
      },
    }
    const ended = history({ store: ending, begun })
    const changed = { rows: [['a', 2, 1]], total: { suspect: 2 } } as const
    await expect(ended.keep({ fetchedAt: noon(6), ...changed })).rejects.toThrow(DeskFailure)
    expect(await ended.list()).toEqual([])

    const { made, keep, list } = history({ store: localStore(folder), begun })
    expect(await list()).toEqual([])
    expect(await made.restatements.restated({ dataScope, subject, range: month })).toBeNull()
    await keep({ fetchedAt: noon(7), ...changed })
    expect(await list()).toMatchObject([
      { afterFetchedAt: noon(7), totals: [{ before: 1, after: 2 }], differing: 1 },
    ])
    expect(await made.restatements.restated({ dataScope, subject, range: month })).toEqual({
      days: 1,
      latest: noon(7),
    })
  })

  it('is noted of a table that was written and not catalogued when the app ended', async () => {
    const [store, begun] = [localStore(), engineForTest()]
    await history({ store, begun }).keep({ rows: [['a', 1, 1]], total: { suspect: 1 } })
    const ending: Store = {
      ...store,
      run: (name, argument) =>
        name === 'restatements/marks' || name === 'restatements/note' || name === 'tables/is-named'
          ? new Promise(() => undefined)
          : store.run(name, argument),
    }
    const ended = history({ store: ending, begun })
    const written = vi.waitFor(() => expect(parquetFilesIn(begun.history)).toBe(2), { timeout: 10_000 })
    void ended.keep({ fetchedAt: noon(6), rows: [['a', 2, 1]], total: { suspect: 2 } })
    await written
    const { made, list } = history({ store, begun })
    expect(await made.rebuild(new AbortController().signal)).toMatchObject({ adopted: 1 })
    expect(await list()).toMatchObject([{ afterFetchedAt: noon(6), totals: [{ before: 1, after: 2 }] }])
  })

  it('that was noted when the app ended is none where the figures are the old ones next time', async () => {
    const [store, begun] = [localStore(), engineForTest()]
    const ending: Store = {
      ...store,
      run: (name, argument) =>
        name === 'tables/keep'
          ? Promise.reject(new DeskFailure({ kind: 'internal', message: 'ended' }))
          : name === 'restatements/withdraw'
            ? new Promise(() => undefined)
            : store.run(name, argument),
    }
    const { keep } = history({ store, begun })
    await keep({ total: { suspect: 1 } })
    void history({ store: ending, begun }).keep({ fetchedAt: noon(6), total: { suspect: 2 } })
    await vi.waitFor(async () => expect(await store.run('restatements/marks', dataScope)).toHaveLength(1), {
      timeout: 10_000,
    })
    const again = history({ store, begun })
    await again.keep({ fetchedAt: noon(7), total: { suspect: 1 } })
    expect(await again.list()).toEqual([])
  })

  it('is not taken back, and its file stays, where nobody can say whether it was kept', async () => {
    const [store, begun] = [localStore(), engineForTest()]
    const gone = () => new DeskFailure({ kind: 'internal', message: 'ended' })
    let isGone = false
    const ending: Store = {
      ...store,
      run: async (name, argument) => {
        if (isGone) throw gone()
        const answer = await store.run(name, argument)
        if (name !== 'tables/keep') return answer
        isGone = true
        throw gone()
      },
    }
    const { keep, list } = history({ store, begun })
    await keep({ rows: [['a', 1, 1]], total: { suspect: 1 } })
    const last = history({ store: ending, begun }).keep({ fetchedAt: noon(6), rows: [['a', 2, 1]] })
    await expect(last).rejects.toThrow(DeskFailure)
    const [table] = await store.run('tables/list', { dataScope, subject })
    expect(table?.fetchedAt).toBe(noon(6))
    const query = asked({ limit: 10 })
    expect(table && (await begun.engine.call('table', { tables: [table], query })).kind).toBe('computed')
    expect(await list()).toMatchObject([{ differing: 1 }])
  })

  it('that cannot be read is passed over', async () => {
    const folder = temporaryFolder()
    const { keep, list } = history({ store: localStore(folder) })
    await keep({ total: { suspect: 1 } })
    await keep({ fetchedAt: noon(6), total: { suspect: 2 } })
    await keep({ fetchedAt: noon(7), total: { suspect: 3 } })
    openFor(folder).database.write(`UPDATE restatements SET totals = 'x' WHERE after_fetched_at = ?`, noon(7))
    expect(await list()).toMatchObject([{ afterFetchedAt: noon(6) }])
  })

  it('stays where the tables are let go for their room', async () => {
    const { made, keep, list } = history()
    await keep({ total: { suspect: 1 } })
    await keep({ fetchedAt: noon(6), total: { suspect: 2 } })
    await made.letOldestGo(0, [])
    expect(await list()).toHaveLength(1)
  })
})
