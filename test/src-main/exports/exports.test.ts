import { eventually } from '#test/helpers/eventually.ts'
import { readFileSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { systemClock } from '#main/lib/async.ts'
import { DeskFailure } from '#shared/api/failure.ts'
import type { JobId } from '#shared/app/jobs.ts'
import type { ExportOrder } from '#shared/exports/order.ts'
import { answerKey, normalise } from '#shared/reports/query.ts'
import type { TableQuery } from '#shared/reports/query.ts'
import { usualPaper, readPrintAddress } from '#shared/exports/paper.ts'
import { day } from '#shared/values/day.ts'
import {
  account,
  asking,
  exportsTo,
  fromPages,
  headers,
  neverCompared,
  pageOf,
  query,
  temporaryFolder,
  textRow,
} from './helpers.ts'

const csv: ExportOrder = { kind: 'table', format: 'csv', rows: 'seen', query, columns: headers }
const wholeCsv: ExportOrder = { ...csv, rows: 'all' }
const stem = 'Kestrel Media - Script by browser - 2026-11-13 to 2026-11-19'
const many = Array.from({ length: 2500 }, (_, index) => textRow(`host ${index}`, index, 1, 1, 1, 1, 1, null))

/** An answer that comes when the test says so. */
function gate() {
  let open: () => void = () => undefined
  const opened = new Promise<void>((resolve) => (open = resolve))
  return { opened, open }
}

describe('an export', () => {
  it('begins at once, tells how far it is, and ends as a file of its own', async () => {
    const folder = temporaryFolder()
    const { jobs, told, run } = exportsTo(folder, { reports: asking({ rows: many }) })
    expect(await run(wholeCsv)).toEqual({ kind: 'done', file: `${stem}.csv`, rows: 2500 })
    expect(told[0]).toMatchObject({
      title: 'Script by browser',
      state: { kind: 'running', done: 0, total: null },
    })
    expect(readdirSync(folder)).toEqual([`${stem}.csv`])
    expect(readFileSync(join(folder, `${stem}.csv`), 'utf8').split('\r\n')).toHaveLength(2502)
    expect(jobs.list()).toHaveLength(1)
  })

  it('tells about five times a second, not with every page', async () => {
    let now = 0
    const rows = Array.from({ length: 40_000 }, (_, index) =>
      textRow(`host ${index} ${'x'.repeat(150)}`, 1, 1, 1, 1, 1, 1, 1),
    )
    const clock = { now: () => (now += 50), wait: systemClock.wait }
    const { told, run } = exportsTo(temporaryFolder(), { reports: asking({ rows }), clock })
    await run(wholeCsv)
    const running = told.filter(({ state }) => state.kind === 'running').length
    expect(running).toBeGreaterThan(5)
    expect(running).toBeLessThanOrEqual(12)
  })

  it('says in the name that days are missing', async () => {
    const reports = asking({ rows: many.slice(0, 3), provenance: { missing: [day('2026-11-14')] } })
    expect(await exportsTo(temporaryFolder(), { reports }).run(csv)).toMatchObject({
      file: `${stem} (partial).csv`,
    })
  })

  it('fails in the words of what refused, and leaves nothing', async () => {
    const folder = temporaryFolder()
    const reports = fromPages({
      ask: () => Promise.reject(new DeskFailure({ kind: 'offline', message: 'The service is away.' })),
      ...neverCompared,
    })
    expect(await exportsTo(folder, { reports }).run(csv)).toEqual({
      kind: 'failed',
      failure: { kind: 'offline', message: 'The service is away.' },
    })
    expect(readdirSync(folder)).toEqual([])
  })

  it('is as far as the days that it waits for', async () => {
    const { opened, open } = gate()
    const reports = fromPages({
      ask: async ({ query: page }) => {
        await opened
        return pageOf(page as TableQuery, { rows: many })
      },
      ...neverCompared,
    })
    const { exported, jobs, told, ended, events } = exportsTo(temporaryFolder(), {
      reports,
      clock: { now: Date.now.bind(null), wait: systemClock.wait },
    })
    const { id } = await exported.begin({ account: account.id, order: wholeCsv })
    const key = answerKey(normalise({ ...query, whole: true, limit: 1000 }))
    await eventually(() => {
      events.emit({ kind: 'reports/progress', account: account.id, key, done: 14, total: 31, unit: 'days' })
      expect(told.at(-1)?.state).toEqual({ kind: 'running', done: 14, total: 31, unit: 'days' })
    })
    events.emit({
      kind: 'reports/progress',
      account: account.id,
      key: 'another',
      done: 20,
      total: 31,
      unit: 'days',
    })
    expect(jobs.list()[0]?.state).toMatchObject({ done: 14 })
    open()
    expect(await ended(id)).toMatchObject({ kind: 'done', rows: 2500 })
  })

  it('is over at once where it is cancelled, and gives its question up', async () => {
    const folder = temporaryFolder()
    const signals: (AbortSignal | undefined)[] = []
    const waits = gate()
    const { exported, jobs, ended } = exportsTo(folder, {
      reports: fromPages({
        ask: (_, signal) => {
          signals.push(signal)
          waits.open()
          return new Promise(() => undefined)
        },
        ...neverCompared,
      }),
    })
    const { id } = await exported.begin({ account: account.id, order: csv })
    await waits.opened
    jobs.cancel(id)
    expect(await ended(id)).toEqual({ kind: 'cancelled' })
    expect(signals.map((signal) => signal?.aborted)).toEqual([true])
    expect(readdirSync(folder)).toEqual([])
  })

  it('leaves nothing half-written where it is cancelled while it is written, or the app closes', async () => {
    const rows = Array.from({ length: 30_000 }, (_, index) => textRow(`host ${index}`, 1, 1, 1, 1, 1, 1, 1))
    for (const end of ['cancel', 'close'] as const) {
      const folder = temporaryFolder()
      let now = 0
      const clock = { now: () => (now += 50), wait: systemClock.wait }
      const { exported, jobs, told, ended } = exportsTo(folder, { reports: asking({ rows }), clock })
      const { id } = await exported.begin({ account: account.id, order: { ...wholeCsv, format: 'xlsx' } })
      await eventually(() => expect(told.at(-1)?.state).toMatchObject({ kind: 'running', total: 30_000 }))
      if (end === 'cancel') jobs.cancel(id)
      else await jobs.stop()
      expect(await ended(id)).toEqual({ kind: 'cancelled' })
      expect(readdirSync(folder)).toEqual([])
    }
  })

  it('is refused where eight run already', async () => {
    const reports = fromPages({
      ask: () => new Promise<never>(() => undefined),
      ...neverCompared,
    })
    const { exported } = exportsTo(temporaryFolder(), { reports })
    for (let turn = 0; turn < 8; turn += 1) await exported.begin({ account: account.id, order: csv })
    await expect(exported.begin({ account: account.id, order: csv })).rejects.toMatchObject({
      failure: { kind: 'invalid' },
    })
  })
})

describe('the list of exports', () => {
  it('remembers twenty, and takes those off that are dismissed', async () => {
    const { jobs, run } = exportsTo(temporaryFolder())
    const order: ExportOrder = { ...csv, format: 'clipboard' }
    for (let turn = 0; turn < 23; turn += 1) await run(order)
    expect(jobs.list()).toHaveLength(20)
    const [first] = jobs.list()
    jobs.dismiss(first?.id as JobId)
    expect(jobs.list()).toHaveLength(19)
  })

  it('shows and opens files of this session that are still there, and nothing else', async () => {
    const folder = temporaryFolder()
    const showFile = vi.fn()
    const openFile = vi.fn(() => Promise.resolve('No program opens it'))
    const { exported, jobs } = exportsTo(folder, { shell: { showFile, openFile } })
    const { id } = await exported.begin({ account: account.id, order: csv })
    await eventually(() => expect(jobs.list()[0]?.state.kind).toBe('done'))
    await exported.show({ id })
    expect(showFile).toHaveBeenCalledWith(join(folder, `${stem}.csv`))
    await expect(exported.open({ id })).rejects.toMatchObject({
      failure: { message: "Can't open it: No program opens it" },
    })
    rmSync(join(folder, `${stem}.csv`))
    await expect(exported.show({ id })).rejects.toMatchObject({ failure: { kind: 'disk' } })
    await expect(
      exported.open({ id: '00000000-0000-4000-8000-000000000000' as JobId }),
    ).rejects.toMatchObject({
      failure: { kind: 'disk' },
    })
    expect(openFile).toHaveBeenCalledTimes(1)
  })
})

describe('what is taken out', () => {
  it('goes into the clipboard as text with tabs, no formula in it', async () => {
    const { copied, run } = exportsTo(temporaryFolder(), {
      reports: asking({
        headers: ['Browser', 'Requests', 'Bad'],
        rows: [textRow('=1+1', 5, null), textRow('a\tb"c', 1, 2)],
      }),
    })
    const order: ExportOrder = { ...csv, format: 'clipboard', columns: ['Browser', 'Bad', 'Requests'] }
    expect(await run(order)).toEqual({ kind: 'done', file: null, rows: 2 })
    expect(copied).toEqual(['Browser\tBad\tRequests\n\'=1+1\t\t5\n"a\tb""c"\t2\t1\n'])
  })

  it('is too much for the clipboard beyond five million characters', async () => {
    const rows = Array.from({ length: 600 }, () => textRow('x'.repeat(10_000), 1))
    const { copied, run } = exportsTo(temporaryFolder(), {
      reports: asking({ headers: ['Browser', 'Requests'], rows }),
    })
    expect(await run({ ...csv, format: 'clipboard', rows: 'all' })).toMatchObject({
      kind: 'failed',
      failure: { message: expect.stringContaining('five million') },
    })
    expect(copied).toEqual([])
  })

  it('is a workbook with a sheet for each dimension, without what could not be had', async () => {
    const folder = temporaryFolder()
    const asked: TableQuery[] = []
    const { run } = exportsTo(folder, {
      reports: fromPages({
        ask: ({ query: page }) => {
          const table = page as TableQuery
          asked.push(table)
          if (table.dimension === 'networks') {
            return Promise.reject(new DeskFailure({ kind: 'offline', message: 'Not kept.' }))
          }
          return Promise.resolve(pageOf(table, { rows: many.slice(0, 2) }))
        },
        ...neverCompared,
      }),
    })
    const narrowed = { ...query, source: 'news', filters: { browser: 'Chrome' }, search: 'x', rates: true }
    expect(await run({ kind: 'workbook', query: narrowed })).toEqual({
      kind: 'done',
      file: 'Kestrel Media - Script, every dimension - 2026-11-13 to 2026-11-19 - news (partial).xlsx',
      rows: 16,
    })
    expect(asked.map(({ dimension }) => dimension)).toHaveLength(9)
    for (const each of asked) {
      expect(each).toMatchObject({ source: 'news', filters: {}, search: null, whole: true, rates: true })
    }
  })

  it('is no workbook where no table can be had', async () => {
    const reports = fromPages({
      ask: () => Promise.reject(new DeskFailure({ kind: 'offline', message: 'Not kept.' })),
      ...neverCompared,
    })
    const folder = temporaryFolder()
    expect(await exportsTo(folder, { reports }).run({ kind: 'workbook', query })).toMatchObject({
      kind: 'failed',
      failure: { kind: 'offline' },
    })
    expect(readdirSync(folder)).toEqual([])
  })

  it('is a picture of a chart, if it is one', async () => {
    const folder = temporaryFolder()
    const { exported, ended } = exportsTo(folder)
    const png = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3])
    const { id } = await exported.chart({ account: account.id, name: 'Script by browser: 13/11', png: png })
    expect(await ended(id)).toMatchObject({ file: 'Kestrel Media - Script by browser 13 11.png' })
    expect([...readFileSync(join(folder, 'Kestrel Media - Script by browser 13 11.png'))]).toEqual([...png])
    await expect(
      exported.chart({ account: account.id, name: 'x', png: new Uint8Array(20) }),
    ).rejects.toMatchObject({
      failure: { kind: 'invalid' },
    })
  })

  it('is the view on pages, of the account that ordered it', async () => {
    const folder = temporaryFolder()
    const printed: string[] = []
    const { run } = exportsTo(folder, {
      clock: { now: () => Date.parse('2026-11-20T10:00:00Z'), wait: systemClock.wait },
      shell: {
        print: (address) => {
          printed.push(address)
          return Promise.resolve(new TextEncoder().encode('%PDF-1.7'))
        },
      },
    })
    const address = '#/reports/script/browsers?period=yesterday&source=a%26b'
    expect(await run({ kind: 'pdf', address })).toMatchObject({
      file: 'Kestrel Media - Script by browser - 2026-11-19 - a&b.pdf',
    })
    expect(readPrintAddress(printed[0] ?? '')).toEqual({
      account: account.id,
      view: address,
      ...{ paper: usualPaper, madeAt: null, day: null },
    })
    expect(await run({ kind: 'pdf', address: '#/overview?period=yesterday' })).toMatchObject({
      file: 'Kestrel Media - Overview - 2026-11-19.pdf',
    })
  })
})
