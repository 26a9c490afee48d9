import { createHash } from 'node:crypto'
import Papa from 'papaparse'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import readSheets from 'read-excel-file/node'
import { expect, it, onTestFinished, vi } from 'vitest'
import type { RowsParts } from '../../../src-main/rows/rows.ts'
import type { CaseEntry } from '../../../src-shared/cases/case.ts'
import { changesOf } from '../../../src-shared/cases/changes.ts'
import { DeskFailure } from '../../../src-shared/desk/desk-failure.ts'
import type { OverviewQuery } from '../../../src-shared/reports/query.ts'
import { day, daysOf } from '../../../src-shared/values/day.ts'
import { eventually } from '../../helpers/eventually.ts'
import { filesInZip } from '../../helpers/files-in-zip.ts'
import { localStore } from '../store/helpers.ts'
import { isLive } from '../../../src-shared/accounts/account.ts'
import { account, newFolder, openRows } from './open-rows.ts'

const zone = 'America/New_York'

/** Rows of two sources on three days of New York; the last hour of a day there is the next day in UTC. */
const table = [
  'TIMESTAMP,SOURCE,RESULT,RULE SETS,INVALID TRAFFIC TYPE,REMOTE ADDRESS',
  '2026-11-10T10:00:00Z,news,suspect,UE,Automated,192.0.2.1',
  '2026-11-11T04:59:59Z,news,suspect,"UE,SP",Automated,192.0.2.2',
  '2026-11-11T05:00:00Z,news,non-suspect,,,192.0.2.3',
  '2026-11-11T10:00:00Z,shop,suspect,SP,Data centre,192.0.2.4',
  '2026-11-13T10:00:00Z,news,suspect,UE,Automated,192.0.2.5',
  '2026-11-12T10:00:00Z,=cmd(),non-suspect,,,192.0.2.6',
].join('\n')

const entry: CaseEntry = {
  ...{ name: 'News of autumn', family: 'direct', about: 'source', subject: 'news' },
  ...{ instance: null, source: 'news', campaign: null },
  range: { start: day('2026-11-10'), end: day('2026-11-11') },
  ...{ files: [], notes: 'Paid in advance.\nSee the contract.' },
}

const provenance = { fetchedAt: 1_000, missing: [], restated: null }

async function openCases({ suspect = (query: OverviewQuery) => query.source?.length ?? 4 } = {}) {
  const folder = newFolder()
  const path = join(folder, 'week.csv')
  writeFileSync(path, `${table}\n`)
  const store = localStore(folder)
  const { id } = account
  if (!isLive(account)) throw new Error('An account of a service')
  await store.run('accounts/put', account)
  const ask: RowsParts['ask'] = (({ query }: { query: OverviewQuery }) =>
    Promise.resolve({
      ...{ kind: 'overview', query, provenance },
      figures: { total: { nonsuspect: 10, suspect: suspect(query), mobile: 0 }, chart: null },
    })) as unknown as RowsParts['ask']
  const trend: RowsParts['trend'] = ((_: unknown, { range }: OverviewQuery) =>
    Promise.resolve({
      provenance,
      chart: {
        days: daysOf(range),
        series: [{ header: 'Suspect', values: daysOf(range).map(() => 1) }],
      },
    })) as unknown as RowsParts['trend']
  const { rows, exported } = openRows(folder, {
    ask,
    trend,
    state: store,
    book: {
      account: () => ({ ...account, dayZone: zone }),
      list: () => [account],
      ownerOf: () => 'owner-1' as ReturnType<RowsParts['book']['ownerOf']>,
      onChange: () => () => undefined,
    },
    print: (printed) => Promise.resolve(new TextEncoder().encode(`%PDF of ${printed}`)),
  })
  const files = await rows.take({ account: id, dropped: [...(await rows.dropped([path]))] })
  await eventually(async () => expect((await rows.list(id)).map(({ state }) => state.as)).toEqual(['whole']))
  return { rows, exported, folder, entry: { ...entry, files: [...files] } }
}

it('gathers figures of the tables, of the days before and of the others, and rows of its days alone', async () => {
  const figures = (query: OverviewQuery) =>
    query.range.start === entry.range.start ? (query.source === null ? 9 : 4) : 1
  const { rows, entry: whole } = await openCases({ suspect: figures })
  const { id } = await rows.cases.begin({ account: account.id, entry: whole })
  expect((await rows.cases.of({ account: account.id, id })).made).toBeNull()
  const { made } = await rows.cases.make({ account: account.id, id })
  const suspects = (side: 'now' | 'before' | 'others') =>
    made?.[side]?.figures.find(({ header }) => header === 'Suspect')?.value
  expect([suspects('now'), suspects('before'), suspects('others')]).toEqual([4, 1, 5])
  expect(made?.before?.range).toEqual({ start: '2026-11-08', end: '2026-11-09' })
  expect(made).toMatchObject({
    zone,
    rows: { rows: 3, bad: 2 },
    rowDays: [
      { value: '2026-11-10', rows: 2, bad: 2 },
      { value: '2026-11-11', rows: 1, bad: 0 },
    ],
    results: [
      { value: 'non-suspect', rows: 1, bad: 0 },
      { value: 'suspect', rows: 2, bad: 2 },
    ],
    sources: [
      { value: 'news', rows: 3, bad: 2 },
      { value: 'shop', rows: 1, bad: 1 },
    ],
    archives: [{ name: 'week.csv', rows: 6, ofCase: 3, recount: { verdict: 'differs' } }],
    headers: ['Suspect'],
    lacks: [],
  })
  expect(made?.ruleSets.map(({ value, rows: n }) => [value, n])).toEqual([
    ['', 1],
    ['UE', 1],
    ['UE,SP', 1],
  ])
})

it('says what changed when it is made again, and keeps what a person noted', async () => {
  let suspect = 4
  const { rows, entry: whole } = await openCases({ suspect: () => suspect })
  const { id } = await rows.cases.begin({ account: account.id, entry: whole })
  const of = { account: account.id, id }
  await rows.cases.make(of)
  await rows.cases.change({ ...of, entry: { ...whole, notes: 'They answered.' } })
  suspect = 7
  const { made, before, entry: kept } = await rows.cases.make(of)
  expect(kept.notes).toBe('They answered.')
  if (!made || !before) throw new Error('Not made twice')
  expect(changesOf(before, made).filter(({ what }) => what.startsWith('Suspect'))).toEqual([
    { what: 'Suspect', before: 4, after: 7 },
    { what: 'Suspect before', before: 4, after: 7 },
  ])
  expect(changesOf(made, made)).toEqual([])
  expect((await rows.cases.list(account.id)).map((each) => each.id)).toEqual([id])
  await rows.cases.remove(of)
  await expect(rows.cases.of(of)).rejects.toThrow(/removed/)
})

it('says what could not be had, and is made of the rest', async () => {
  const { rows, entry: whole } = await openCases({
    suspect: () => {
      throw new DeskFailure({ kind: 'internal', message: 'Nobody answers.' })
    },
  })
  const { id } = await rows.cases.begin({
    account: account.id,
    entry: { ...whole, files: [...whole.files, 'file-gone' as (typeof whole.files)[number]] },
  })
  const { made } = await rows.cases.make({ account: account.id, id })
  expect(made?.now).toBeNull()
  expect(made?.rows.rows).toBe(3)
  expect(made?.lacks.map(({ what, failure }) => `${what}: ${failure.message}`)).toEqual([
    'Archives: 1 of 2 are not read in.',
    ...['these days', 'the days before', 'the others'].map((words) => `Figures of ${words}: Nobody answers.`),
  ])
})

it('is saved as one folder of pages, workbook, rows and checksums that hold', async () => {
  const { rows, exported, folder, entry: whole } = await openCases()
  const { id } = await rows.cases.begin({ account: account.id, entry: whole })
  const of = { account: account.id, id }
  await expect(rows.cases.save(of)).rejects.toThrow(/not made yet/)
  await rows.cases.make(of)
  await rows.cases.make(of)
  await rows.cases.save(of)
  const out = join(folder, 'pack.zip')
  writeFileSync(out, '')
  expect(exported[0]).toMatchObject({ name: 'Case News of autumn', ending: 'zip' })
  // What is gathered for it stays in the profile: the system's folder for such is not there.
  vi.stubEnv('TMPDIR', join(folder, 'nowhere'))
  onTestFinished(() => void vi.unstubAllEnvs())
  expect(await exported[0]?.write(out, new AbortController().signal, () => undefined)).toBe(3)
  const files = await filesInZip(out)
  const place = 'Case News of autumn'
  const contents = ['Case.pdf', 'Case.xlsx', 'Raw rows.csv', 'SHA256SUMS']
  expect([...files.keys()]).toEqual(contents.map((name) => `${place}/${name}`))
  const sums = files.get(`${place}/SHA256SUMS`)?.toString() ?? ''
  const expected = contents.slice(0, 3).map((name) => {
    const bytes = files.get(`${place}/${name}`) ?? Buffer.alloc(0)
    return `${createHash('sha256').update(bytes).digest('hex')}  ${name}\n`
  })
  expect(sums).toBe(expected.join(''))
  const lines = table.split('\n')
  const packed = Papa.parse<string[]>(files.get(`${place}/Raw rows.csv`)?.toString() ?? '').data
  expect(packed).toEqual([...lines.slice(0, 4).flatMap((line) => Papa.parse<string[]>(line).data), ['']])
  expect(files.get(`${place}/Case.pdf`)?.toString()).toContain(encodeURIComponent(`#/cases/${id}`))
  const sheets = await readSheets(files.get(`${place}/Case.xlsx`) ?? Buffer.alloc(0))
  expect(sheets.map(({ sheet }) => sheet)).toEqual([
    ...[
      'Summary',
      'Figures',
      'By day',
      'By rule set',
      'By type',
      'Sources',
      'Archives',
      'What changed',
      'Method',
      'Rows',
    ],
  ])
  const summary = new Map(sheets[0]?.data.map(([name, value]) => [name, value]))
  expect(summary.get('About')).toBe('Source news')
  expect(summary.get('Notes')).toBe('Paid in advance.')
  expect(summary.get('Rows')).toBe(3)
  expect(sheets.find(({ sheet }) => sheet === 'By day')?.data.slice(1)).toEqual([
    ['2026-11-10', 1, 2, 2],
    ['2026-11-11', 1, 1, 0],
  ])
  expect(sheets.at(-1)?.data.length).toBe(4)
})

it('is not saved with other rows than it was made of', async () => {
  const { rows, exported, folder, entry: whole } = await openCases()
  const { id } = await rows.cases.begin({ account: account.id, entry: whole })
  const of = { account: account.id, id }
  await rows.cases.make(of)
  await rows.cases.save(of)
  writeFileSync(
    join(folder, 'week.csv'),
    `${table}\n2026-11-10T11:00:00Z,news,suspect,UE,Automated,192.0.2.9\n`,
  )
  const [file] = whole.files
  if (!file) throw new Error('No file')
  await rows.read({ account: account.id, file })
  await eventually(async () =>
    expect((await rows.list(account.id))[0]?.state).toMatchObject({ as: 'whole', facts: { rows: 7 } }),
  )
  const out = join(folder, 'pack.zip')
  writeFileSync(out, '')
  await expect(exported[0]?.write(out, new AbortController().signal, () => undefined)).rejects.toThrow(
    /Make it again/,
  )
})
