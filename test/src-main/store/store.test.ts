import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { describe, expect, it, onTestFinished } from 'vitest'
import { putAccount } from '../../../src-main/store/accounts-repository.ts'
import { openHandle } from '../../../src-main/store/database.ts'
import type { FromWorker, ToWorker, WorkerTask } from '../../../src-main/store/messages.ts'
import { currentVersion } from '../../../src-main/store/migrate.ts'
import type { Opening, Rebuilt } from '../../../src-main/store/opening.ts'
import { openStore } from '../../../src-main/store/store.ts'
import type { OpenStore, StoreOptions } from '../../../src-main/store/store.ts'
import { usualSettings } from '../../../src-shared/desk/settings.ts'
import { account, answer, firstId, openFor, temporaryFolder, workerFile } from './helpers.ts'

/** The store with its real worker thread. */
function open(folder: string, options: Partial<StoreOptions> = {}): OpenStore {
  const store = openStore({ folder, worker: workerFile, ...options })
  onTestFinished(() => store.close())
  return store
}

/** Overwrites every page after the first few with noise; accounts lie in those. */
function damageTheEnd(file: string): void {
  const bytes = readFileSync(file)
  bytes.fill(0xa5, bytes.length - 200_000)
  writeFileSync(file, bytes)
}

function folderWithLongAnswer(): string {
  const folder = temporaryFolder()
  const { database, close } = openFor(folder)
  putAccount(database, account({ address: 'https://a.example' }))
  const long = answer({ text: 'x'.repeat(400_000) })
  database.write(
    `INSERT INTO answers VALUES (?, ?, 'direct/browsers', NULL, NULL, 1000, ?)`,
    long.account,
    long.key,
    long.text,
  )
  close()
  return folder
}

describe('the store', () => {
  it('answers in the order in which it was asked, before it has said that it is open', async () => {
    const store = open(temporaryFolder())
    const results = await Promise.all([
      store.run('accounts/put', account()),
      store.run('answers/keep', answer()),
      store.run('answers/read', { account: firstId, key: answer().key }),
      store.run('accounts/list', undefined),
      store.run('settings/write', { activeAccount: firstId }),
      store.run('settings/read', undefined),
    ])
    expect(results).toEqual([
      null,
      true,
      { key: answer().key, fetchedAt: answer().fetchedAt, text: answer().text },
      [account()],
      null,
      { ...usualSettings, activeAccount: firstId, lastView: null },
    ])
    expect(await store.opened).toEqual({ state: 'ready', rebuilt: null })
  })

  it('keeps across a close and an open', async () => {
    const folder = temporaryFolder()
    const first = open(folder)
    await first.run('accounts/put', account())
    await first.close()
    expect(await open(folder).run('accounts/list', undefined)).toEqual([account()])
  })

  it('rests where it may, and goes on with what is asked next', async () => {
    const folder = temporaryFolder()
    const store = open(folder, { idle: 10 })
    await store.run('accounts/put', account())
    const log = join(folder, 'desk.sqlite-wal')
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

  it('says how it was opened after a rest where that went wrong', async () => {
    const folder = folderWithLongAnswer()
    const reopened: Opening[] = []
    const store = open(folder, { idle: 10, onReopened: (opening) => reopened.push(opening) })
    await store.run('accounts/list', undefined)
    store.mayRest(true)
    await expect.poll(() => existsSync(join(folder, 'desk.sqlite-wal'))).toBe(false)
    writeFileSync(join(folder, 'desk.sqlite'), 'no database at all, but long enough to be one'.repeat(100))
    await store.run('accounts/list', undefined)
    expect(reopened).toMatchObject([{ state: 'ready', rebuilt: { accounts: 0 } }])
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
    const handle = openHandle(join(folder, 'desk.sqlite'))
    handle.pragma(`user_version = ${currentVersion + 1}`)
    handle.exec('CREATE TABLE later (a)')
    handle.close()
    const store = open(folder)
    expect(await store.opened).toEqual({ state: 'newer', version: currentVersion + 1, known: currentVersion })
    await store.run('accounts/put', account())
    expect(await store.run('accounts/list', undefined)).toEqual([account()])
  })

  it('finds damage by itself after the first answer, sets the file aside and keeps the accounts', async () => {
    const folder = folderWithLongAnswer()
    damageTheEnd(join(folder, 'desk.sqlite'))
    const rebuilt = await new Promise<Rebuilt>((resolve, reject) => {
      const store = open(folder, { checkAfter: 0, onRebuilt: resolve })
      store.run('accounts/list', undefined).catch(reject)
    })
    expect(rebuilt.accounts).toBe(1)
    expect(rebuilt.setAside).toContain('damaged')
  })

  it('begins anew where an answer turns out damaged, and answers from the new file', async () => {
    const folder = folderWithLongAnswer()
    damageTheEnd(join(folder, 'desk.sqlite'))
    const heard: Rebuilt[] = []
    const store = open(folder, { checkAfter: 1e9, onRebuilt: (each) => heard.push(each) })
    expect(await store.run('answers/read', { account: firstId, key: answer().key })).toBeNull()
    expect(await store.run('accounts/list', undefined)).toHaveLength(1)
    expect(heard).toHaveLength(1)
  })

  it('leaves a sound file where it is, whatever an older check has found', async () => {
    const folder = temporaryFolder()
    const keep: WorkerTask = { task: 'keep', folder }
    const thread = new Worker(workerFile, { workerData: keep })
    const heard: FromWorker[] = []
    thread.on('message', (message: FromWorker) => heard.push(message))
    const tell = (message: ToWorker) => thread.postMessage(message)
    tell({ kind: 'run', id: 1, name: 'accounts/put', argument: account() })
    tell({ kind: 'begin-anew' })
    tell({ kind: 'close' })
    await new Promise((resolve) => thread.once('exit', resolve))
    expect(heard.map(({ kind }) => kind)).toEqual(['opened', 'done'])
    expect(readdirSync(folder)).toEqual(['desk.sqlite'])
  })

  it('whose worker cannot run says so and refuses every operation', async () => {
    const store = open(temporaryFolder(), { worker: join(temporaryFolder(), 'missing.cjs') })
    expect(await store.opened).toMatchObject({ state: 'unkept' })
    await expect(store.run('accounts/list', undefined)).rejects.toMatchObject({
      failure: { kind: 'internal' },
    })
  })
})
