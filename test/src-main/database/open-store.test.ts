import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { cacheFile } from '#main/database/cache/cache-schema.ts'
import { openHandle } from '#main/database/sqlite/database.ts'
import { currentVersion } from '#main/database/sqlite/migrate.ts'
import { leavingFile } from '#main/database/state/moving.ts'
import { stateFile, stateSchema } from '#main/database/state/schema.ts'
import { openStore } from '#main/database/open-store.ts'
import type { OpenStore, StoreOptions } from '#main/database/open-store.ts'
import { AppEvents } from '#main/lib/app-events.ts'
import type { AppEvent } from '#main/lib/app-events.ts'
import type { Notice } from '#shared/app/state.ts'
import { usualSettings } from '#shared/app/settings.ts'
import { eventsTo } from '#test/helpers/app-events.ts'
import {
  account,
  answer,
  firstId,
  firstDataScope,
  sessionFor,
  temporaryFolder,
  workerFile,
} from './helpers.ts'

/** The store with its real worker thread. */
function open(folder: string, options: Partial<StoreOptions> = {}): OpenStore {
  const store = openStore({ folder, worker: workerFile, ...options })
  onTestFinished(() => store.close())
  return store
}

/** A bus, and all that is told on it. */
function recordedEvents(): { readonly events: AppEvents; readonly heard: readonly AppEvent[] } {
  const heard: AppEvent[] = []
  return { events: eventsTo((event) => void heard.push(event)), heard }
}

const asked = { dataScope: firstDataScope, key: answer().key }

/** Overwrites every page after the first few with noise. */
/** Behind the tables themselves, which the opening reads: in what was kept last. */
function damageTheEnd(file: string): void {
  const bytes = readFileSync(file)
  bytes.fill(0xa5, Math.floor(bytes.length * 0.75))
  writeFileSync(file, bytes)
}

/** A closed store with an account, of which there is a backup, and a long answer. */
function filledFolder(): string {
  const folder = temporaryFolder()
  const session = sessionFor(folder)
  session.run('accounts/put', account())
  for (let number = 0; number < 200; number += 1)
    session.run('layouts/write', {
      report: `direct/${number}`,
      layout: { order: ['x'.repeat(500)], hidden: [], widths: {} },
    })
  session.run('answers/keep', answer({ text: 'x'.repeat(400_000) }))
  session.maintain()
  session.close()
  return folder
}

describe('the store', () => {
  it('answers in the order in which it was asked, before it has said that it is open', async () => {
    const store = open(temporaryFolder())
    const results = await Promise.all([
      store.run('accounts/put', account()),
      store.run('answers/keep', answer()),
      store.run('answers/read', asked),
      store.run('accounts/list', undefined),
      store.run('settings/write', { activeAccount: firstId }),
      store.run('settings/read', undefined),
    ])
    expect(results).toEqual([
      null,
      true,
      {
        key: answer().key,
        fetchedAt: answer().fetchedAt,
        text: answer().text,
        madeOf: '',
        isProvisional: false,
      },
      [account()],
      null,
      { ...usualSettings, activeAccount: firstId, lastView: null, todaySeenAt: null },
    ])
    expect(await store.opened).toEqual({ kind: 'ready', news: null })
  })

  it('keeps across a close and an open, with what was asked right before it was closed', async () => {
    const folder = temporaryFolder()
    const first = open(folder)
    const stored = first.run('accounts/put', account())
    await first.close()
    await stored
    expect(await open(folder).run('accounts/list', undefined)).toEqual([account()])
  })

  it('rests where it may, and goes on with what is asked next', async () => {
    const folder = temporaryFolder()
    const store = open(folder, { idle: 10 })
    await store.run('accounts/put', account())
    const log = `${stateFile(folder)}-wal`
    expect(existsSync(log)).toBe(true)
    store.mayRest(true)
    // Whoever closes a file that nobody else has open clears its log away.
    await expect.poll(() => existsSync(log)).toBe(false)
    const answers = await Promise.all([
      store.run('settings/write', { activeAccount: firstId }),
      store.run('accounts/list', undefined),
      store.run('settings/read', undefined),
    ])
    expect(answers).toMatchObject([null, [account()], { activeAccount: firstId }])
    await expect.poll(() => existsSync(log)).toBe(false)
    await store.close()
    await expect(store.run('accounts/list', undefined)).rejects.toMatchObject({
      failure: { kind: 'internal' },
    })
  })

  it('begins in the thread that asks, and goes on in its own without losing a call', async () => {
    const folder = temporaryFolder()
    const begun: string[] = []
    const onWorker = (worker: object) => begun.push(worker.constructor.name)
    process.on('worker', onWorker)
    onTestFinished(() => void process.off('worker', onWorker))
    const store = open(folder, { here: Promise.resolve() })
    await store.run('accounts/put', account())
    expect(begun).toEqual([])
    store.toThread()
    const calls = Array.from({ length: 200 }, async (_, index) => {
      await store.run('settings/write', { lastView: `#/${index}` })
      return await store.run('settings/read', undefined)
    })
    await Promise.all(calls)
    await expect.poll(() => begun).toEqual(['Worker'])
    await expect.poll(async () => (await store.run('settings/read', undefined)).lastView).toBe('#/199')
    expect(await store.run('accounts/list', undefined)).toEqual([account()])
  })

  it('opens no file in the thread that asks before it may, and answers then what was asked', async () => {
    const folder = temporaryFolder()
    let begin: () => void = () => undefined
    const store = open(folder, { here: new Promise((resolve) => (begin = resolve)) })
    const put = store.run('accounts/put', account())
    await new Promise((resolve) => setImmediate(resolve))
    expect(existsSync(stateFile(folder))).toBe(false)
    begin()
    await put
    expect(await store.run('accounts/list', undefined)).toEqual([account()])
  })

  it('stays in the thread that asks where no other can be begun', async () => {
    const store = open(temporaryFolder(), { here: Promise.resolve(), worker: 'no-such-worker.js' })
    await store.run('accounts/put', account())
    store.toThread()
    await store.run('settings/write', { activeAccount: firstId })
    expect(await store.run('accounts/list', undefined)).toEqual([account()])
  })

  it('says how it was opened after a rest where that went wrong', async () => {
    const folder = filledFolder()
    const { events, heard } = recordedEvents()
    const store = open(folder, { idle: 10, events })
    await store.run('accounts/list', undefined)
    store.mayRest(true)
    await expect.poll(() => existsSync(`${stateFile(folder)}-wal`)).toBe(false)
    writeFileSync(stateFile(folder), 'no database at all, but long enough to be one'.repeat(100))
    expect(await store.run('accounts/list', undefined)).toEqual([account()])
    expect(heard).toMatchObject([
      { kind: 'notice/shown', notice: { id: 'store-restored', title: 'The saved data was damaged' } },
    ])
  })

  it('never gives up what is in memory alone', async () => {
    const folder = join(temporaryFolder(), 'file')
    writeFileSync(folder, 'a file in its place')
    const store = open(folder, { idle: 1 })
    store.mayRest(true)
    await store.run('accounts/put', account())
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(await store.run('accounts/list', undefined)).toEqual([account()])
  })

  it('refuses what is asked after it was closed', async () => {
    const store = open(temporaryFolder())
    await store.close()
    await expect(store.run('accounts/list', undefined)).rejects.toMatchObject({
      failure: { kind: 'internal' },
    })
    await store.close()
  })

  it('says that a file is newer, and serves from memory', async () => {
    const folder = temporaryFolder()
    const handle = openHandle(stateFile(folder))
    const known = currentVersion(stateSchema)
    handle.pragma(`user_version = ${known + 1}`)
    handle.exec('CREATE TABLE later (a)')
    handle.close()
    const store = open(folder)
    expect(await store.opened).toEqual({ kind: 'newer', version: known + 1, known })
    await store.run('accounts/put', account())
    expect(await store.run('accounts/list', undefined)).toEqual([account()])
  })

  it('leaves the cache alone where the state is of a newer version', async () => {
    const folder = filledFolder()
    const handle = openHandle(stateFile(folder))
    handle.pragma(`user_version = ${currentVersion(stateSchema) + 1}`)
    handle.close()
    const before = readFileSync(cacheFile(folder))
    const store = open(folder)
    expect(await store.run('cache/state', undefined)).toBe('incompatible')
    await store.close()
    expect(readFileSync(cacheFile(folder)).equals(before)).toBe(true)
  })

  it('finds damage by itself after the opening, and goes on with the backup', async () => {
    const folder = filledFolder()
    damageTheEnd(stateFile(folder))
    const notice = await new Promise<Notice>((resolve, reject) => {
      const events = new AppEvents()
      events.on('notice/shown', (event) => resolve(event.notice))
      const store = open(folder, { checkAfter: 0, events })
      store.run('settings/read', undefined).catch(reject)
    })
    expect(notice).toMatchObject({
      title: 'The saved data was damaged',
      text: expect.stringContaining('are restored as of'),
    })
  })

  it('begins a cache anew where an answer turns out damaged, and leaves the state alone', async () => {
    const folder = filledFolder()
    damageTheEnd(cacheFile(folder))
    const { events, heard } = recordedEvents()
    const store = open(folder, { checkAfter: 1e9, events })
    expect(await store.run('answers/read', asked)).toBeNull()
    expect(await store.run('accounts/list', undefined)).toHaveLength(1)
    expect(heard).toMatchObject([
      { kind: 'notice/shown', notice: { id: 'cache-renewed' } },
      { kind: 'cache/renewed' },
    ])
    expect(await store.run('answers/keep', answer())).toBe(true)
    expect(readdirSync(folder).some((name) => name.includes('damaged'))).toBe(false)
  })

  it('leaves sound files where they are, whatever an older check has found', () => {
    const folder = filledFolder()
    const emit = vi.fn<() => void>()
    const session = sessionFor(folder, { emit })
    session.replace({ state: true, cache: true })
    expect(session.run('answers/read', asked)?.text).toHaveLength(400_000)
    expect(emit).not.toHaveBeenCalled()
  })

  it.each<[string, (folder: string) => void]>([
    [
      'is of a newer version',
      (folder) => {
        const handle = openHandle(stateFile(folder))
        handle.pragma(`user_version = ${currentVersion(stateSchema) + 1}`)
        handle.close()
      },
    ],
    [
      'cannot be read',
      (folder) => {
        rmSync(stateFile(folder))
        mkdirSync(stateFile(folder))
      },
    ],
  ])('that %s is not backed up, because nothing of it is at hand', (_, change) => {
    const folder = filledFolder()
    change(folder)
    const session = sessionFor(folder)
    expect(() => session.run('backup/write', undefined)).toThrow(
      'The saved data could not be opened, so it cannot be backed up.',
    )
    expect(existsSync(leavingFile(folder))).toBe(false)
  })

  it('whose worker cannot run says so and refuses every operation', async () => {
    const store = open(temporaryFolder(), { worker: join(temporaryFolder(), 'missing.cjs') })
    expect(await store.opened).toMatchObject({ kind: 'unwritable' })
    await expect(store.run('accounts/list', undefined)).rejects.toMatchObject({
      failure: { kind: 'internal' },
    })
  })

  it('begins its thread again with the next operation where it ended by itself, and says so', async () => {
    const folder = temporaryFolder()
    const crashing = join(folder, 'crashing.mjs')
    // The thread dies when it is told a certain view.
    writeFileSync(
      crashing,
      `import { parentPort } from 'node:worker_threads'
       parentPort.on('message', ({ argument }) => { if (argument?.lastView === 'die') process.exit(7) })
       await import(${JSON.stringify(workerFile.href)})`,
    )
    const { events, heard } = recordedEvents()
    const store = open(folder, { worker: crashing, events })
    await store.run('accounts/put', account())
    await expect(store.run('settings/write', { lastView: 'die' })).rejects.toMatchObject({
      failure: { kind: 'internal' },
    })
    expect(heard).toMatchObject([{ kind: 'worker/ended', worker: 'store' }])
    expect(await store.run('accounts/list', undefined)).toEqual([account()])
  })
})
