import { settingsWith } from '../raw-context.ts'
import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Store } from '#main/database/open-store.ts'
import { DeskFailure } from '#shared/api/failure.ts'
import type { DownloadId } from '#shared/downloads/download.ts'
import type { AppEvent } from '#main/lib/app-events.ts'
import type { Settings } from '#main/settings/settings.ts'
import { threadChannel } from '#main/workers/rpc-client.ts'
import type { Channel } from '#main/workers/rpc.ts'
import { appThread } from '#test/helpers/app-threads.ts'
import { eventually } from '#test/helpers/eventually.ts'
import { fake } from '#test/helpers/fake.ts'
import { localStore } from '#test/src-main/database/helpers.ts'
import { account, hasEnded, namesIn, read, temporaryFolder } from './helpers.ts'
import type { TestDownloads } from './helpers.ts'
import { readyForAll } from './ready-report.ts'

const ready = readyForAll()
beforeEach(() => ready.running.control('DELETE', '/requests'))

const { desk } = ready
const file = 'Acme Everything 2026-10-20 to 2026-11-18 Response.zip'
const table = file.replace('.zip', '.csv')
const fetches = async () => (await ready.running.requests()).filter(({ path }) => path === 'download').length

/** Half of it has come, and the service does not answer for the time being. */
async function halfway(made: TestDownloads): Promise<DownloadId> {
  await ready.running.fault({ path: 'download', does: { kind: 'cut', after: 0.5 } })
  await ready.running.fault({
    path: 'download',
    times: null,
    does: { kind: 'status', status: 503, retryAfter: null },
  })
  const id = await made.started(ready.record.id)
  await made.until(id, ({ state }) => state.kind === 'paused' && state.done > 0)
  await made.downloads.pause(id)
  await ready.running.control('DELETE', '/faults')
  return id
}

async function expectWhole(folder: string, name = file): Promise<void> {
  expect((await read(folder, name)).equals(ready.bytes)).toBe(true)
}

describe('a table that could not be put beside its archive', () => {
  it.each([true, false])('is tried again after the settings of that time: %s', async (unpack) => {
    const made = await desk({ raw: { unpack: true } })
    const id = await made.started(ready.record.id)
    await made.until(id, hasEnded)
    rmSync(join(made.folder, table))
    await made.downloads.stop()
    const [stored] = await made.store.run('downloads/list', undefined)
    if (!stored) throw new TypeError('Nothing is kept')
    const failure = { kind: 'disk', message: 'The disk reports an error.' } as const
    await made.store.run('downloads/put', [{ ...stored, state: { kind: 'failed', failure, named: true } }])
    const again = await desk({ folder: made.folder, store: made.store, raw: { unpack } })
    await again.downloads.resume(id)
    await again.until(id, ({ state }) => state.kind === 'saved')
    expect(namesIn(made.folder)).toEqual(unpack ? [table, file] : [file])
    expect(await fetches()).toBe(1)
  })

  it('takes no file of somebody else for its archive', async () => {
    const made = await desk()
    await ready.running.fault({ path: 'download', times: null, does: { kind: 'html' } })
    const id = await made.started(ready.record.id)
    await made.until(id, ({ state }) => state.kind === 'failed')
    await ready.running.control('DELETE', '/faults')
    writeFileSync(join(made.folder, file), Buffer.alloc(ready.bytes.length))
    await made.downloads.resume(id)
    const ended = await made.until(id, hasEnded)
    expect(ended).toMatchObject({ state: { kind: 'saved' }, file: file.replace('.zip', ' (2).zip') })
    await expectWhole(made.folder, ended.file)
  })
})

describe('a folder that goes away', () => {
  it('fails in words; tried again it goes on there when it is back', async () => {
    const made = await desk({ folder: join(temporaryFolder(), 'disk', 'Downloads') })
    mkdirSync(made.folder, { recursive: true })
    const id = await halfway(made)
    const disk = join(made.folder, '..')
    renameSync(disk, `${disk}-away`)
    await made.downloads.resume(id)
    const failed = await made.until(id, hasEnded)
    expect(failed.state).toMatchObject({
      kind: 'failed',
      failure: { kind: 'disk', message: expect.stringContaining('is missing') },
    })
    renameSync(`${disk}-away`, disk)
    await made.downloads.resume(id)
    await made.until(id, ({ state }) => state.kind === 'saved')
    expect(namesIn(made.folder)).toEqual([file])
    await expectWhole(made.folder)
    const { requests } = (await ready.running.control('GET', '/requests')) as {
      requests: { status: number }[]
    }
    expect(requests.at(-1)?.status).toBe(206)
  })

  it('is left for another one that the person has chosen meanwhile', async () => {
    let folder = join(temporaryFolder(), 'disk', 'Downloads')
    mkdirSync(folder, { recursive: true })
    const made = await desk({
      folder,
      settings: fake<Settings>('settings', {
        read: () => settingsWith().read(),
        downloadFolder: () => Promise.resolve(folder),
      }),
    })
    const id = await halfway(made)
    rmSync(join(folder, '..'), { recursive: true })
    await made.downloads.resume(id)
    await made.until(id, ({ state }) => state.kind === 'failed')
    folder = temporaryFolder()
    await made.downloads.resume(id)
    await made.until(id, ({ state }) => state.kind === 'saved')
    expect(namesIn(folder)).toEqual([file])
    await expectWhole(folder)
  })

  it('and comes back as a link to another one is written into there, and nothing is left half done', async () => {
    const made = await desk({ folder: join(temporaryFolder(), 'Downloads') })
    mkdirSync(made.folder)
    const id = await halfway(made)
    rmSync(made.folder, { recursive: true })
    const other = temporaryFolder()
    symlinkSync(other, made.folder)
    await made.downloads.resume(id)
    await made.until(id, ({ state }) => state.kind === 'saved')
    expect(namesIn(other)).toEqual([file])
    await expectWhole(other)
  })
})

describe('a part that was meddled with', () => {
  it('and is a link now is not written to: what it leads to stays as it is', async () => {
    const made = await desk()
    const id = await halfway(made)
    const part = join(made.folder, `${file}.part`)
    const mine = join(temporaryFolder(), 'mine')
    writeFileSync(mine, 'mine')
    unlinkSync(part)
    symlinkSync(mine, part)
    await made.downloads.resume(id)
    const ended = await made.until(id, hasEnded)
    expect(ended.state.kind).toBe('saved')
    await expectWhole(made.folder, ended.file)
    expect(readFileSync(mine, 'utf8')).toBe('mine')
  })

  it.each([
    ['shorter', (part: string) => writeFileSync(part, ready.bytes.subarray(0, 9))],
    ['other bytes', (part: string) => writeFileSync(part, Buffer.alloc(readFileSync(part).length, 7))],
    ['longer than all of it', (part: string) => writeFileSync(part, Buffer.alloc(ready.bytes.length + 9))],
    ['gone', (part: string) => unlinkSync(part)],
    ['a folder', (part: string) => (unlinkSync(part), mkdirSync(part))],
  ])('and is %s ends right', async (_, meddle) => {
    const made = await desk()
    const id = await halfway(made)
    meddle(join(made.folder, `${file}.part`))
    await made.downloads.resume(id)
    const ended = await made.until(id, hasEnded)
    expect(ended.state.kind).toBe('saved')
    await expectWhole(made.folder, ended.file)
  })
})

/** A store that refuses what it is told to, as one on a full disk does. */
function fillingStore() {
  const store = localStore()
  const refused: string[] = []
  const full = new DeskFailure({ kind: 'disk', message: 'The disk is full, so nothing new can be kept.' })
  const run: Store['run'] = (name, argument) =>
    refused.includes(name) ? Promise.reject(full) : store.run(name, argument)
  return { store: { ...store, run }, refused }
}

describe('a store that is full', () => {
  it('lets nothing begin that a crash would leave behind unknown: it waits in words, and goes on by itself', async () => {
    const { store, refused } = fillingStore()
    const made = await desk({ store })
    refused.push('downloads/put')
    await made.downloads.reportReady(account().id, ready.record)
    const [waiting] = await made.downloads.list()
    if (!waiting) throw new TypeError('It is not on the list')
    await made.until(waiting.id, ({ state }) => state.kind === 'paused' && state.why === 'disk')
    expect(namesIn(made.folder)).toEqual([])
    refused.length = 0
    await made.until(waiting.id, ({ state }) => state.kind === 'saved')
    expect(namesIn(made.folder)).toEqual([file])
    expect(await store.run('downloads/list', undefined)).toMatchObject([
      { part: null, state: { kind: 'saved' } },
    ])
  })

  it('in the middle of it keeps the archive from being named, and no byte is fetched twice for it', async () => {
    const { store, refused } = fillingStore()
    const made = await desk({ store })
    const id = await halfway(made)
    refused.push('downloads/put')
    await made.downloads.resume(id)
    await made.until(id, ({ state }) => state.kind === 'paused' && state.why === 'disk')
    expect(namesIn(made.folder)).toEqual([`${file}.part`])
    const before = await fetches()
    refused.length = 0
    await made.until(id, ({ state }) => state.kind === 'saved')
    expect(await fetches()).toBe(before)
    expect(namesIn(made.folder)).toEqual([file])
    await expectWhole(made.folder)
  })

  it('keeps what is cancelled on the list, still, and says so', async () => {
    const { store, refused } = fillingStore()
    const made = await desk({ store })
    const id = await halfway(made)
    await made.downloads.resume(id)
    refused.push('downloads/remove')
    await expect(made.downloads.cancel(id)).rejects.toMatchObject({ failure: { kind: 'disk' } })
    expect((await made.downloads.list())[0]?.state).toMatchObject({ kind: 'paused', done: 0, why: 'person' })
    expect(namesIn(made.folder)).toEqual([])
    refused.length = 0
    await made.downloads.cancel(id)
    expect(await made.downloads.list()).toEqual([])
    expect(await store.run('downloads/list', undefined)).toEqual([])
  })

  it('that could not be read at the start is asked again', async () => {
    const { store, refused } = fillingStore()
    refused.push('downloads/list')
    const { downloads } = await desk({ store, begins: false })
    await expect(downloads.resumeAll()).rejects.toMatchObject({ failure: { kind: 'disk' } })
    refused.length = 0
    expect(await downloads.list()).toEqual([])
  })

  it('that could not be read at a start without a window is asked again as the service is', async () => {
    const { store, refused } = fillingStore()
    const before = await desk({ store })
    const id = await halfway(before)
    await before.downloads.resume(id)
    await before.downloads.stop()
    refused.push('downloads/list')
    const { downloads } = await desk({ store, folder: before.folder, begins: false })
    await expect(downloads.resumeAll()).rejects.toMatchObject({ failure: { kind: 'disk' } })
    refused.length = 0
    downloads.retryNow()
    await eventually(async () =>
      expect(await store.run('downloads/list', undefined)).toMatchObject([{ state: { kind: 'saved' } }]),
    )
    await expectWhole(before.folder)
  })
})

it('comes steadily where it may only come slowly', async () => {
  const made = await desk({ raw: { bandwidth: 100 } })
  const id = await made.started(ready.record.id)
  const seen = new Set<number>()
  await made.until(id, ({ state }) => {
    if (state.kind === 'running') seen.add(state.done)
    return hasEnded({ state } as never)
  })
  const steps = [...seen].sort((a, b) => a - b)
  for (const [index, got] of steps.entries())
    expect(got - (steps[index - 1] ?? 0)).toBeLessThanOrEqual(2 * 25_000)
  expect(steps.length).toBeGreaterThan(4)
  await expectWhole(made.folder)
})

/** Archives' processes of which the first few end in the middle of their work. */
function endingProcesses(times: number): {
  readonly openArchive: () => Channel
  readonly begun: () => number
} {
  const counter = join(temporaryFolder(), 'begun')
  writeFileSync(counter, '')
  const script = `
    import { appendFileSync, readFileSync } from 'node:fs'
    appendFileSync(${JSON.stringify(counter)}, '.')
    if (readFileSync(${JSON.stringify(counter)}).length <= ${times}) throw new Error('out of memory')
    await import(${JSON.stringify(appThread('archive').href)})`
  const file = join(counter, '..', 'worker.mjs')
  writeFileSync(file, script)
  return {
    openArchive: () => threadChannel(pathToFileURL(file), {}),
    begun: () => readFileSync(counter).length,
  }
}

describe('a process of an archive that ends by itself', () => {
  it('is begun again, which is told, and its archive is saved', async () => {
    const { openArchive, begun } = endingProcesses(2)
    const told: unknown[] = []
    const heard = (event: AppEvent) => {
      if (event.kind === 'worker/ended') told.push(event.cause)
    }
    const made = await desk({ openArchive, heard })
    const ended = await made.fetched(ready.record.id)
    expect(ended.state.kind).toBe('saved')
    await expectWhole(made.folder)
    expect(begun()).toBe(3)
    expect(told.map(String)).toEqual(['Error: out of memory', 'Error: out of memory'])
  })

  it('fails in words where that happens again and again', async () => {
    const made = await desk(endingProcesses(100))
    const ended = await made.fetched(ready.record.id)
    expect(ended.state).toMatchObject({
      kind: 'failed',
      failure: { message: expect.stringContaining('interrupted several times') },
    })
  })
})
