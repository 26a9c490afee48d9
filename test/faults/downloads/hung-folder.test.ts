import { randomUUID } from 'node:crypto'
import { lookup } from 'node:dns/promises'
import { readdirSync, statSync } from 'node:fs'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { Backups } from '#main/backup/backups.ts'
import { createDraft, saveText } from '#main/files/draft.ts'
import { SlowFolderGuard } from '#main/lib/slow-folder-guard.ts'
import { nodeThreads } from '#main/lib/node-threads.ts'
import { threadChannel } from '#main/workers/rpc-client.ts'
import { systemClock } from '#main/lib/async.ts'
import type { SavedArchive } from '#main/raw/downloads/downloads.ts'
import { checkFolder } from '#main/settings/settings.ts'
import { readLogo } from '#main/settings/logo.ts'
import { readViewsFile } from '#main/saved-views/views-file.ts'
import { openStore } from '#main/database/open-store.ts'
import type { Store } from '#main/database/open-store.ts'
import type { StoredDownload } from '#main/database/state/downloads-repository.ts'
import { usualSettings } from '#shared/app/settings.ts'
import type { ExportOrder } from '#shared/exports/order.ts'
import type { DownloadId } from '#shared/downloads/download.ts'
import type { Instant, RawReportId } from '#shared/values/ids.ts'
import { AppEvents } from '#main/lib/app-events.ts'
import { Jobs } from '#main/lib/jobs.ts'
import type { OpenStore } from '#main/database/open-store.ts'
import type { Settings } from '#main/settings/settings.ts'
import type { SystemShell } from '#main/lib/system-shell.ts'
import { inArchiveProcess } from '#main/raw/downloads/archive-process.ts'
import { appThread, openAsThread } from '#test/helpers/app-threads.ts'
import { eventually } from '#test/helpers/eventually.ts'
import { hungFolder, threadsOnDisk } from '#test/helpers/hung-folder.ts'
import { utilityChildChannel } from '#test/helpers/utility-channel.ts'
import {
  account as exportingAccount,
  asking,
  exportsTo,
  headers,
  query,
  textRow,
} from '#test/src-main/exports/helpers.ts'
import { zipOf } from '#test/src-main/files/made-archives.ts'
import { temporaryFolder } from '#test/src-main/raw/downloads/helpers.ts'
import type { DownloadsChanges } from '#test/src-main/raw/downloads/helpers.ts'
import { account, localStore } from '#test/src-main/database/helpers.ts'
import { newFolder, openRows } from '#test/src-main/archives/open-rows.ts'
import { fake } from '#test/helpers/fake.ts'
import { archiveService, deskAt, report } from './archive-service.ts'

const trial = hungFolder()
trial?.release()
if (trial === null) console.log('Folders that hang are not tried: nothing may be mounted here')

function open(over?: string): string {
  const folder = hungFolder(over)
  if (!folder) throw new Error('It could be mounted a moment ago')
  onTestFinished(folder.release)
  return folder.path
}

const saved = (folder: string, file: string, changes: Partial<StoredDownload> = {}): StoredDownload => ({
  ...{ id: randomUUID() as DownloadId, account: account().id, report: `${file}-report` as RawReportId },
  ...{ name: file, folder, file, part: null, host: null, size: 1, etag: null, expires: null },
  ...{ addedAt: 0 as Instant, state: { kind: 'saved', at: 0 as Instant }, ...changes },
})

/** Waits until nobody waits for the folders of earlier tests any more. */
const backupsOf = (folder: string, store: Partial<OpenStore>, downloads = folder) => {
  const jobs = new Jobs(new AppEvents(), systemClock)
  const backups = new Backups({
    ...{ folder, openBackup: openAsThread('backup'), version: '1.2.3', jobs },
    store: fake<OpenStore>('store', store),
    settings: fake<Settings>('settings', { downloadFolder: () => Promise.resolve(downloads) }),
    shell: fake<SystemShell>('shell', { restart: () => undefined }),
    clock: { ...systemClock, now: () => 0 },
  })
  return { backups, cancel: () => jobs.list().forEach(({ id }) => jobs.cancel(id)) }
}

const untilNobodyWaits = () => eventually(() => expect(threadsOnDisk()).toBe(0))

/** A list of this session's and a service, over what an earlier session kept. */
async function deskWith(stored: readonly StoredDownload[], changes: DownloadsChanges = {}) {
  const store = localStore()
  const server = await archiveService({ bytes: await zipOf({ 'report.csv': 'Source\r\nnews\r\n' }) })
  await store.run('accounts/put', account({ address: server.address }))
  await store.run('downloads/put', stored)
  return await deskAt(server, { store, folderGuard: new SlowFolderGuard({ limit: 300 }), ...changes })
}

describe.skipIf(trial === null)('a folder that does not answer', () => {
  it('holds neither the list nor names and files elsewhere up, however often and many are looked at', async () => {
    const healthy = temporaryFolder()
    await writeFile(join(healthy, 'there.zip'), 'x')
    const hung = Array.from({ length: nodeThreads.all }, () => open())
    const there = saved(healthy, 'there.zip')
    const { downloads } = await deskWith([
      ...hung.flatMap((folder) => [saved(folder, 'one.zip'), saved(folder, 'two.zip')]),
      there,
    ])
    for (let turn = 0; turn < 3; turn += 1) await Promise.all([downloads.list(), downloads.list()])
    await eventually(() => expect(threadsOnDisk()).toBe(nodeThreads.looksOfLists))
    expect(await downloads.show(there.id)).toBeNull()
    // Each of these takes one of the threads that hung looks could have filled.
    await Promise.all([stat(healthy), lookup('localhost')])
    expect((await downloads.known()).map(({ file, state }) => [file, state.kind])).toContainEqual([
      'there.zip',
      'saved',
    ])
  })

  it('says so where its file is wanted', async () => {
    const stored = saved(open(), 'one.zip')
    const { downloads } = await deskWith([stored])
    await expect(downloads.show(stored.id)).rejects.toMatchObject({
      failure: { kind: 'disk', message: expect.stringMatching(/doesn't respond/) as string },
    })
  })

  it('leaves other downloads alone; its own wait, and can be paused and taken away', async () => {
    const hung = open()
    const waiting = saved(hung, 'waits.zip', { state: { kind: 'waiting' }, part: 'waits.zip.part' })
    const { downloads, until, started } = await deskWith([waiting])
    await until(waiting.id, ({ state }) => state.kind === 'paused' && state.why === 'disk')
    const id = await started(report)
    await until(id, ({ state }) => state.kind === 'saved')
    await downloads.pause(waiting.id)
    expect(await downloads.cancel(waiting.id)).toEqual({ stays: null })
  })

  it('holds up neither the list of raw rows nor the rows of other folders', async () => {
    const healthy = newFolder()
    await writeFile(join(healthy, 'there.zip'), await zipOf({ 'report.csv': 'Source\r\nnews\r\n' }))
    const hung = open()
    const of = (folder: string, name: string): SavedArchive => ({
      ...{ report: name as RawReportId, name, path: join(folder, name), addedAt: 0 as Instant },
    })
    const archives = [
      ...['one.zip', 'two.zip', 'three.zip', 'four.zip'].map((name) => of(hung, name)),
      of(healthy, 'there.zip'),
    ]
    const folderGuard = new SlowFolderGuard({ limit: 300 })
    const { rows } = openRows(newFolder(), { archives, folderGuard })
    const listed = () => rows.list(account().id)
    for (const files of await Promise.all([listed(), listed(), listed(), listed()])) {
      const found = Object.fromEntries(files.map(({ name, archive }) => [name, archive]))
      const away = { 'one.zip': 'away', 'two.zip': 'away', 'three.zip': 'away', 'four.zip': 'away' }
      expect(found).toEqual({ ...away, 'there.zip': 'there' })
    }
    await Promise.all([stat(healthy), lookup('localhost')])
    const [first] = await listed()
    if (!first) throw new Error('There is no file')
    await expect(rows.import({ account: account().id, file: first.id })).rejects.toThrow(/doesn't respond/)
    expect(await rows.dropped([join(hung, 'a.csv'), join(healthy, 'there.zip')])).toHaveLength(1)
  })

  it.each([
    ['is given up once nothing is heard of it', false],
    ['is given up by the person', true],
  ])('keeps no rows of other folders from being read in where a reading of its own %s', async (_, stops) => {
    const [gone, healthy] = [newFolder(), newFolder()]
    const table = 'Source\r\nnews\r\n'
    for (const folder of [gone, healthy]) await writeFile(join(folder, 'table.csv'), table)
    const profile = newFolder()
    const { rows } = openRows(profile, {
      folderGuard: new SlowFolderGuard({ limit: 300 }),
      // A hundredth of the time; a person is quicker than that.
      wait: (milliseconds, signal) =>
        systemClock.wait(stops && milliseconds > 5000 ? 1e6 : milliseconds / 100, signal),
      openEngine: () =>
        threadChannel(appThread('engine'), {
          argv: ['rows', join(profile, 'rows'), join(profile, 'rows-work')],
        }),
    })
    const take = async (folder: string) => {
      const dropped = await rows.dropped([join(folder, 'table.csv')])
      return (await rows.take({ account: account().id, dropped: [...dropped] }))[0]
    }
    const listed = async () => (await rows.list(account().id)).map(({ state }) => state)
    const dropped = await rows.dropped([join(gone, 'table.csv')])
    await untilNobodyWaits()
    open(gone)
    const [file] = await rows.take({ account: account().id, dropped: [...dropped] })
    if (file === undefined) throw new Error('There is no file')
    await eventually(() => expect(threadsOnDisk()).toBeGreaterThan(0))
    await take(healthy)
    if (stops) await rows.cancelImport({ account: account().id, file })
    await eventually(async () =>
      expect(await listed()).toContainEqual(expect.objectContaining({ kind: 'whole' })),
    )
    const message = expect.stringMatching(/doesn't respond/) as string
    const failed = { kind: 'failed', failure: { kind: 'disk', message } }
    expect((await listed()).filter(({ kind: as }) => as !== 'whole')).toEqual(stops ? [] : [failed])
  })

  it('takes no thread that files and names elsewhere need, where it hangs after the first byte', async () => {
    let goOn = () => {}
    const rest = new Promise<void>((resolve) => (goOn = resolve))
    const bytes = await zipOf({ 'report.csv': 'Source\r\nnews\r\n' })
    const server = await archiveService({ bytes, rest })
    const { started, until, folder } = await deskAt(server, {
      folderGuard: new SlowFolderGuard({ limit: 300 }),
    })
    const ids = await Promise.all(
      ['one', 'two', 'three'].map((name) => started(`${name}-report` as RawReportId)),
    )
    for (const id of ids) await until(id, ({ state }) => state.kind === 'running' && state.done > 0)
    open(folder)
    goOn()
    for (const id of ids) await until(id, ({ state }) => state.kind === 'checking')
    await eventually(() => expect(threadsOnDisk()).toBeGreaterThanOrEqual(ids.length))
    const names = Array.from({ length: 4 }, () => lookup('localhost'))
    await Promise.all([...names, readFile(import.meta.filename)])
  })

  it.each(['finish', 'unpack'] as const)('ends with the process that waits for it: %s', async (kind) => {
    const folder = open()
    const channel = utilityChildChannel(appThread('archive'))
    const ended = new Promise<unknown>((resolve) => channel.onEnd(resolve))
    const turn = new AbortController()
    const path = join(folder, 'Report.zip')
    const task =
      kind === 'finish'
        ? ({ kind, path, modified: null } as const)
        : ({ kind, path, folder, stem: 'Report', mark: '.x-' } as const)
    const given = inArchiveProcess(() => channel, task, turn.signal)
    await eventually(() => expect(threadsOnDisk(channel.pid)).toBe(1))
    expect(threadsOnDisk()).toBe(0)
    const reason = new Error('Enough')
    turn.abort(reason)
    await expect(given).rejects.toBe(reason)
    expect(String(await ended)).toBe('Error: It ended with SIGTERM')
  })

  it('makes an archive wait that hangs where it gets its name', async () => {
    const bytes = await zipOf({ 'report.csv': 'Source\r\nnews\r\n' })
    const isWhole = (folder: string) =>
      readdirSync(folder).some(
        (name) => name.endsWith('.part') && statSync(join(folder, name)).size === bytes.length,
      )
    let hangs = false
    class Hanging extends SlowFolderGuard {
      override async run<T>(folder: string, look: () => Promise<T>): Promise<T> {
        const found = await super.run(folder, look)
        if (!hangs && isWhole(folder)) {
          hangs = true
          open(folder)
        }
        return found
      }
    }
    const server = await archiveService({ bytes })
    const { started, until } = await deskAt(server, { folderGuard: new Hanging({ limit: 300 }) })
    const id = await started(report)
    await until(id, ({ state }) => state.kind === 'paused' && state.why === 'disk')
  })

  it('takes one thread however many files are about to get their names there', async () => {
    const folder = newFolder()
    const drafts = await Promise.all(Array.from({ length: 5 }, () => createDraft(folder)))
    const before = threadsOnDisk()
    open(folder)
    for (const draft of drafts) void draft.publish('Report', 'csv').catch(() => undefined)
    await eventually(() => expect(threadsOnDisk()).toBeGreaterThan(before))
    await Promise.all([lookup('localhost'), readFile(import.meta.filename)])
    expect(threadsOnDisk()).toBe(before + 1)
  })

  it('takes no thread that others need where exports are written there, and ends them in words or by hand', async () => {
    await untilNobodyWaits()
    const folder = newFolder()
    let isLate = () => {}
    const late = new Promise<void>((resolve) => (isLate = resolve))
    const reports = asking({ rows: [textRow('Chrome', 1, 2, 3, 4, 5, 6, 7)] })
    let drafts = 0
    // Asked for after a draft is made, and before the thread that opens it is started.
    const read = async () => {
      if ((drafts += 1) === 6) open(folder)
      await eventually(() => expect(drafts).toBe(6))
      return usualSettings
    }
    const { exported, jobs, ended } = exportsTo(folder, {
      reports,
      settings: fake<Settings>('settings', { read, downloadFolder: () => Promise.resolve(folder) }),
      clock: { ...systemClock, wait: () => late },
    })
    const write = () => Promise.resolve({ rows: null })
    const table: ExportOrder = { kind: 'table', format: 'csv', rows: 'all', query, columns: headers }
    const ids = await Promise.all([
      ...Array.from({ length: 5 }, () => exported.begin({ account: exportingAccount.id, order: table })),
      exported.run(exportingAccount.id, { name: 'Rows', ending: 'csv', write }),
    ])
    await eventually(() => expect(threadsOnDisk()).toBeGreaterThanOrEqual(ids.length))
    const names = Array.from({ length: 4 }, () => lookup('localhost'))
    await Promise.all([...names, readFile(import.meta.filename)])
    const [one, ...others] = ids.map(({ id }) => id)
    if (one === undefined) throw new Error('There is none')
    jobs.cancel(one)
    expect(await ended(one)).toEqual({ kind: 'cancelled' })
    isLate()
    const message = expect.stringMatching(/doesn't respond/) as string
    for (const id of others)
      expect(await ended(id)).toMatchObject({ kind: 'failed', failure: { kind: 'disk', message } })
  })

  it('is left by who gives up what is about to get its name there', async () => {
    const folder = newFolder()
    const draft = await createDraft(folder)
    open(folder)
    const ending = new AbortController()
    await untilNobodyWaits()
    const refused = expect(draft.publish('Report', 'csv', ending.signal)).rejects.toMatchObject({
      failure: { kind: 'cancelled' },
    })
    await eventually(() => expect(threadsOnDisk()).toBeGreaterThan(0))
    ending.abort()
    await refused
    await draft.discard()
  })

  it('is given up by whoever saves, reads or tries a file there', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const hung = open()
    const refused = expect(createDraft(hung)).rejects.toThrow(/doesn't respond/)
    do await new Promise(setImmediate)
    while (threadsOnDisk() === 0)
    await vi.advanceTimersByTimeAsync(10_000)
    await refused
    await expect(saveText(hung, 'Views', 'json', '{}')).rejects.toThrow(/doesn't respond/)
    await expect(checkFolder(hung)).rejects.toThrow(/Can't reach this folder/)
    await expect(readLogo(join(hung, 'logo.png'))).rejects.toThrow(/doesn't respond/)
    await expect(readViewsFile(join(hung, 'views.json'))).rejects.toThrow(/doesn't respond/)
    await Promise.all([stat(tmpdir()), lookup('localhost')])
  })

  it('keeps nobody from the state while a backup is written there, and is given up once the person cancels', async () => {
    const [folder, saved] = [temporaryFolder(), temporaryFolder()]
    const store = openStore({ folder, worker: appThread('store') })
    const run: Store['run'] = async (name, argument) => {
      if (name === 'backup/write') open(saved)
      return await store.run(name, argument)
    }
    const { backups, cancel } = backupsOf(folder, { run, mayRest: () => undefined }, saved)
    await untilNobodyWaits()
    const refused = expect(backups.save(false)).rejects.toMatchObject({
      failure: { kind: 'cancelled' },
    })
    await eventually(() => expect(threadsOnDisk()).toBeGreaterThan(0))
    expect(await store.run('accounts/list', undefined)).toEqual([])
    await eventually(() => expect(readdirSync(folder)).toContain('state.leaving.sqlite'))
    cancel()
    await refused
    expect(readdirSync(folder)).not.toContain('state.leaving.sqlite')
    // So does one that a killed app has left.
    await writeFile(join(folder, 'state.leaving.sqlite'), 'x')
    await backupsOf(folder, store, saved).backups.start()
    expect(readdirSync(folder)).not.toContain('state.leaving.sqlite')
    await store.close()
  })

  it('is given up by who restores a backup there, once the person cancels', async () => {
    const hung = open()
    const { backups, cancel } = backupsOf(temporaryFolder(), {
      run: (() => Promise.resolve(null)) as unknown as Store['run'],
      mayRest: () => undefined,
    })
    const choosing = backups.choose(join(hung, 'a.backup'))
    const refused = expect(choosing).rejects.toMatchObject({ failure: { kind: 'cancelled' } })
    await eventually(() => expect(threadsOnDisk()).toBeGreaterThan(0))
    cancel()
    await refused
  })

  it('is asked nothing for the tray', async () => {
    const asked: string[] = []
    class Counted extends SlowFolderGuard {
      override run<T>(folder: string, look: () => Promise<T>): Promise<T> {
        asked.push(folder)
        return super.run(folder, look)
      }
    }
    const folderGuard = new Counted({ limit: 300 })
    const stored = saved(open(), 'one.zip')
    const { downloads } = await deskWith([stored], { folderGuard, begins: false })
    expect(await downloads.known()).toMatchObject([{ state: { kind: 'saved' } }])
    expect(asked).toEqual([])
    await downloads.list()
    expect(asked).toContain(stored.folder)
  })
})
