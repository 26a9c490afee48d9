import { existsSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import readSheets from 'read-excel-file/node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Accounts } from '#main/accounts/accounts.ts'
import { systemClock } from '#main/lib/async.ts'
import type { FilledSheet } from '#main/exports/report-sheets.ts'
import { canHaveCharts } from '#main/exports/report-workbook.ts'
import type { SnapshotFile } from '#main/exports/snapshot-shape.ts'
import type { OpenWriter } from '#main/exports/writing-thread.ts'
import { figuresOf } from '#shared/reports/overview-figures.ts'
import { normalise, plainTable } from '#shared/reports/query.ts'
import type { OverviewQuery, TableQuery } from '#shared/reports/query.ts'
import type { Dimension } from '#shared/api/dimensions.ts'
import { labelText } from '#shared/reports/rows.ts'
import { day } from '#shared/values/day.ts'
import { plainOverview, writeAddress } from '#shared/views/address.ts'
import type { NoteId } from '#shared/watch/notes.ts'
import { eventually } from '#test/helpers/eventually.ts'
import { fake } from '#test/helpers/fake.ts'
import { runningSandbox } from '#test/helpers/running-sandbox.ts'
import type { RunningSandbox } from '#test/helpers/running-sandbox.ts'
import { sandboxDesk } from '../reports/sandbox-desk.ts'
import type { SandboxDesk } from '../reports/sandbox-desk.ts'
import { exportsTo, openWriter, ownBook, temporaryFolder, writerHere } from './helpers.ts'
import { partOf } from './zip.ts'

let running: RunningSandbox
beforeAll(async () => {
  running = await runningSandbox()
})
afterAll(() => running.close())

const range = { start: day('2026-11-08'), end: day('2026-11-14') }
const before = { start: day('2026-11-01'), end: day('2026-11-07') }
const address = {
  ...plainOverview,
  period: { kind: 'custom', range },
  compare: { kind: 'custom', range: before },
  movers: 'browsers',
} as const
const order = { kind: 'report', address: writeAddress(address) } as const
const common = { instance: null, source: null, campaign: null }

const tableOf = (dimension: Dimension, days: typeof range = range): TableQuery =>
  normalise({
    ...plainTable,
    ...{ family: 'script', dimension, range: days, rates: true, whole: true, limit: 1000 },
  })

const overviewOf = (family: 'script' | 'direct'): OverviewQuery => ({
  ...{ kind: 'overview', family, range, chart: true },
  ...common,
})

/** A desk that has saved tables of these dimensions, over both periods. */
async function deskWith(...dimensions: readonly Dimension[]): Promise<SandboxDesk> {
  const desk = await sandboxDesk(running)
  for (const dimension of dimensions)
    for (const days of [range, before]) await desk.ask(tableOf(dimension, days))
  return desk
}

function exporting(desk: SandboxDesk, writer: OpenWriter = writerHere) {
  const folder = temporaryFolder()
  const made = exportsTo(folder, {
    reports: desk.reports,
    accounts: fake<Accounts>('accounts', { ...ownBook, account: () => desk.account() }),
    clock: { ...systemClock, now: desk.clock.now },
    notesOf: () =>
      Promise.resolve([
        {
          id: '22222222-2222-4222-8222-222222222222' as NoteId,
          ...{
            range: { start: range.start, end: range.start },
            text: '=1+1',
            subject: { kind: 'account' },
            leavesOut: true,
          },
        },
      ]),
    openWriter: writer,
  })
  return { folder, ...made }
}

/** The same reports, whose stored tables are read in this way. */
const withSnapshots = (
  { reports }: SandboxDesk,
  storedSnapshot: SandboxDesk['reports']['storedSnapshot'],
): SandboxDesk['reports'] =>
  new Proxy(reports, {
    get: (target, name) => {
      if (name === 'storedSnapshot') return storedSnapshot
      const member: unknown = Reflect.get(target, name, target)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })

async function fileOf(desk: SandboxDesk, writer?: OpenWriter) {
  const { folder, run } = exporting(desk, writer)
  const state = await run(order)
  if (state.kind !== 'done' || state.file === null) throw new Error(JSON.stringify(state))
  const path = join(folder, state.file)
  const sheets = new Map((await readSheets(readFileSync(path))).map(({ sheet, data }) => [sheet, data]))
  const contents = new Map(sheets.get('Contents')?.map(([name, words]) => [name, String(words)]))
  return { path, state, sheets, contents }
}

describe('a whole report as one workbook', () => {
  it('has the figures that the report answers, as another library reads them', async () => {
    const desk = await deskWith('browsers')
    const { sheets, contents, state } = await fileOf(desk)
    const { figures } = await desk.ask(tableOf('browsers'))
    if (!('table' in figures)) throw new Error('No table')
    const [header, ...rows] = sheets.get('Script by browser') ?? []
    // A rate that is 100 % in every row is left out.
    const shown = figures.table.headers.filter((name) => header?.includes(name))
    expect(shown).toContain('Bad Rate')
    const read = rows
      .slice(0, figures.table.rows.length)
      .map((row) => shown.map((name) => row[header?.indexOf(name) ?? -1]))
    expect(read).toEqual(
      figures.table.rows.map(({ label, cells }) =>
        shown.map((name, place) => {
          const cell = cells[figures.table.headers.indexOf(name) - 1]
          if (place === 0) return labelText(label)
          return name.endsWith(' Rate') && cell !== null ? expect.closeTo(Number(cell) / 100, 10) : cell
        }),
      ),
    )
    expect(header).toEqual(expect.arrayContaining(['Bad before', 'Bad change', 'Bad change %']))
    const cards = await desk.ask(overviewOf('script'))
    if (cards.kind !== 'overview') throw new Error('No overview')
    const [bad] = figuresOf('script', cards.figures.total).filter(({ name }) => name === 'Bad')
    expect(sheets.get('Overview')?.find(([name]) => name === 'Script: Bad')?.[1]).toBe(bad?.value)
    const days = sheets.get('Script by day')?.slice(1) ?? []
    expect(days).toHaveLength(7)
    expect(days[0]?.[0]).toEqual(new Date('2026-11-08'))
    const [requests] = figuresOf('script', cards.figures.total)
    expect(days.reduce((sum, [, count]) => sum + Number(count), 0)).toBe(requests?.value)
    expect(contents.get('Days')).toBe('2026-11-08 to 2026-11-14')
    expect(contents.get('Compared with')).toContain('2026-11-01 to 2026-11-07')
    expect(contents.get('Script by browser')).toContain(`${figures.table.rows.length} rows.`)
    // Tables that are not saved make no report partial.
    expect(contents.get('Script by network')).toContain('Not in this file')
    expect(state.file).toBe('Acme - Whole report - 2026-11-08 to 2026-11-14.xlsx')
  })

  it('is called partial where its own days lack figures', async () => {
    const desk = await deskWith()
    for (const family of ['script', 'direct'] as const)
      for (const days of [{ ...range, start: day('2026-11-09') }, before])
        await desk.reports.storeWhole({
          ...{ account: desk.account().id, query: { ...overviewOf(family), range: days } },
          ...{ signal: new AbortController().signal, progress: () => undefined },
        })
    await running.fault({ path: null, times: null, does: { kind: 'reset' } })
    const { state } = await fileOf(desk).finally(() => running.control('DELETE', '/faults'))
    expect(state.file).toMatch(/^Acme - Whole report - 2026-11-08 to 2026-11-14 \(partial.*\)\.xlsx$/)
  })

  it('names what is not saved, and asks the service for none of it', async () => {
    const desk = await deskWith('browsers')
    await desk.ask(overviewOf('script'))
    await desk.asked()
    const { sheets, contents } = await fileOf(desk)
    expect(contents.get('Script by network')).toContain('Not in this file')
    expect([...sheets.keys()]).not.toContain('Script by network')
    expect((await desk.asked()).filter((path) => !path.includes('overview'))).toEqual([])
  })

  it('has the days that are saved of a table, says which are missing, and calls that no failure', async () => {
    const desk = await sandboxDesk(running)
    await desk.ask(tableOf('networks', { ...range, start: day('2026-11-09') }))
    const { contents, sheets } = await fileOf(desk)
    expect(contents.get('Script by network')).toContain(
      'Partial: 6 of 7 days. Missing: 2026-11-08. Nothing is compared: no day is saved for both periods.',
    )
    expect(sheets.get('Script by network')?.[0]).not.toContain('Bad before')
    const about = sheets.get('About') ?? []
    const first = about.findIndex(([, value]) => value === 'Script by network')
    expect(about.slice(first).map(([name]) => name)).not.toContain('Not refreshed')
  })

  it('has changes with their reasons, and notes, of which none is a formula', async () => {
    const desk = await deskWith('browsers', 'networks')
    for (const days of [range, before])
      await desk.reports.storeWhole({
        ...{ account: desk.account().id, query: { ...overviewOf('script'), range: days } },
        ...{ signal: new AbortController().signal, progress: () => undefined },
      })
    const { path, sheets, contents } = await fileOf(desk)
    const [header, ...moved] = sheets.get('Script, biggest changes') ?? []
    expect(header?.[0]).toBe('Browser')
    expect(moved.length).toBeGreaterThan(0)
    const [, ...reasons] = sheets.get('Script, what explains it') ?? []
    // What the values of a dimension contribute adds up to the change.
    for (const dimension of ['Browsers', 'Networks']) {
      const effects = reasons.filter(([, by]) => by === dimension)
      const all = effects.find(([value]) => value === 'All')
      const parts = effects.filter((row) => row !== all).reduce((sum, row) => sum + Number(row[4]), 0)
      expect(parts).toBeCloseTo(Number(all?.[4]), 9)
    }
    expect(contents.get('Direct, biggest changes')).toContain('Not in this file')
    expect(sheets.get('Notes')?.[1]?.slice(2)).toEqual([
      '=1+1',
      'The whole account, left out of what is usual',
    ])
    for (let sheet = 1; sheet <= sheets.size; sheet += 1)
      expect(await partOf(path, `xl/worksheets/sheet${sheet}.xml`)).not.toMatch(/<f[ >]/)
  })

  it('has charts of its own cells, real tables, and links to its sheets', async () => {
    const { path, sheets } = await fileOf(await deskWith('browsers'), openWriter)
    const chart = async (number: number) =>
      (await partOf(path, `xl/charts/chart${number}.xml`)).replaceAll('&apos;', "'")
    const days = await chart(1)
    expect(days).toContain("<c:f>'Script by day'!$A$2:$A$8</c:f>")
    expect(days).toContain("<c:f>'Script by day'!$B$2:$B$8</c:f>")
    expect(days).toContain("<c:f>'Script by day'!$C$2:$C$8</c:f>")
    expect(days).toMatch(/<c:barChart>.*<c:lineChart>/s)
    expect(days).toContain('<c:smooth val="0"/>')
    expect(days).toContain('<c:symbol val="none"/>')
    // The first ten rows, and no totals.
    expect(sheets.get('Script by browser')?.length).toBeGreaterThan(11)
    const top = await chart(3)
    expect(top).toContain('<c:symbol val="circle"/>')
    for (const column of ['A', 'B']) expect(top).toContain(`'Script by browser'!$${column}$2:$${column}$11<`)
    expect(await partOf(path, 'xl/tables/table1.xml')).toMatch(/<table [^>]*ref="A1:/)
    const contents = await partOf(path, 'xl/worksheets/sheet1.xml')
    const linked = [...contents.matchAll(/ location="&apos;([^"]*)&apos;!A1"/g)].map(([, name]) => name)
    expect(new Set(linked)).toEqual(new Set([...sheets.keys()].filter((name) => name !== 'Contents')))
  })

  it.each([
    // Six columns each, and a header; the other sheets have fewer than a thousand cells.
    { rows: 30_000, charts: true },
    { rows: 40_000, charts: false },
  ])('is streamed without charts, and says so, above 200,000 cells: $rows rows', async ({ rows, charts }) => {
    const desk = await deskWith('networks')
    // A file of a few rows that counts as one of many.
    const storedSnapshot: SandboxDesk['reports']['storedSnapshot'] = async (asked, signal) => {
      const found = await desk.reports.storedSnapshot({ ...asked, before: null }, signal)
      if (found?.kind !== 'file') return found
      return { ...found, file: { ...found.file, rows, columns: found.file.columns.slice(0, 6) } }
    }
    const reports = withSnapshots(desk, storedSnapshot)
    const { path, sheets, contents } = await fileOf({ ...desk, reports })
    expect(contents.get('Charts')).toContain(charts ? 'One for the days' : 'more than 200,000 cells')
    expect(sheets.has('Charts')).toBe(charts)
    expect(sheets.get('Script by network')?.length).toBeGreaterThan(2)
    const isThere = await partOf(path, 'xl/charts/chart1.xml').then(
      () => true,
      () => false,
    )
    expect(isThere).toBe(charts)
    // Links lead there all the same.
    expect(await partOf(path, 'xl/worksheets/sheet1.xml')).toContain('<hyperlink ')
  })

  it('has charts up to 200,000 cells, headers among them, and 16 MB of rows', async () => {
    const sheet = { name: 'x', facts: null, columns: [{ header: 'a', kind: 'label', place: 0 }] } as const
    const partWith = (rows: FilledSheet['rows'] | SnapshotFile) =>
      ({ kind: 'sheet', sheet: { ...sheet, rows }, known: [], notes: [] }) as const
    const row = { label: { kind: 'text', text: 'a' }, cells: [] } as const
    const some = (count: number) => partWith(Array.from({ length: count }, () => row))
    expect(await canHaveCharts([some(199_999)])).toBe(true)
    expect(await canHaveCharts([some(200_000)])).toBe(false)
    expect(await canHaveCharts([some(100_000), some(99_999)])).toBe(false)
    const path = join(temporaryFolder(), 'rows')
    const fileWith = (bytes: number) => {
      writeFileSync(path, '')
      truncateSync(path, bytes)
      return partWith({ path, rows: 1 } as SnapshotFile)
    }
    expect(await canHaveCharts([fileWith(16_000_000)])).toBe(true)
    expect(await canHaveCharts([fileWith(16_000_001)])).toBe(false)
  })

  it('leaves nothing where it is cancelled at once', async () => {
    const desk = await deskWith('browsers')
    const { folder, exported, jobs, ended } = exporting(desk)
    const { id } = await exported.begin({ account: desk.account().id, order })
    jobs.cancel(id)
    expect(await ended(id)).toMatchObject({ kind: 'cancelled' })
    expect(readdirSync(folder)).toEqual([])
  })

  it('leaves nothing where it is cancelled while tables are read, and no rows of those that were', async () => {
    const desk = await deskWith('browsers', 'networks')
    const paths: string[] = []
    let cancel = () => {}
    const reports = withSnapshots(desk, async (asked, signal) => {
      const found = await desk.reports.storedSnapshot(asked, signal)
      if (found?.kind !== 'file') return found
      paths.push(found.file.path)
      if (paths.length === 2) cancel()
      return found
    })
    const { folder, exported, jobs, ended } = exporting({ ...desk, reports })
    const { id } = await exported.begin({ account: desk.account().id, order })
    cancel = () => jobs.cancel(id)
    expect(await ended(id)).toMatchObject({ kind: 'cancelled' })
    expect(readdirSync(folder)).toEqual([])
    expect(paths).toHaveLength(2)
    await eventually(() => expect(paths.filter((path) => existsSync(path))).toEqual([]))
  })
})
