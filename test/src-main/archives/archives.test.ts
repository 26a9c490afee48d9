import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { ListOrigin } from '#shared/archives/block-list.ts'
import type { RowsFile } from '#shared/archives/rows-file.ts'
import type { Archives } from '#main/archives/archives.ts'
import type { Around } from './open-rows.ts'
import { DeskFailure } from '#shared/api/failure.ts'
import type { Instant, RawReportId } from '#shared/values/ids.ts'
import { eventually } from '#test/helpers/eventually.ts'
import { account, dropped, firstPage, newFolder, openRows, stateOf, theFile } from './open-rows.ts'
import { zipOf } from './zip-of.ts'

it('reads in a file that was dropped, and answers from it', async () => {
  const folder = newFolder()
  const path = join(folder, 'old.csv')
  writeFileSync(path, 'A,B\n1,x\n2,y\n3\n')
  const { rows } = openRows(folder)
  await dropped(rows, path)
  expect(await theFile(rows)).toMatchObject({
    name: 'old.csv',
    report: null,
    archive: 'there',
    state: { kind: 'whole', facts: { rows: 2, unreadable: 1 } },
  })
  expect(await firstPage(rows)).toMatchObject({
    total: 2,
    rows: [{ cells: ['1', 'x'] }, { cells: ['2', 'y'] }],
  })
})

it('takes nothing that was not dropped, and no file of another kind', async () => {
  const folder = newFolder()
  writeFileSync(join(folder, 'secret.key'), 'x')
  const { rows } = openRows(folder)
  const someId = randomUUID() as Parameters<Archives['take']>[0]['dropped'][number]
  await expect(async () => rows.take({ account: account.id, dropped: [someId] })).rejects.toThrow(
    /Drop it again/,
  )
  const [key] = await rows.dropped([
    join(folder, 'secret.key'),
    join(folder, 'nowhere.csv'),
    'relative.csv',
    '',
  ])
  expect(key).toBeDefined()
  await expect(async () => rows.take({ account: account.id, dropped: key ? [key] : [] })).rejects.toThrow(
    /ZIP and CSV/,
  )
})

it('takes every kind of table, and those of a folder', async () => {
  const folder = newFolder()
  const names = ['a.csv', 'b.tsv', 'c.txt', 'd.tab', 'e.log', 'f.csv.gz', 'G.ZIP']
  const inside = join(folder, 'clicks')
  mkdirSync(join(inside, 'deeper.csv'), { recursive: true })
  for (const name of [...names, 'picture.png', '.hidden.csv']) writeFileSync(join(inside, name), 'x,y\n1,2\n')
  const { rows } = openRows(folder)
  const dropped = await rows.dropped([inside, join(inside, 'a.csv')])
  expect(dropped).toHaveLength(names.length + 1)
  expect(await rows.take({ account: account.id, dropped: [...dropped] })).toHaveLength(names.length + 1)
})

it('reads files of a shape as a person chose, also those that come later', async () => {
  const folder = newFolder()
  const [path, next] = [join(folder, 'log.csv'), join(folder, 'next.csv')]
  writeFileSync(path, 'when,ref\n03/04/2026,a\n')
  writeFileSync(next, 'when,ref\n05/06/2026,b\n')
  const { rows } = openRows(folder)
  await dropped(rows, path)
  const { id: file } = await theFile(rows)
  const { shape, readAs } = await rows.queries.handlers['rows/preview']({ account: account.id, file })
  expect(readAs.doubts).toEqual(['month-first'])
  const chosen = { shape, choice: { columns: [{ name: 'when', form: 'day-first' as const }] } }
  await rows.import({ account: account.id, file, chosen })
  const firstOf = (files: readonly RowsFile[]) =>
    files.map(({ state }) => (state.kind === 'whole' ? state.facts.first : null))
  await eventually(async () => expect(firstOf(await rows.list(account.id))).toEqual([Date.UTC(2026, 3, 3)]))
  await rows.take({ account: account.id, dropped: [...(await rows.dropped([next]))] })
  await eventually(async () => expect(firstOf(await rows.list(account.id))).toContain(Date.UTC(2026, 5, 5)))
})

it('lists saved archives, and reads them in when asked', async () => {
  const folder = newFolder()
  const path = join(folder, 'report.zip')
  writeFileSync(
    path,
    await zipOf({ 'report.csv': 'TIMESTAMP,RESULT,APP ID\n2026-11-20T10:00:00Z,suspect,a\n' }),
  )
  const archives = [{ report: 'r-1' as RawReportId, name: 'Suspects', path, addedAt: 5 as Instant }]
  const { rows } = openRows(folder, { archives })
  const { id } = await theFile(rows)
  expect(await theFile(rows)).toMatchObject({ report: 'r-1', name: 'Suspects', state: { kind: 'not-read' } })
  await rows.import({ account: account.id, file: id })
  await eventually(async () => expect(await stateOf(rows)).toBe('whole'))
  expect(await theFile(rows)).toMatchObject({ type: 'direct', archive: 'there' })
  rmSync(path)
  expect(await theFile(rows)).toMatchObject({ archive: 'gone', state: { kind: 'whole' } })
  expect((await firstPage(rows)).total).toBe(1)
})

it('makes a lost catalogue from the files', async () => {
  const folder = newFolder()
  const path = join(folder, 'old.csv')
  writeFileSync(path, 'A,B\n1,x\n')
  const first = openRows(folder)
  await dropped(first.rows, path)
  const known = await theFile(first.rows)
  await first.rows.stop()
  const again = openRows(folder)
  expect(await theFile(again.rows)).toEqual(known)
  expect(again.catalogue.size).toBe(1)
})

it('lets rows go and keeps the archive, and the other way round', async () => {
  const folder = newFolder()
  const path = join(folder, 'report.csv')
  writeFileSync(path, 'A,B\n1,x\n')
  const archives = [{ report: 'r-1' as RawReportId, name: 'R', path, addedAt: 5 as Instant }]
  const { rows } = openRows(folder, { archives })
  const { id } = await theFile(rows)
  const read = async () => {
    await rows.import({ account: account.id, file: id })
    await eventually(async () => expect(await stateOf(rows)).toBe('whole'))
  }
  await read()
  await rows.discard({ account: account.id, file: id, what: 'rows' })
  expect(await stateOf(rows)).toBe('not-read')
  expect(readdirSync(join(folder, 'rows', 'account=scope-1'))).toEqual([])
  await read()
  await rows.discard({ account: account.id, file: id, what: 'archive' })
  expect(existsSync(path)).toBe(false)
  expect((await firstPage(rows)).total).toBe(1)
})

it('says why reading in came to nothing, also once the list of jobs was cleared', async () => {
  const folder = newFolder()
  const path = join(folder, 'empty.csv')
  writeFileSync(path, '')
  const { rows, jobs } = openRows(folder)
  await rows.take({ account: account.id, dropped: [...(await rows.dropped([path]))] })
  await eventually(async () =>
    expect((await theFile(rows)).state).toMatchObject({
      kind: 'failed',
      failure: { message: /nothing in it/ },
    }),
  )
  jobs.list().forEach(({ id: job }) => jobs.dismiss(job))
  const { id, state } = await theFile(rows)
  expect([jobs.list(), state.kind]).toEqual([[], 'failed'])
  await rows.cancelImport({ account: account.id, file: id })
  expect(await rows.list(account.id)).toEqual([])
})

it('counts rows against the saved figures', async () => {
  const folder = newFolder()
  const path = join(folder, 'report.csv')
  const lines = ['suspect', 'suspect', 'non-suspect'].map((result) => `2026-11-10T10:00:00Z,${result},a`)
  writeFileSync(path, `TIMESTAMP,RESULT,APP ID\n${lines.join('\n')}\n`)
  const chart = (suspect: number) => ({
    days: ['2026-11-10'],
    series: [
      { header: 'Suspect', values: [suspect] },
      { header: 'Non-Suspect', values: [1] },
    ],
  })
  let saved = 2
  const { rows } = openRows(folder, {
    trend: () =>
      Promise.resolve({
        chart: chart(saved),
        provenance: { missing: [], restated: null },
      }) as unknown as ReturnType<Around['trend']>,
  })
  await dropped(rows, path)
  const { id } = await theFile(rows)
  expect(await rows.recount({ account: account.id, file: id })).toEqual({
    figures: [
      { day: '2026-11-10', member: 'Suspect', counted: 2, saved: 2 },
      { day: '2026-11-10', member: 'Non-Suspect', counted: 1, saved: 1 },
    ],
    compared: { counted: 3, saved: 3, differing: 0 },
    outcome: 'agrees',
    reasons: [],
    failure: null,
  })
  saved = 5
  expect(await rows.recount({ account: account.id, file: id })).toMatchObject({
    compared: { counted: 3, saved: 6, differing: 3 },
    outcome: 'differs',
    reasons: ['unknown-scope'],
  })
})

it('finds a text in every archive', async () => {
  const folder = newFolder()
  const path = join(folder, 'report.csv')
  writeFileSync(
    path,
    'TIMESTAMP,RESULT,REMOTE ADDRESS\n2026-11-10T10:00:00Z,good,192.0.2.7\n2026-11-10T11:00:00Z,bad,192.0.2.9\n',
  )
  const { rows } = openRows(folder)
  await dropped(rows, path)
  const found = await rows.queries.handlers['rows/search']({ account: null, text: '192.0.2.9', max: 5 })
  expect(found).toMatchObject({
    searched: ['report.csv'],
    unsearched: [],
    files: [
      {
        account: account.id,
        name: 'report.csv',
        count: 1,
        rows: [{ row: 1, cells: ['2026-11-10T11:00:00Z', 'bad', '192.0.2.9'] }],
      },
    ],
  })
  expect(
    await rows.queries.handlers['rows/search']({ account: account.id, text: '198.51', max: 5 }),
  ).toMatchObject({
    files: [],
    columns: { searched: ['REMOTE ADDRESS'], unsearched: ['RESULT', 'TIMESTAMP'] },
  })
  for (const text of ['[192.0.2.9]:443', '::ffff:192.0.2.9', '192.0.2.8/31'])
    expect(
      (await rows.queries.handlers['rows/search']({ account: null, text, max: 5 })).files[0]?.count,
      text,
    ).toBe(1)
})

it('calls additional columns as the account does: in facts, queries of before, searches and files', async () => {
  const folder = newFolder()
  const path = join(folder, 'report.csv')
  writeFileSync(
    path,
    'TIMESTAMP,REMOTE ADDRESS,ADDITIONAL 1,ADDITIONAL 2\n2026-11-10T10:00:00Z,192.0.2.7,aff-77,x\n2026-11-10T11:00:00Z,192.0.2.8,aff-78,y\n',
  )
  const named = (name: string) => [
    { account: account.id, number: '1', name },
    { account: 'another' as typeof account.id, number: '2', name: 'Not this account' },
  ]
  let columnNames = named('Sub-id')
  const { rows } = openRows(folder, { columnNames: () => columnNames })
  await dropped(rows, path)
  const { id, state } = await theFile(rows)
  const names = ['TIMESTAMP', 'REMOTE ADDRESS', 'Sub-id', 'ADDITIONAL 2']
  expect(state.kind === 'whole' && state.facts.columns.map(({ name }) => name)).toEqual(names)
  const found = async (column: string) => {
    const conditions = [{ column, out: false, test: { kind: 'is', value: 'aff-78' } } as const]
    const query = {
      account: account.id,
      files: [id],
      conditions,
      sort: [{ column, direction: 'asc' } as const],
    }
    const page = { offset: 0, limit: 5, columns: ['Sub-id'] }
    return (await rows.queries.handlers['rows/page']({ query, ...page })).rows.map(({ cells }) => cells)
  }
  for (const column of ['Sub-id', 'ADDITIONAL 1']) expect(await found(column), column).toEqual([['aff-78']])
  expect(await rows.queries.handlers['rows/search']({ account: null, text: 'aff-77', max: 5 })).toMatchObject(
    {
      files: [{ count: 1, rows: [{ cells: ['2026-11-10T10:00:00Z', '192.0.2.7', 'aff-77'] }] }],
      columns: { searched: ['REMOTE ADDRESS', 'Sub-id'], unsearched: ['ADDITIONAL 2', 'TIMESTAMP'] },
    },
  )
  // Another column of the file has this name.
  columnNames = named('Remote address')
  const { state: kept } = await theFile(rows)
  expect(kept.kind === 'whole' && kept.facts.columns[2]?.name).toBe('ADDITIONAL 1')
})

it('names the archives that a search left out, and why', async () => {
  const folder = newFolder()
  const write = (name: string, text: string) => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  const reports = [{ report: 'r-1' as RawReportId, name: 'Suspects', path: '', addedAt: 5 as Instant }]
  const { rows } = openRows(folder, { archives: reports })
  const paths = [write('good.csv', 'IP,N\n192.0.2.7,1\n'), write('empty.csv', '')]
  await rows.take({ account: account.id, dropped: [...(await rows.dropped(paths))] })
  const states = async () => (await rows.list(account.id)).map(({ state }) => state.kind).sort()
  await eventually(async () => expect(await states()).toEqual(['failed', 'not-read', 'whole']))
  expect(await rows.queries.handlers['rows/search']({ account: null, text: '192.0.2.8', max: 5 })).toEqual({
    files: [],
    searched: ['good.csv'],
    unsearched: [
      { name: 'Suspects', why: 'not-read' },
      { name: 'empty.csv', why: 'failed' },
    ],
    columns: { searched: ['IP'], unsearched: ['N'] },
  })
})

const chartOf = (suspect: number) =>
  Promise.resolve({
    chart: {
      days: ['2026-11-10'],
      series: [
        { header: 'Suspect', values: [suspect] },
        { header: 'Non-Suspect', values: [0] },
      ],
    },
    provenance: { missing: [], restated: null },
  }) as unknown as ReturnType<Around['trend']>

/** A report of one suspect row that was saved a moment ago. */
function savedReport(folder: string, name = 'report') {
  const path = join(folder, `${name}.csv`)
  writeFileSync(path, 'TIMESTAMP,RESULT,APP ID\n2026-11-10T10:00:00Z,suspect,a\n')
  return { report: name as RawReportId, name, path, addedAt: Date.parse('2026-11-22') as Instant }
}

describe('by itself', () => {
  it('reads saved archives in and counts them again, each once, and keeps what came of it', async () => {
    const folder = newFolder()
    const archives = [savedReport(folder, 'one'), savedReport(folder, 'two')]
    let asked = 0
    const trend = () => {
      asked += 1
      return chartOf(1)
    }
    const { rows, stored, savedChanged } = openRows(folder, { archives, trend })
    rows.start()
    await eventually(() => expect(stored.size).toBe(2))
    expect((await rows.list(account.id)).map(({ state }) => state.kind)).toEqual(['whole', 'whole'])
    const report = 'one' as RawReportId
    expect(await rows.recounted({ account: account.id, report })).toMatchObject({
      countedAt: Date.parse('2026-11-22'),
      recount: { outcome: 'agrees', compared: { counted: 1, saved: 1 } },
    })
    savedChanged()
    rows.wake(account.id)
    const third = savedReport(folder, 'three')
    archives.push(third)
    savedChanged()
    await eventually(() => expect(stored.size).toBe(3))
    expect(asked).toBe(3)
  })

  it('does nothing where that is switched off, or for archives of long ago', async () => {
    const folder = newFolder()
    const old = { ...savedReport(folder, 'old'), addedAt: Date.parse('2026-11-01') as Instant }
    const archives = [savedReport(folder), old]
    let on = false
    const { rows, stored, savedChanged, switchedOn } = openRows(folder, {
      archives,
      trend: () => chartOf(1),
      autoImport: () => Promise.resolve(on),
    })
    rows.start()
    savedChanged()
    on = true
    switchedOn()
    await eventually(() => expect([...stored.keys()]).toEqual(['report']))
    expect((await rows.list(account.id)).find(({ name }) => name === 'old')?.state).toEqual({
      kind: 'not-read',
    })
  })

  it('counts again when the figures can be had that could not', async () => {
    const folder = newFolder()
    let trend = () => Promise.reject(new DeskFailure({ kind: 'internal', message: 'Nobody answers.' }))
    const { rows, stored } = openRows(folder, { archives: [savedReport(folder)], trend: () => trend() })
    rows.start()
    await eventually(() => expect(stored.get('report')?.recount.failure?.message).toBe('Nobody answers.'))
    trend = () => chartOf(3) as ReturnType<typeof trend>
    await eventually(() => {
      rows.wake(account.id)
      expect(stored.get('report')?.recount).toMatchObject({ outcome: 'differs', failure: null })
    })
  })

  it('leaves alone what a person has counted and let go', async () => {
    const folder = newFolder()
    const { rows, stored, savedChanged } = openRows(folder, {
      archives: [savedReport(folder)],
      trend: () => chartOf(1),
    })
    rows.start()
    await eventually(() => expect(stored.size).toBe(1))
    const { id: file } = await theFile(rows)
    await rows.discard({ account: account.id, file, what: 'rows' })
    rows.wake(account.id)
    savedChanged()
    await new Promise((resolve) => setImmediate(resolve))
    expect(await stateOf(rows)).toBe('not-read')
  })
})

describe('a file that takes the place of another', () => {
  it('is noticed in the list, and read in again', async () => {
    const folder = newFolder()
    const path = join(folder, 'old.csv')
    writeFileSync(path, 'A,B\n1,x\n')
    const { rows } = openRows(folder)
    await dropped(rows, path)
    writeFileSync(path, 'A,B\n1,x\n2,y\n')
    expect((await theFile(rows)).state).toMatchObject({ kind: 'importing', replaced: true })
    await eventually(async () => expect(await stateOf(rows)).toBe('whole'))
    expect((await firstPage(rows)).total).toBe(2)
  })

  it('is noticed where rows are asked about, also if it is as large', async () => {
    const folder = newFolder()
    const path = join(folder, 'old.csv')
    writeFileSync(path, 'A,B\n1,x\n')
    const { rows } = openRows(folder)
    await dropped(rows, path)
    const { id } = await theFile(rows)
    const query = { account: account.id, files: [id], conditions: [], sort: [] }
    writeFileSync(path, 'A,B\n1,z\n')
    utimesSync(path, 1_000_000, 1_000_000)
    await eventually(async () => {
      const { rows: found } = await rows.queries.handlers['rows/page']({
        query,
        offset: 0,
        limit: 10,
        columns: [],
      })
      expect(found[0]?.cells).toEqual(['1', 'z'])
    })
  })
})

it('remembers what block lists were made of', async () => {
  const folder = newFolder()
  const { rows, exported } = openRows(folder)
  const origin: ListOrigin = {
    ...{ address: '#/rows/file-1', archives: ['Week'], filters: [], period: null },
    ...{ column: 'REMOTE ADDRESS', by: 'value', minBad: 1, minShare: 0, format: 'lines' },
    ...{ campaign: '', onlyNew: false, expiry: null },
  }
  const list = { name: 'Block list of Week', origin }
  const ranges = [{ range: '198.51.100.7', seen: null }]
  await rows.saveList({ ...list, account: account.id, ending: 'txt', text: '198.51.100.7\n', ranges })
  const out = join(folder, 'out.txt')
  writeFileSync(out, '')
  expect(await exported[0]?.write(out, new AbortController().signal, () => undefined)).toEqual({ rows: 1 })
  expect(readFileSync(out, 'utf8')).toBe('198.51.100.7\n')
  expect(await rows.lists(account.id)).toMatchObject([
    { ...list, entries: 1, madeAt: Date.parse('2026-11-22') },
  ])
})
