import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { subjectFrom } from '#main/reports/history/publishable.ts'
import { subjectOf } from '#shared/reports/query.ts'
import type { InstanceId, DataScopeId } from '#shared/values/ids.ts'
import { engineForAll } from '../reports/engine/engine-thread.ts'
import {
  account,
  browsers,
  endlessFile,
  faultsOf,
  filesIn,
  inodeOf,
  oneDay,
  dataScope,
  query,
  TeamShare,
} from './team-share.ts'

let made: ReturnType<typeof engineForAll>
beforeAll(() => (made = engineForAll()))
afterAll(() => made.end())

const team = () => new TeamShare(made.engine, made.history)

const refused = (words: string) => ({
  failure: expect.objectContaining({ message: expect.stringContaining(words) }),
})

describe('publishing history', () => {
  it('copies whole single days and overviews, and says in a manifest what they are', async () => {
    const desk = team()
    const filtered = query({ instance: '7' as InstanceId, filters: { browser: 'Édge & co' }, rules: true })
    await desk.keep(query(), browsers(1), Date.parse('2026-11-01T10:00:00Z'))
    await desk.keep({ ...filtered, range: oneDay(1) }, browsers(2))
    await desk.storeTotals(3, 5)
    // Neither a span of days, nor totals alone of a table, nor what is another data scope's.
    await desk.keep(query({ range: { start: oneDay(0).start, end: oneDay(4).start } }), browsers(9))
    await desk.history.save({
      ...{ dataScope, subject: subjectOf(query()), range: oneDay(5), doubt: null, headers: ['Browser'] },
      ...{ all: null, total: { good: 1 }, rows: null, term: 0, fetchedAt: 1 as never },
    })
    await desk.keep(query(), browsers(50), 1_000, 'scope-2' as DataScopeId)

    const published = await desk.publish()
    const { files, schemas, ...head } = desk.manifest()
    expect(head).toEqual({
      form: 1,
      account: 'Kestrel Media',
      origin: 'https://reports.kestrel.example',
      owner: 'scope-1',
      publishedAt: '2026-11-22T12:00:00.000Z',
      pending: [],
    })
    expect(published).toMatchObject({ publishedAt: Date.parse('2026-11-22T12:00:00Z'), files: 3, leftOut: 0 })
    expect(published.bytes).toBe(files.reduce((sum, { size }) => sum + size, 0))
    expect(desk.files()).toEqual(files.map(({ path }) => path).sort())
    const plain = files.find(({ report }) => report === 'script-browsers')
    expect(plain).toMatchObject({
      path: expect.stringMatching(
        /^report=script-browsers\/month=2026-10\/[0-9a-f]{16}-[0-9a-f]{8}\.parquet$/,
      ),
      words: 'Script by browser',
      filters: {},
      firstDay: '2026-10-25',
      lastDay: '2026-10-25',
      rows: 3,
      fetchedAt: '2026-11-01T10:00:00.000Z',
      days: [{ day: '2026-10-25', rows: 3, fetchedAt: '2026-11-01T10:00:00.000Z', doubt: null }],
    })
    expect(files.find(({ ruleSets }) => ruleSets)).toMatchObject({
      report: expect.stringMatching(/^script-browsers\.instance-7\.browser-dge-co-[0-9a-f]{8}\.rule-sets$/),
      words: 'Script by browser, instance “7”, browser “Édge & co”, with rule sets',
      filters: { instance: '7', browser: 'Édge & co' },
    })
    const overview = files.find(({ report }) => report === 'direct-overview')
    expect(overview).toMatchObject({ rows: 1, words: 'Direct overview' })
    expect(schemas[overview?.schema ?? -1]?.map(({ name }) => name)).toEqual([
      'day',
      'days',
      'suspect',
      'nonsuspect',
      'mobile',
    ])
    expect(schemas[plain?.schema ?? -1]).toContainEqual({
      name: 'ad_blocker',
      type: 'integer',
      header: 'Ad Blocker',
    })
    expect(faultsOf(desk.place)).toEqual([])
  })

  it('publishes no secret: nothing but figures, and where the service is', async () => {
    const desk = team()
    await desk.keep(query(), browsers(1))
    await desk.publish()
    const text = readFileSync(join(desk.place, 'manifest.json'), 'utf8')
    expect(text).not.toMatch(/token/i)
  })

  it('copies only what is not there yet, and mends what is not whole', async () => {
    const desk = team()
    for (const number of [0, 1, 2]) await desk.keep(query({ range: oneDay(number) }), browsers(number))
    await desk.publish()
    const before = new Map(desk.files().map((path) => [path, inodeOf(join(desk.place, path))]))
    await desk.keep(query({ range: oneDay(3) }), browsers(3))
    const [cut = '', flipped = ''] = desk.files()
    truncateSync(join(desk.place, cut), 100)
    const bytes = readFileSync(join(desk.place, flipped))
    bytes[50] = (bytes[50] ?? 0) ^ 1
    writeFileSync(join(desk.place, flipped), bytes)

    const steps: string[] = []
    await desk.publish({ thorough: true, progress: (done, of) => steps.push(`${done}/${of}`) })
    expect(faultsOf(desk.place)).toEqual([])
    expect(steps.at(-1)).toBe('4/4')
    const same = desk.files().filter((path) => before.get(path) === inodeOf(join(desk.place, path)))
    expect(same).toHaveLength(1)
    expect(desk.files()).toHaveLength(4)
  })

  it('removes what it published and is not kept any more, and nothing else', async () => {
    const desk = team()
    for (const number of [0, 1, 2]) await desk.keep(query({ range: oneDay(number) }), browsers(number))
    await desk.publish()
    const foreign = join(desk.place, 'report=script-browsers/month=2026-10/0123456789abcdef-01234567.parquet')
    writeFileSync(foreign, 'of somebody else')
    writeFileSync(join(desk.place, 'notes.txt'), 'mine')
    await desk.compact(query(), '2026-10')
    await desk.publish()
    const { files, pending } = desk.manifest()
    expect(files).toHaveLength(1)
    expect(pending).toEqual([])
    expect(files[0]).toMatchObject({ firstDay: '2026-10-25', lastDay: '2026-10-27', rows: 9 })
    expect(desk.files()).toEqual(
      [
        ...files.map(({ path }) => path),
        'report=script-browsers/month=2026-10/0123456789abcdef-01234567.parquet',
        'notes.txt',
      ].sort(),
    )
  })

  it('leaves out a file of which a day was replaced, until it is written anew without that day', async () => {
    const desk = team()
    for (const number of [0, 1, 2]) await desk.keep(query({ range: oneDay(number) }), browsers(number))
    await desk.compact(query(), '2026-10')
    await desk.keep(query({ range: oneDay(1) }), browsers(40), 5_000)
    expect(await desk.publish()).toMatchObject({ files: 1, leftOut: 1 })
    expect(faultsOf(desk.place)).toEqual([])
    await desk.history.rewriteReplaced(dataScope)
    expect(await desk.publish()).toMatchObject({ files: 2, leftOut: 0 })
    expect(faultsOf(desk.place)).toEqual([])
    expect(
      desk
        .manifest()
        .files.flatMap(({ days }) => days.map((each) => each.day))
        .sort(),
    ).toEqual(['2026-10-25', '2026-10-26', '2026-10-27'])
  })

  it('looks again what is kept where files go while they are copied', async () => {
    const desk = team()
    for (const number of [0, 1, 2]) await desk.keep(query({ range: oneDay(number) }), browsers(number))
    let compacted = false
    const { historyFolder } = desk
    const run: typeof desk.store.run = async (name, argument) => {
      const answer = await desk.store.run(name, argument)
      if (name === 'tables/in-files' && !compacted) {
        compacted = true
        const old = await desk.history.list({ dataScope, subject: subjectOf(query()) })
        await desk.compact(query(), '2026-10')
        for (const { file } of old) rmSync(join(historyFolder, file.path))
      }
      return answer
    }
    expect(await desk.publish({}, { store: { ...desk.store, run } })).toMatchObject({ files: 1, leftOut: 0 })
    expect(desk.files()).toHaveLength(1)
    expect(faultsOf(desk.place)).toEqual([])
  })

  it('leaves out, and counts, a file of the history that is damaged', async () => {
    const desk = team()
    for (const number of [0, 1]) await desk.keep(query({ range: oneDay(number) }), browsers(number))
    const [table] = await desk.history.list({ dataScope, subject: subjectOf(query()) })
    truncateSync(join(desk.historyFolder, table?.file.path ?? ''), 40)
    expect(await desk.publish()).toMatchObject({ files: 1, leftOut: 1 })
    expect(faultsOf(desk.place)).toEqual([])
    expect(desk.files()).toHaveLength(1)
  })
})

describe('where history is not published', () => {
  it('is in the profile or the history folder, also by way of a link', async () => {
    const desk = team()
    await desk.keep(query(), browsers(1))
    mkdirSync(join(desk.profile, 'below'))
    const link = join(desk.share, 'link')
    symlinkSync(desk.profile, link)
    for (const folder of [desk.profile, join(desk.profile, 'below'), desk.historyFolder, link])
      await expect(desk.publish({ folder })).rejects.toMatchObject(refused('belongs to Traffic Desk itself'))
    symlinkSync(desk.profile, join(desk.share, 'traffic-desk-history'))
    await expect(desk.publish()).rejects.toMatchObject(refused('belongs to Traffic Desk itself'))
    expect(filesIn(desk.profile).filter((path) => !/^(state|cache)\.sqlite/.test(path))).toEqual([])
  })

  it('is where another account of the name is published, or something unreadable', async () => {
    const desk = team()
    await desk.keep(query(), browsers(1))
    await desk.publish()
    const before = readFileSync(join(desk.place, 'manifest.json'), 'utf8')
    const other = { ...account, dataScope: 'scope-2' as DataScopeId }
    await expect(desk.publish({ account: other })).rejects.toMatchObject(
      refused('figures of another account'),
    )
    expect(readFileSync(join(desk.place, 'manifest.json'), 'utf8')).toBe(before)
    for (const text of ['', '{"form":2}', before.replaceAll('report=script', '../report=script')]) {
      writeFileSync(join(desk.place, 'manifest.json'), text)
      await expect(desk.publish()).rejects.toMatchObject(refused("can't read"))
      expect(desk.files()).toHaveLength(1)
    }
  })

  it('is in a folder that is not there, which is not made', async () => {
    const desk = team()
    await desk.keep(query(), browsers(1))
    const folder = join(desk.share, 'gone')
    await expect(desk.publish({ folder })).rejects.toMatchObject(refused('is missing'))
    await expect(desk.publish({ expected: true })).rejects.toMatchObject(refused('no longer in the folder'))
    expect(filesIn(desk.share)).toEqual([])
    writeFileSync(folder, '')
    await expect(desk.publish({ folder })).rejects.toMatchObject(refused('is missing'))
  })

  it.skipIf(process.getuid?.() === 0)('is where nothing may be written', async () => {
    const desk = team()
    await desk.keep(query(), browsers(1))
    chmodSync(desk.share, 0o500)
    await expect(desk.publish()).rejects.toMatchObject(refused("Can't write to the folder"))
    chmodSync(desk.share, 0o700)
  })
})

describe('a folder that hangs', () => {
  it.skipIf(process.platform === 'win32')('is given up after a while, or when it is cancelled', async () => {
    const desk = team()
    await desk.keep(query(), browsers(1))
    await desk.publish()
    endlessFile(join(desk.place, 'manifest.json'))
    const timeouts = { step: 60_000, sync: 50 }
    await expect(desk.publish({}, { timeouts })).rejects.toMatchObject(refused("doesn't respond"))
    const controller = new AbortController()
    const publishing = desk.publish({ signal: controller.signal })
    setImmediate(() => controller.abort())
    await expect(publishing).rejects.toMatchObject({ failure: { kind: 'cancelled' } })
  })
})

describe('a subject', () => {
  it('has one name that is safe in paths, and no other has it', () => {
    const reports = [
      'script/browsers?',
      'script/browsers?rules=1',
      'script/browsers?source=a',
      'script/browsers?source=A',
      'script/browsers?source=a-rules',
      'script/browsers?source=a.rule-sets',
      'script/browsers?source=..%2F..',
      'script/browsers?source=%E5%A0%B1',
      `script/browsers?source=${'x'.repeat(5000)}`,
      'script/overview?source=a',
      'direct/overview?',
    ].map((text) => subjectFrom(text)?.report ?? '')
    expect(new Set(reports).size).toBe(reports.length)
    for (const report of reports) expect(report).toMatch(/^[a-z0-9][a-z0-9_.-]{0,120}$/)
    expect(subjectFrom('script/unheard-of?')).toBeUndefined()
  })
})
