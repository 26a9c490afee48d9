import { readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { DuckDBInstance } from '@duckdb/node-api'
import { describe, expect, it } from 'vitest'
import type { Instant, RawReportId } from '#shared/values/ids.ts'
import { eventually } from '#test/helpers/eventually.ts'
import { account, dropped, firstPage, newFolder, openRows, stateOf, theFile } from './open-rows.ts'

it('reads damaged rows in again where their file is there, and never answers from them', async () => {
  const folder = newFolder()
  const path = join(folder, 'old.csv')
  writeFileSync(path, 'A,B\n1,x\n2,y\n')
  const { rows } = openRows(folder)
  await dropped(rows, path)
  const place = join(folder, 'rows', 'account=scope-1')
  const name = readdirSync(place).find((each) => each.includes('-rows-')) ?? ''
  writeFileSync(join(place, name), readFileSync(join(place, name)).subarray(10))
  await expect(firstPage(rows)).rejects.toThrow(/damaged/)
  await eventually(async () => expect(await firstPage(rows)).toMatchObject({ total: 2 }))
})

it('reads rows in again whose unreadable lines are damaged, and never shows those', async () => {
  const folder = newFolder()
  const path = join(folder, 'old.csv')
  writeFileSync(path, 'A,B\n1,x\n2\n')
  const { rows } = openRows(folder)
  await dropped(rows, path)
  const { id } = await theFile(rows)
  const lines = () =>
    rows.queries.handlers['rows/unreadable']({ account: account.id, file: id, offset: 0, limit: 10 })
  expect(await lines()).toMatchObject({ total: 1, lines: [{ line: 3, text: '2' }] })
  const place = join(folder, 'rows', 'account=scope-1')
  const name = readdirSync(place).find((each) => each.includes('-entry-')) ?? ''
  const bytes = readFileSync(join(place, name))
  bytes[20] = (bytes[20] ?? 0) ^ 0xff
  writeFileSync(join(place, name), bytes)
  await expect(lines()).rejects.toThrow(/damaged/)
  await eventually(async () => expect(await lines()).toMatchObject({ total: 1 }))
})

describe('rows that cannot be read for a moment', () => {
  const aDay = 86_400_000
  /** Rows that were read in; and their folder, which a link stands in for while it is away. */
  async function importArchive() {
    const folder = newFolder()
    const path = join(folder, 'old.csv')
    writeFileSync(path, 'A,B\n1,x\n2,y\n')
    const { rows } = openRows(folder)
    await dropped(rows, path)
    rmSync(path)
    const place = join(folder, 'rows', 'account=scope-1')
    const files = readdirSync(place)
    const away = () => {
      renameSync(place, `${place}-away`)
      symlinkSync(`${place}-away`, place)
    }
    const back = () => {
      rmSync(place)
      renameSync(`${place}-away`, place)
    }
    return { folder, rows, place, files, away, back }
  }

  it('are not taken for damaged: that is said, and they are there again', async () => {
    const { rows, place, files, away, back } = await importArchive()
    away()
    await expect(firstPage(rows)).rejects.toThrow(/Can't read these rows now/)
    expect(await stateOf(rows)).toBe('whole')
    back()
    expect(await firstPage(rows)).toMatchObject({ total: 2 })
    expect(readdirSync(place)).toEqual(files)
  })

  it('are not deleted where the catalogue is lost', async () => {
    const { folder, place, files, away, back } = await importArchive()
    away()
    const lost = openRows(folder, { now: () => Date.now() + 9 * aDay })
    expect(await lost.rows.list(account.id)).toEqual([])
    back()
    expect(readdirSync(place)).toEqual(files)
    const { rows } = openRows(folder, { now: () => Date.now() + 9 * aDay })
    expect(await firstPage(rows)).toMatchObject({ total: 2 })
  })

  it('are not deleted where another version has read them in', async () => {
    const { folder, place, files } = await importArchive()
    const entry = files.find((each) => each.includes('-entry-')) ?? ''
    const draft = join(place, 'draft')
    const instance = await DuckDBInstance.create(':memory:')
    const connection = await instance.connect()
    await connection.run(
      `COPY (SELECT 1 AS line) TO '${draft}' (FORMAT parquet, KV_METADATA {traffic_desk_rows: '{"form":99}'})`,
    )
    instance.closeSync()
    const checksum = crc32(readFileSync(draft)).toString(16).padStart(8, '0')
    rmSync(join(place, entry))
    renameSync(draft, join(place, `${entry.slice(0, entry.lastIndexOf('-'))}-${checksum}.parquet`))
    const before = readdirSync(place)
    const { rows } = openRows(folder, { now: () => Date.now() + 9 * aDay })
    expect(await rows.list(account.id)).toEqual([])
    expect(readdirSync(place)).toEqual(before)
  })
})

describe('rows that are asked about', () => {
  /** Rows, and a query about their unreadable lines that was begun before whatever happens to them. */
  async function asked() {
    const folder = newFolder()
    const path = join(folder, 'report.csv')
    writeFileSync(path, 'A,B\n1,x\n2\n')
    const archives = [{ report: 'r-1' as RawReportId, name: 'R', path, addedAt: 5 as Instant }]
    let time = Date.parse('2026-11-22')
    const { rows, exported } = openRows(folder, { archives, now: () => (time += 1000) })
    const { id } = await theFile(rows)
    const read = async () => {
      await rows.import({ account: account.id, file: id })
      await eventually(async () => expect(await stateOf(rows)).toBe('whole'))
    }
    await read()
    await rows.exportUnreadable({ account: account.id, file: id })
    const out = join(folder, 'lines.txt')
    writeFileSync(out, '')
    return {
      rows,
      id,
      read,
      answer: () => exported[0]?.write(out, new AbortController().signal, () => undefined),
    }
  }

  it('are not read in again where they are let go meanwhile', async () => {
    const { rows, id, answer } = await asked()
    await rows.discard({ account: account.id, file: id, what: 'rows' })
    await expect(answer()).rejects.toThrow(/deleted or imported again/)
    expect(await stateOf(rows)).toBe('not-read')
  })

  it('are said to be others where they are read in again meanwhile', async () => {
    const { rows, read, answer } = await asked()
    await read()
    await expect(answer()).rejects.toThrow(/deleted or imported again/)
    expect(await stateOf(rows)).toBe('whole')
  })
})

it('says that rows are damaged where their file is gone', async () => {
  const folder = newFolder()
  const path = join(folder, 'old.csv')
  writeFileSync(path, 'A,B\n1,x\n2,y\n')
  const { rows } = openRows(folder)
  await dropped(rows, path)
  rmSync(path)
  const place = join(folder, 'rows', 'account=scope-1')
  const name = readdirSync(place).find((each) => each.includes('-rows-')) ?? ''
  rmSync(join(place, name))
  await expect(firstPage(rows)).rejects.toThrow(/damaged/)
  expect(await theFile(rows)).toMatchObject({ archive: 'gone', state: { kind: 'damaged' } })
})

it('searches the rest where rows are let go meanwhile', async () => {
  const folder = newFolder()
  const { rows } = openRows(folder)
  const paths = ['a.csv', 'b.csv'].map((name) => join(folder, name))
  for (const path of paths) writeFileSync(path, `A,B\n1,needle\n`)
  const [, last] = await rows.take({ account: account.id, dropped: [...(await rows.dropped(paths))] })
  if (!last) throw new Error('There is no second file')
  const states = async () => (await rows.list(account.id)).map(({ state }) => state.kind)
  await eventually(async () => expect(await states()).toEqual(['whole', 'whole']))
  const searching = rows.queries.handlers['rows/search']({ account: null, text: 'needle', max: 10 })
  await rows.discard({ account: account.id, file: last, what: 'rows' })
  expect(await searching).toMatchObject({
    files: [{ name: 'a.csv' }],
    searched: ['a.csv'],
    unsearched: [{ name: 'b.csv', why: 'not-read' }],
  })
})
