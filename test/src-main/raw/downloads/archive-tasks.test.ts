import { utimesSync, writeFileSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { checkArchive, unpackArchive } from '#main/raw/downloads/archive-tasks.ts'
import { inArchiveThread } from '#main/raw/downloads/archive-thread.ts'
import { BrokenArchive, HostileArchive } from '#main/raw/downloads/trouble.ts'
import { archiveWorker, namesIn, read, temporaryFolder } from './helpers.ts'
import { locked, lying, noughts, overlapping, renamed, zipOf } from './made-archives.ts'

const csv = 'TIMESTAMP,SOURCE\r\n2026-11-19T00:00:00Z,news\r\n'

function laid(zip: Buffer): { path: string; folder: string } {
  const folder = temporaryFolder()
  const path = join(folder, 'Report.zip')
  writeFileSync(path, zip)
  utimesSync(path, 1_700_000_000, 1_700_000_000)
  return { path, folder }
}
const checked = (zip: Buffer) => checkArchive(laid(zip).path)
const unpackTask = (folder: string, path: string) =>
  ({
    kind: 'unpack',
    path,
    folder,
    stem: 'Report',
    mark: '.traffic-desk-x-',
  }) as const

describe('an archive', () => {
  it.each([true, false])('is whole where every checksum is right (packed: %s)', async (compress) => {
    await expect(
      checked(await zipOf({ 'report.csv': csv, 'b/c.csv': csv }, { compress })),
    ).resolves.toBeUndefined()
  })

  it('is broken where one byte is another', async () => {
    const zip = await zipOf({ 'report.csv': csv }, { compress: false })
    await expect(checked(renamed(zip, 'news', 'nuws'))).rejects.toThrow(BrokenArchive)
  })

  it('is broken wherever it was cut', async () => {
    const zip = await zipOf({ 'report.csv': csv.repeat(50) })
    for (let length = 0; length < zip.length; length += 7) {
      await expect(checked(zip.subarray(0, length)), `at ${length}`).rejects.toThrow(BrokenArchive)
    }
  })

  it.each([
    ['is no archive', () => Promise.resolve(Buffer.from('<!doctype html><p>Sign in</p>'))],
    ['says a smaller size than it has', async () => lying(await zipOf({ 'report.csv': csv }), 3)],
    ['says a larger size than it has', async () => lying(await zipOf({ 'report.csv': csv }), 30_000)],
  ])('is broken where it %s', async (_, make) => {
    await expect(checked(await make())).rejects.toThrow(BrokenArchive)
  })

  it.each([
    ['is empty', 'nothing', () => zipOf({})],
    ['has folders alone', 'nothing', () => zipOf({}, { folders: ['a', 'b/c'] })],
    [
      'leads upwards',
      'outside',
      async () => renamed(await zipOf({ 'aaa/report.csv': csv }), 'aaa/report', '../../port'),
    ],
    ['is absolute', 'outside', async () => renamed(await zipOf({ 'aetc/passwd': csv }), 'aetc', '/etc')],
    ['names a drive', 'outside', async () => renamed(await zipOf({ 'caab.csv': csv }), 'caa', 'c:/')],
    [
      'leads upwards in the way of Windows',
      'outside',
      async () => renamed(await zipOf({ 'aaabbb.csv': csv }), 'aaab', '..\\b'),
    ],
    ['holds a link', 'link', () => zipOf({ 'report.csv': '/etc/passwd' }, { mode: 0o120777 })],
    ['holds a device', 'link', () => zipOf({ 'report.csv': '' }, { mode: 0o020666 })],
    ['is locked', 'password', async () => locked(await zipOf({ 'report.csv': csv }))],
    ['unpacks without end', 'far more', () => zipOf({ 'report.csv': Readable.from(noughts(100)) })],
    [
      'lies over itself',
      'lie over',
      async () => overlapping(await zipOf({ 'a.csv': csv.repeat(100) }, { compress: false }), 5),
    ],
    [
      'has too many files',
      '2000 files',
      () => zipOf(Object.fromEntries(Array.from({ length: 2000 }, (_, at) => [`${at}.csv`, '']))),
    ],
  ])('is refused where it %s', async (_, words, make) => {
    const zip = await make()
    const { path, folder } = laid(zip)
    await expect(checkArchive(path)).rejects.toThrow(HostileArchive)
    await expect(checkArchive(path)).rejects.toThrow(words)
    await expect(unpackArchive(unpackTask(folder, path))).rejects.toThrow(HostileArchive)
    expect(namesIn(folder)).toEqual(['Report.zip'])
  })
})

describe('unpacking', () => {
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
    await checkArchive(path)
    await unpackArchive(unpackTask(folder, path))
    expect((await read(folder, 'Report.csv')).toString()).toBe(csv)
  })

  it('tells several tables apart, and leaves what is no table where it is', async () => {
    const { path, folder } = laid(await zipOf({ 'a/one.csv': csv, 'a/two.CSV': csv, 'run.exe': 'MZ' }))
    await unpackArchive(unpackTask(folder, path))
    expect(namesIn(folder)).toEqual(['Report - one.csv', 'Report - two.csv', 'Report.zip'])
  })
})

describe('the thread of archives', () => {
  const signal = new AbortController().signal

  it('says what is wrong with one, and what the disk refuses', async () => {
    const { path } = laid(await zipOf({}))
    await expect(
      inArchiveThread(archiveWorker, { kind: 'finish', modified: null, path }, signal),
    ).rejects.toThrow(HostileArchive)
    const cut = laid((await zipOf({ 'report.csv': csv })).subarray(0, 40))
    await expect(
      inArchiveThread(archiveWorker, { kind: 'finish', modified: null, path: cut.path }, signal),
    ).rejects.toThrow(BrokenArchive)
    await expect(
      inArchiveThread(
        archiveWorker,
        { kind: 'finish', modified: null, path: join(cut.folder, 'none') },
        signal,
      ),
    ).rejects.toMatchObject({ failure: { kind: 'disk' } })
  })

  it('ends when it is broken off', async () => {
    const { path } = laid(await zipOf({ 'report.csv': Readable.from(noughts(60)) }))
    const controller = new AbortController()
    const reason = new Error('Enough')
    const ended = inArchiveThread(archiveWorker, { kind: 'finish', modified: null, path }, controller.signal)
    controller.abort(reason)
    await expect(ended).rejects.toBe(reason)
  })
})
