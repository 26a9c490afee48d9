import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { DownloadsParts } from '../../../../src-main/raw/downloads/downloads.ts'
import type { DownloadId } from '../../../../src-shared/downloads/download.ts'
import type { RawSettings } from '../../../../src-shared/raw/settings.ts'
import type { RawReport } from '../../../../src-shared/service/answers.ts'
import type { RawReportId } from '../../../../src-shared/values/ids.ts'
import { runningSandbox } from '../../../helpers/running-sandbox.ts'
import type { RunningSandbox } from '../../../helpers/running-sandbox.ts'
import { localStore } from '../../store/helpers.ts'
import { unpack } from '../../sandbox/raw/read-archive.ts'
import {
  account,
  downloadsFrom,
  hasEnded,
  hurriedClock,
  namesIn,
  read,
  readyReport,
  temporaryFolder,
} from './helpers.ts'
import type { TestDownloads } from './helpers.ts'

// Every attempt has a thread of its own, and a machine that has much to do is slow, not wrong.
vi.setConfig({ testTimeout: 60_000 })

let running: RunningSandbox
let record: RawReport
let bytes: Buffer
let others: readonly RawReport[]
beforeAll(async () => {
  running = await runningSandbox()
  ;({ record, bytes } = await readyReport(running, 'Everything'))
  others = [
    (await readyReport(running, '../../x')).record,
    (await readyReport(running, 'CON')).record,
    (await readyReport(running, '\u202Ecod.exe')).record,
    (await readyReport(running, '.hidden')).record,
  ]
}, 60_000)
afterAll(() => running.close())
beforeEach(() => running.control('DELETE', '/faults'))

type Changes = Partial<DownloadsParts> & { readonly folder?: string; readonly raw?: Partial<RawSettings> }
const desk = (changes: Changes = {}) => downloadsFrom(running.client(), running.sandbox.address, changes)
const drip = (parts = 40) =>
  running.fault({
    path: 'download',
    times: null,
    does: { kind: 'drip', bytes: Math.ceil(bytes.length / parts), everyMilliseconds: 10 },
  })

async function started({ downloads }: TestDownloads, report = record.id, choose = false) {
  const begun = await downloads.start({ account: account().id, report, choose })
  if (!begun) throw new TypeError('Nothing was started')
  return begun.id
}
const isUnderWay = ({ state }: { readonly state: { readonly as: string; readonly got?: number } }) =>
  state.as === 'running' && (state.got ?? 0) > 0

describe('a report that is saved', () => {
  it('is the archive, byte for byte, under a name of its own, dated when it was made', async () => {
    const { folder, fetched } = await desk()
    const ended = await fetched(record.id)
    expect(ended).toMatchObject({ state: { as: 'saved' }, size: bytes.length, name: 'Everything' })
    expect(ended.host).toBe(new URL(running.sandbox.downloadAddress).host)
    expect(ended.file).toBe('Acme Everything 2026-10-20 to 2026-11-18 Response.zip')
    expect(namesIn(folder)).toEqual([ended.file])
    expect((await read(folder, ended.file)).equals(bytes)).toBe(true)
    expect((await stat(join(folder, ended.file))).mtimeMs).toBe(Date.parse(record.created ?? ''))
  })

  it('replaces nothing', async () => {
    const { folder, fetched } = await desk()
    const file = 'Acme Everything 2026-10-20 to 2026-11-18 Response.zip'
    writeFileSync(join(folder, file), 'mine')
    const ended = await fetched(record.id)
    expect(ended.file).toBe(file.replace('.zip', ' (2).zip'))
    expect(namesIn(folder)).toEqual([ended.file, file])
    expect((await read(folder, file)).toString()).toBe('mine')
  })

  it('stays in its folder, whatever it is called', async () => {
    const outside = temporaryFolder()
    const folder = join(outside, 'downloads')
    mkdirSync(folder)
    const { fetched } = await desk({ folder, raw: { fileNames: '{name}' } })
    const files = []
    for (const { id } of others) files.push((await fetched(id)).file)
    expect(files).toEqual(['x.zip', '_CON.zip', 'cod.exe.zip', 'hidden.zip'])
    expect(namesIn(folder)).toEqual(files.toSorted())
    expect(namesIn(outside)).toEqual(['downloads'])
  })

  it('has its table beside it where that is wished', async () => {
    const { folder, fetched } = await desk({ raw: { unpack: true } })
    const ended = await fetched(record.id)
    const table = ended.file.replace('.zip', '.csv')
    expect(namesIn(folder)).toEqual([table, ended.file])
    expect((await read(folder, table)).toString()).toBe((await unpack(bytes)).text)
  })

  it('is saved once more where the person wants that, beside the file from before', async () => {
    const made = await desk()
    const first = await made.fetched(record.id)
    expect(await started(made, record.id, false)).toBe(first.id)
    expect(namesIn(made.folder)).toEqual([first.file])
    const asked = { account: account().id, report: record.id, choose: false, anew: true }
    expect(await made.downloads.start(asked)).toEqual({ id: first.id })
    const second = await made.until(first.id, hasEnded)
    expect(second.file).toBe(first.file.replace('.zip', ' (2).zip'))
    expect(namesIn(made.folder)).toEqual([second.file, first.file])
    expect((await read(made.folder, second.file)).equals(bytes)).toBe(true)
  })

  it('may be put into a folder that the person chooses, and again into another', async () => {
    const [one, two] = [temporaryFolder(), temporaryFolder()]
    const choices = [null, one, two]
    const made = await desk({ chooseFolder: () => Promise.resolve(choices.shift() ?? null) })
    const asked = { account: account().id, report: record.id, choose: true }
    expect(await made.downloads.start(asked)).toBeNull()
    const id = await started(made, record.id, true)
    await made.until(id, hasEnded)
    expect(await started(made, record.id, true)).toBe(id)
    await made.until(id, hasEnded)
    expect([namesIn(one).length, namesIn(two).length, namesIn(made.folder).length]).toEqual([1, 1, 0])
    expect(await made.downloads.list()).toHaveLength(1)
  })

  it('is shown and opened as long as it lies there, fetched again where it does not, until it expires', async () => {
    const shown: string[] = []
    let now = Date.parse('2026-11-20T12:00:00Z')
    const made = await desk({
      clock: { now: () => (now += 1), wait: () => Promise.resolve() },
      showFile: (path) => shown.push(path),
      openFile: (path) => Promise.resolve(path.endsWith('.zip') ? '' : 'No program'),
    })
    const { downloads, folder } = made
    const ended = await made.fetched(record.id)
    const path = join(folder, ended.file)
    await downloads.show(ended.id)
    await downloads.open(ended.id)
    const ofReport = { account: account().id, report: record.id }
    await downloads.showReport(ofReport)
    expect(shown).toEqual([path, path])
    expect(downloads.savedState(account().id, record.id)).toBe('saved')

    renameSync(path, `${path}.moved`)
    expect((await downloads.list())[0]?.state).toEqual({ as: 'missing' })
    expect(downloads.savedState(account().id, record.id)).toBe('missing')
    await expect(downloads.show(ended.id)).rejects.toMatchObject({ failure: { kind: 'disk' } })
    await expect(downloads.showReport(ofReport)).rejects.toMatchObject({ failure: { kind: 'disk' } })
    renameSync(`${path}.moved`, path)
    expect((await downloads.list())[0]?.state.as).toBe('saved')

    await rm(path)
    await downloads.list()
    await downloads.resume(ended.id)
    await made.until(ended.id, ({ state }) => state.as === 'saved')
    expect((await read(folder, ended.file)).equals(bytes)).toBe(true)

    now = Date.parse(record.expires ?? '') + 1
    expect(await downloads.list()).toHaveLength(1)
    await rm(path)
    expect(await downloads.list()).toEqual([])
  })
})

describe('downloads', () => {
  it('are paused, gone on with and cancelled by hand; nothing is left of those', async () => {
    await drip()
    const made = await desk()
    const { downloads, folder, until } = made
    const id = await started(made)
    await until(id, isUnderWay)
    await downloads.pause(id)
    const [paused] = await downloads.list()
    expect(paused?.state).toMatchObject({ as: 'paused', why: 'person' })
    expect(downloads.savedState(account().id, record.id)).toBe('paused')
    const parts = namesIn(folder)
    expect(parts).toEqual([expect.stringMatching(/\.zip\.part$/)])
    downloads.nudge()
    expect((await downloads.list())[0]?.state.as).toBe('paused')

    await running.control('DELETE', '/requests')
    await downloads.resume(id)
    await until(id, isUnderWay)
    await downloads.cancel(id)
    expect(namesIn(folder)).toEqual([])
    expect(await downloads.list()).toEqual([])
    expect(downloads.savedState(account().id, record.id)).toBe('none')
    await expect(downloads.pause(id)).rejects.toMatchObject({ failure: { kind: 'invalid' } })
  })

  it('wait while the person wants quiet, and go on from there', async () => {
    await drip()
    const made = await desk()
    const { downloads, folder, until } = made
    const id = await started(made)
    await until(id, isUnderWay)
    downloads.hold(true)
    await until(id, ({ state }) => state.as === 'waiting')
    expect(namesIn(folder)).toEqual([expect.stringMatching(/\.zip\.part$/)])
    downloads.nudge()
    expect((await downloads.list())[0]?.state.as).toBe('waiting')
    await running.control('DELETE', '/faults')
    downloads.hold(false)
    await until(id, ({ state }) => state.as === 'saved')
  })

  it('run three at once, in the order that the person gives them', async () => {
    await drip()
    const made = await desk()
    const ids: DownloadId[] = []
    for (const { id } of [record, ...others]) ids.push(await started(made, id))
    const [first, , third, fourth, fifth] = ids as [
      DownloadId,
      DownloadId,
      DownloadId,
      DownloadId,
      DownloadId,
    ]
    const stands = async () =>
      (await made.downloads.list()).map(({ id, state }) => [ids.indexOf(id), state.as])
    await made.until(third, ({ state }) => state.as === 'running')
    expect((await stands()).map(([, as]) => as)).toEqual([
      'running',
      'running',
      'running',
      'waiting',
      'waiting',
    ])
    await made.downloads.order([fifth, fourth])
    expect((await stands()).map(([index]) => index)).toEqual([0, 1, 2, 4, 3])
    await made.downloads.pause(first)
    await made.until(fifth, ({ state }) => state.as === 'running')
    expect((await stands()).map(([index, as]) => `${index} ${as}`)).toContain('3 waiting')
    const again = await made.store.run('downloads/list', undefined)
    expect(again.map(({ id }) => ids.indexOf(id))).toEqual([0, 1, 2, 4, 3])
  })

  it('go on where the last session ended', async () => {
    await drip()
    const store = localStore()
    const folder = temporaryFolder()
    const first = await desk({ store, folder })
    const id = await started(first)
    await first.until(id, isUnderWay)
    await first.downloads.close()
    expect(namesIn(folder)).toEqual([expect.stringMatching(/\.zip\.part$/)])
    await running.control('DELETE', '/faults')
    await running.control('DELETE', '/requests')
    const second = await desk({ store, folder })
    const ended = await second.until(id, hasEnded)
    expect(ended.state.as).toBe('saved')
    expect(namesIn(folder)).toEqual([ended.file])
    expect((await read(folder, ended.file)).equals(bytes)).toBe(true)
    expect(
      (await running.requests()).filter(({ path }) => path === 'download').map(({ status }) => status),
    ).toEqual([206])
  })

  it('wait for a token that is refused, and for a service that is away', async () => {
    const made = await desk()
    await running.control('POST', '/tokens', { revoke: 'admin' })
    const id = await started(made)
    await made.until(id, ({ state }) => state.as === 'paused' && state.why === 'token')
    await running.control('POST', '/tokens', { restore: 'admin' })
    made.downloads.nudge()
    await made.until(id, ({ state }) => state.as === 'saved')
  })

  it('make a connection that keeps still anew when the machine wakes up', async () => {
    await running.fault({
      path: 'download',
      does: { kind: 'drip', bytes: 1000, everyMilliseconds: 3_600_000 },
    })
    let asleep = 0
    const made = await desk({ clock: { ...hurriedClock, now: () => Date.now() + asleep } })
    await running.control('DELETE', '/requests')
    const id = await started(made)
    const fetches = async () => (await running.requests()).filter(({ path }) => path === 'download').length
    while ((await fetches()) === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    made.downloads.nudge()
    expect((await made.downloads.list())[0]?.state.as).toBe('running')
    asleep = 3_600_000
    made.downloads.nudge()
    await made.until(id, ({ state }) => state.as === 'saved')
    expect(await fetches()).toBe(2)
  })

  it('of a report that is gone fail in words', async () => {
    const { fetched, folder } = await desk()
    expect((await fetched('nonsense' as RawReportId)).state).toMatchObject({
      as: 'failed',
      failure: { kind: 'not-found' },
    })
    expect(namesIn(folder)).toEqual([])
  })

  it('of an account that is removed are given up', async () => {
    await drip()
    const made = await desk()
    const id = await started(made)
    await made.until(id, isUnderWay)
    await made.downloads.forget(account().id)
    expect(await made.downloads.list()).toEqual([])
    expect(namesIn(made.folder)).toEqual([])
  })

  it('tell the windows at most a few times a second', async () => {
    await drip(100)
    const times: number[] = []
    const made = await desk({
      clock: {
        now: () => Date.now(),
        wait: (milliseconds, signal) =>
          new Promise((resolve, reject) => {
            const timer = setTimeout(resolve, milliseconds)
            signal.addEventListener('abort', () => {
              clearTimeout(timer)
              reject(signal.reason as Error)
            })
          }),
      },
      emit: (name, { changed, removed }) => {
        expect(name).toBe('downloads/changed')
        expect(changed.length + removed.length).toBeLessThanOrEqual(1)
        times.push(performance.now())
      },
    })
    const id = await started(made)
    const began = performance.now()
    for (let list = await made.downloads.list(); !list.some(hasEnded); list = await made.downloads.list()) {
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    expect(id).toBeDefined()
    const seconds = (performance.now() - began) / 1000
    expect(times.length).toBeGreaterThan(1)
    expect(times.length).toBeLessThanOrEqual(Math.ceil(seconds * 4) + 1)
  })
})

describe('the rule of saving', () => {
  const ready = (made: TestDownloads) =>
    made.downloads.reportReady(account().id, { id: record.id, name: 'Everything', expires: record.expires })

  it.each([
    ['all', null, true],
    ['none', { save: true }, false],
    ['templates', { save: true }, true],
    ['templates', { save: false }, false],
    ['templates', null, false],
  ] as const)('%s with the template %j: %s', async (saving, template, saved) => {
    const made = await desk({ raw: { saving }, templateOf: () => Promise.resolve(template) })
    await ready(made)
    const list = await made.downloads.list()
    expect(list.map(({ name }) => name)).toEqual(saved ? ['Everything'] : [])
  })

  it('saves a report once, however often it is told', async () => {
    const made = await desk()
    await Promise.all([ready(made), ready(made)])
    const [only] = await made.downloads.list()
    if (!only) throw new TypeError('Nothing was started')
    await made.until(only.id, hasEnded)
    await ready(made)
    expect(await made.downloads.list()).toHaveLength(1)
    expect(namesIn(made.folder)).toHaveLength(1)
  })
})
