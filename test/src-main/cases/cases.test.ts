import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { CaseEntry, CaseFindings } from '#shared/cases/case.ts'
import { changesOf } from '#shared/cases/case.ts'
import { sectionsOf } from '#shared/cases/sections.ts'
import { methodOf, missingOf } from '#shared/texts/cases.ts'
import { DeskFailure } from '#shared/api/failure.ts'
import type { RowsFileId } from '#shared/archives/rows-file.ts'
import type { DataScopeId } from '#shared/values/ids.ts'
import { eventually } from '#test/helpers/eventually.ts'
import { account, aroundCases } from '../archives/open-rows.ts'
import { entry, events, openService, range, scope, site, wide, zone } from './made-service.ts'
import type { MadeService } from './made-service.ts'

const ofSite = (files: readonly RowsFileId[]): CaseEntry => ({
  ...entry,
  scope: { ...scope, instances: { kind: 'some', list: [site] } },
  files: [...files],
})

async function begun({ cases }: MadeService, whole: CaseEntry) {
  const { id } = await cases.begin({ account: account.id, entry: whole, fitting: false })
  return { account: account.id, id }
}
const valueOf = (made: CaseFindings | null, side: 'now' | 'before' | 'others', header: string) =>
  made?.[side]?.figures.find((each) => each.header === header)?.value
const plain = { count: String, share: String, moment: String, days: () => '' }

it('gathers figures of its scope, of the days before and of the others, and rows of its days alone', async () => {
  const service = await openService(events, { zone })
  const files = [await service.importArchive('a', { instance: '7', range: wide })]
  const of = await begun(service, ofSite(files))
  expect((await service.cases.read(of)).made).toBeNull()
  const { made } = await service.cases.make(of)
  const values = (['now', 'before', 'others'] as const).map((side) => [
    valueOf(made, side, 'Requests'),
    valueOf(made, side, 'Suspect'),
  ])
  expect(values).toEqual([
    [3, 2],
    [1, 0],
    [1, 1],
  ])
  expect(made?.before?.range).toEqual({ start: '2026-11-08', end: '2026-11-09' })
  expect(made).toMatchObject({
    ...{ zone, scope: ofSite([]).scope, covers: 'whole', service: 'reports.kestrel.example' },
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
    archives: [{ name: 'a', rows: 7, ofCase: 3, instance: site, left: null, recount: { outcome: 'agrees' } }],
    headers: ['Non-Suspect', 'Suspect'],
    lacks: [],
  })
  expect(made?.ruleSets.map(({ value, rows: n }) => [value, n])).toEqual([
    ['UE', 2],
    ['', 1],
  ])
})

it('stays of all instances whatever archives are there, and says whose rows are missing', async () => {
  const service = await openService(events, { zone })
  const files = [await service.importArchive('a', { instance: '7', range: wide })]
  const of = await begun(service, { ...entry, files })
  const { made } = await service.cases.make(of)
  // Three of one site, and twice as many of the other.
  expect([valueOf(made, 'now', 'Requests'), valueOf(made, 'now', 'Suspect')]).toEqual([9, 6])
  expect(made).toMatchObject({ rows: { rows: 3, bad: 2 }, covers: 'part' })
  expect(made && missingOf(made)).toEqual([
    'Raw rows of Site 8: No raw report with all its rows (6 requests).',
  ])
  // Rows of a part are never set beside figures of all.
  const byDay =
    made &&
    sectionsOf({ account: '', entry, made, before: null, rules: new Map() }, plain).find(
      ({ name }) => name === 'By day',
    )
  expect(byDay?.body.kind === 'table' && byDay.body.columns.map(({ header }) => header)).toEqual([
    ...['Day', 'Non-suspect', 'Suspect'],
  ])
})

it('says of what changed that the token saw other instances, where it did', async () => {
  const service = await openService(events, { zone })
  const of = await begun(service, ofSite([]))
  const { made } = await service.cases.make(of)
  if (!made?.dataScope) throw new Error('It is of no data scope')
  const linesOf = (dataScope: DataScopeId | undefined) => {
    const before = { ...made, dataScope }
    const sections = sectionsOf({ account: '', entry: ofSite([]), made, before, rules: new Map() }, plain)
    return sections.find(({ name }) => name === 'What changed')?.lines
  }
  expect(linesOf('another' as DataScopeId)).toEqual([
    'The token saw other instances then: the service may have changed nothing.',
  ])
  expect(linesOf(made.dataScope)).toEqual([])
  expect(linesOf(undefined)).toEqual([])
})

it('does not count rows of another instance, and says so', async () => {
  const service = await openService(events, { zone })
  const files = [
    await service.importArchive('a', { instance: '7', range: wide }),
    await service.importArchive('b', { instance: '8', range: wide }),
  ]
  const of = await begun(service, ofSite(files))
  const first = await service.cases.make(of)
  const other = "b: It is for another instance, Site 8. Its rows don't count."
  expect(first.made && missingOf(first.made)).toEqual([other])
  expect(first.made?.rows).toEqual({ rows: 3, bad: 2 })
  expect(first.made?.archives.map(({ ofCase }) => ofCase)).toEqual([3, 0])
  // Reports are forgotten one day. What an archive was of is not.
  service.records.clear()
  const { made } = await service.cases.make(of)
  expect(made && missingOf(made)).toContain(other)
  expect(made?.rows).toEqual({ rows: 3, bad: 2 })
})

it('says which rows its archives cannot have: other filters, other days, lines and times that cannot be read', async () => {
  const service = await openService(events, { zone })
  const files = [
    await service.importArchive('bad ones', {
      ...{ instance: '7', range: wide },
      filters: [{ column: 'result', operator: 'equals', value: 'suspect' }],
    }),
    await service.importArchive('one day', {
      instance: '7',
      range: { start: range.start, end: range.start },
    }),
  ]
  const odd = join(service.folder, 'odd.csv')
  writeFileSync(
    odd,
    `TIMESTAMP,SOURCE,RESULT,RULE SETS\n2026-11-10T10:00:00Z,news,suspect,UE\nlately,news,suspect,UE\nno row\n`,
  )
  const [dropped] = await service.rows.take({
    account: account.id,
    dropped: [...(await service.rows.dropped([odd]))],
  })
  if (!dropped) throw new Error('Nothing was dropped')
  await eventually(async () =>
    expect((await service.rows.list(account.id)).every(({ state }) => state.kind === 'whole')).toBe(true),
  )
  const { made } = await service.cases.make(await begun(service, ofSite([...files, dropped])))
  expect(made && missingOf(made)).toEqual([
    'bad ones: It was requested with other filters (result) and has only some rows.',
    'one day: It covers 2026-11-10 to 2026-11-10 only.',
    'odd.csv: The instance of its rows is unknown. They count.',
    "odd.csv: 1 of its lines can't be read.",
    'Raw rows of Site 7: No raw report with all its rows (3 requests).',
    'Rows without a time: 1 row has no readable time and does not count.',
  ])
  expect(made?.covers).toBe('part')
  // The same rows in three archives: each once.
  expect(made?.rows).toEqual({ rows: 2, bad: 2 })
  const method = made ? methodOf(entry, made).map(({ meaning }) => meaning) : []
  expect(method.join(' ')).toContain('lists the rows left out')
  expect(method.join(' ')).not.toContain('No row is left out')
})

it('says with which type a rule set came alone, and counts rows of several archives once, those of other sources too', async () => {
  const service = await openService(events, { zone })
  const path = join(service.folder, 'typed.csv')
  const rows = [
    ...['news,suspect,UE,User agent', 'news,suspect,UE,User agent', 'news,suspect,"UE,BT",User agent'],
    ...['news,suspect,BT,Spoofing', 'news,suspect,BT,Bot', 'news,non-suspect,,', 'shop,suspect,GE,Geography'],
  ]
  writeFileSync(
    path,
    [
      'TIMESTAMP,SOURCE,RESULT,RULE SETS,INVALID TRAFFIC TYPE',
      ...rows.map((row, nth) => `2026-11-10T10:00:0${nth}Z,${row}`),
    ].join('\n'),
  )
  const files: RowsFileId[] = []
  for (const each of [1, 2]) {
    const dropped = [...(await service.rows.dropped([path]))]
    const [file] = await service.rows.take({ account: account.id, dropped })
    if (file) files.push(file)
    expect(files).toHaveLength(each)
  }
  await eventually(async () =>
    expect((await service.rows.list(account.id)).every(({ state }) => state.kind === 'whole')).toBe(true),
  )
  const { made } = await service.cases.make(await begun(service, ofSite(files)))
  expect(made?.ruleTypes.toSorted((a, b) => a.code.localeCompare(b.code))).toEqual([
    { code: 'BT', types: ['Bot', 'Spoofing'] },
    { code: 'UE', types: ['User agent'] },
  ])
  expect(made?.rows).toEqual({ rows: 6, bad: 5 })
  expect(made?.sources).toEqual([
    { value: 'news', rows: 6, bad: 5 },
    { value: 'shop', rows: 1, bad: 1 },
  ])
})

it('says what changed when it is made again, and keeps what a person noted', async () => {
  let more = 0
  const service = await openService(events, { zone, suspects: () => more })
  const of = await begun(service, entry)
  const { cases } = service
  await cases.make(of)
  await cases.change({ ...of, name: 'News', notes: 'They answered.' })
  more = 3
  const { made, before, entry: stored } = await cases.make(of)
  expect(stored).toEqual({ ...entry, name: 'News', notes: 'They answered.' })
  if (!made || !before) throw new Error('Not made twice')
  expect(changesOf(before, made).filter(({ what }) => what.startsWith('Suspect'))).toEqual([
    { what: 'Suspect', before: 6, after: 9 },
    { what: 'Suspect before', before: 0, after: 3 },
  ])
  expect(changesOf(made, made)).toEqual([])
  expect((await cases.list(account.id)).map((each) => each.id)).toEqual([of.id])
  await cases.remove(of)
  await expect(cases.read(of)).rejects.toThrow(/was deleted/)
})

it('never compares with what was found of another scope, and has that found anew before anything is saved', async () => {
  const service = await openService(events, { zone })
  const of = await begun(service, entry)
  const { made } = await service.cases.make(of)
  if (!made) throw new Error('Not made')
  // As an older version left it: of which scope the figures are is not known.
  const { run } = service.store
  await run('cases/made', { ...of, made: { ...made, scope: null } })
  await expect(service.cases.save(of)).rejects.toThrow(/may have counted only one instance/)
  const again = await service.cases.make(of)
  expect(again).toMatchObject({ made: { scope }, before: null })
  await service.cases.save(of)
})

it('leaves archives out that are known to be of something else, where it is begun from figures', async () => {
  const service = await openService(events, { zone })
  const files = [
    await service.importArchive('a', { instance: '7', range: wide }),
    await service.importArchive('b', { instance: '8', range: wide }),
    await service.importArchive('shop', {
      ...{ instance: '7', range: wide },
      filters: [{ column: 'source', operator: 'equals', value: 'shop' }],
    }),
  ]
  const { cases } = service
  const { id } = await cases.begin({ account: account.id, entry: ofSite(files), fitting: true })
  expect((await cases.read({ account: account.id, id })).entry.files).toEqual([files[0]])
})

it('is gathered anew where the token came to see other instances between two answers', async () => {
  let [gathered, standing] = [0, 'few']
  const confirm = () => {
    gathered += 1
    // What the first check finds is another scope than that of the first answers.
    standing = 'more'
    return Promise.resolve(null)
  }
  const forCases = { ...aroundCases, standingOf: () => standing, confirm }
  const service = await openService(events, { zone, more: { forCases } })
  const { made } = await service.cases.make(await begun(service, ofSite([])))
  expect([gathered, made?.now]).toEqual([2, expect.anything()])
})

it('is not made while it cannot be checked of which instances its figures are', async () => {
  const failure = { kind: 'no-right', message: 'The list of instances is refused.' } as const
  const forCases = { ...aroundCases, confirm: () => Promise.resolve(failure) }
  const service = await openService(events, { zone, more: { forCases } })
  const of = await begun(service, ofSite([]))
  await expect(service.cases.make(of)).rejects.toMatchObject({ failure })
  expect((await service.cases.read(of)).made).toBeNull()
})

it('says what could not be had, and is made of the rest', async () => {
  const fail = () => Promise.reject(new DeskFailure({ kind: 'internal', message: 'Nobody answers.' }))
  const service = await openService(events, { zone, more: { ask: fail } })
  const files = [await service.importArchive('a', { instance: '7', range: wide })]
  const of = await begun(service, ofSite([...files, 'file-gone' as RowsFileId]))
  const { made } = await service.cases.make(of)
  expect(made?.now).toBeNull()
  expect(made?.rows.rows).toBe(3)
  expect(made && missingOf(made)).toEqual([
    'Archives: 1 of 2 are no longer imported.',
    'Instances with traffic: Nobody answers.',
    ...['these days', 'the days before', 'the others'].map((words) => `Figures of ${words}: Nobody answers.`),
  ])
})
