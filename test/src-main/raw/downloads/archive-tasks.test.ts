import { utimesSync, writeFileSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { checkZip } from '#main/files/zip.ts'
import { unpackArchive } from '#main/raw/downloads/archive-tasks.ts'
import { hostileArchives, zipOf } from '#test/src-main/files/made-archives.ts'
import { namesIn, read, temporaryFolder } from './helpers.ts'

const csv = 'TIMESTAMP,SOURCE\r\n2026-11-19T00:00:00Z,news\r\n'

function laid(zip: Buffer): { path: string; folder: string } {
  const folder = temporaryFolder()
  const path = join(folder, 'Report.zip')
  writeFileSync(path, zip)
  utimesSync(path, 1_700_000_000, 1_700_000_000)
  return { path, folder }
}
const unpackTask = (folder: string, path: string) =>
  ({
    kind: 'unpack',
    path,
    folder,
    stem: 'Report',
    mark: '.traffic-desk-x-',
  }) as const

describe('unpacking', () => {
  it.each(hostileArchives)('refuses an archive that %s, and writes nothing', async (_, words, make) => {
    const { path, folder } = laid(await make())
    await expect(unpackArchive(unpackTask(folder, path))).rejects.toThrow(words)
    expect(namesIn(folder)).toEqual(['Report.zip'])
  })

  it('puts the table beside its archive under its name, dated as it is', async () => {
    const { path, folder } = laid(await zipOf({ 'CON.csv': csv }))
    await unpackArchive(unpackTask(folder, path))
    expect(namesIn(folder)).toEqual(['Report.csv', 'Report.zip'])
    expect((await read(folder, 'Report.csv')).toString()).toBe(csv)
    expect((await stat(join(folder, 'Report.csv'))).mtimeMs).toBe(1_700_000_000_000)
  })

  it('replaces nothing, does not do again what was done, and clears what an earlier attempt left', async () => {
    const { path, folder } = laid(await zipOf({ 'report.csv': csv }))
    writeFileSync(join(folder, 'Report.csv'), 'mine')
    writeFileSync(join(folder, '.traffic-desk-x-7.part'), 'half')
    writeFileSync(join(folder, '.traffic-desk-y-7.part'), "another's")
    await unpackArchive(unpackTask(folder, path))
    expect(namesIn(folder)).toEqual(['.traffic-desk-y-7.part', 'Report (2).csv', 'Report.csv', 'Report.zip'])
    expect((await read(folder, 'Report.csv')).toString()).toBe('mine')

    const other = laid(await zipOf({ 'report.csv': csv }))
    await unpackArchive(unpackTask(other.folder, other.path))
    await unpackArchive(unpackTask(other.folder, other.path))
    expect(namesIn(other.folder)).toEqual(['Report.csv', 'Report.zip'])
  })

  it('loses no table to another of the same name and size, nor to one that differs by capitals alone', async () => {
    const of = (source: string) => csv.replace('news', source)
    const { path, folder } = laid(
      await zipOf({ 'a/one.csv': of('aaaa'), 'b/one.csv': of('bbbb'), 'c/ONE.csv': of('cccc') }),
    )
    const tables = ['Report - ONE (3).csv', 'Report - one (2).csv', 'Report - one.csv']
    // Done again, nothing is added.
    for (let turn = 0; turn < 2; turn += 1) {
      await unpackArchive(unpackTask(folder, path))
      expect(namesIn(folder)).toEqual([...tables, 'Report.zip'])
    }
    const read1 = await Promise.all(tables.map(async (name) => (await read(folder, name)).toString()))
    expect(read1).toEqual(['cccc', 'bbbb', 'aaaa'].map(of))
  })

  it('knows its own table again where another file has its name', async () => {
    const { path, folder } = laid(await zipOf({ 'report.csv': csv }))
    writeFileSync(join(folder, 'Report.csv'), 'mine')
    await unpackArchive(unpackTask(folder, path))
    await unpackArchive(unpackTask(folder, path))
    expect(namesIn(folder)).toEqual(['Report (2).csv', 'Report.csv', 'Report.zip'])
  })

  it('takes archives of the large form', async () => {
    const { path, folder } = laid(await zipOf({ 'report.csv': csv }, { zip64: true }))
    await checkZip(path)
    await unpackArchive(unpackTask(folder, path))
    expect((await read(folder, 'Report.csv')).toString()).toBe(csv)
  })

  it('tells several tables apart, and leaves what is no table where it is', async () => {
    const { path, folder } = laid(await zipOf({ 'a/one.csv': csv, 'a/two.CSV': csv, 'run.exe': 'MZ' }))
    await unpackArchive(unpackTask(folder, path))
    expect(namesIn(folder)).toEqual(['Report - one.csv', 'Report - two.csv', 'Report.zip'])
  })
})
