import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, onTestFinished } from 'vitest'
import type { AnswerToStore } from '#main/database/cache/answers-repository.ts'
import { cacheFile, cacheSchema } from '#main/database/cache/cache-schema.ts'
import type { Writer } from '#main/database/sqlite/database.ts'
import { callsOf } from '#main/database/sqlite/database.ts'
import type { ArgumentOf, ResultOf } from '#main/workers/rpc.ts'
import { openEmptyInMemory, opened, openFile } from '#main/database/sqlite/open-file.ts'
import type { OpenFile } from '#main/database/sqlite/open-file.ts'
import { stateFile, stateSchema } from '#main/database/state/schema.ts'
import { stateOperations } from '#main/database/state/state-store.ts'
import type { StateCalls, StateStore } from '#main/database/state/state-store.ts'
import type { Store } from '#main/database/open-store.ts'
import { openSession } from '#main/database/store-session.ts'
import type { StoreEvent, StoreSession } from '#main/database/store-session.ts'
import type { LiveAccount } from '#shared/accounts/account.ts'
import { noWindows } from '#shared/accounts/account.ts'
import { day } from '#shared/values/day.ts'
import type { AccountId, Instant, DataScopeId } from '#shared/values/ids.ts'
import { appThread } from '#test/helpers/app-threads.ts'

/** A folder that is gone when the test is. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'traffic-desk-store-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** A folder for all tests of a file, gone after the last of them. */
export function folderForAll(): string {
  const folder = mkdtempSync(join(tmpdir(), 'traffic-desk-store-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** The open state of a folder, closed when the test ends, whether or not the test closed it. */
export function openFor(folder: string): OpenFile {
  const open = openFile({ file: stateFile(folder), schema: stateSchema })
  onTestFinished(() => open.close())
  return open
}

/** The same of the cache. */
export function openCacheFor(folder: string): OpenFile {
  const open = openFile({ file: cacheFile(folder), schema: cacheSchema })
  onTestFinished(() => open.close())
  return open
}

type SessionOptions = { readonly emit?: (event: StoreEvent) => void; readonly now?: () => number }

/** Both files without their thread, closed when the test ends. */
export function sessionFor(folder: string, { emit, now }: SessionOptions = {}): StoreSession {
  const session = openSession(folder, emit, now)
  onTestFinished(() => session.close())
  return session
}

/** Runs one operation on an open state. */
export const perform = <N extends keyof StateCalls>(
  database: Writer,
  name: N,
  argument: ArgumentOf<StateCalls[N]>,
): ResultOf<StateCalls[N]> => performerOn(database)(name, argument)

/** Runs operations on an open state. */
function performerOn(database: Writer) {
  const calls = callsOf(stateOperations, (work) => work(database))
  return <N extends keyof StateCalls>(name: N, argument: ArgumentOf<StateCalls[N]>) => {
    const call = calls[name] as unknown as (given: typeof argument) => ResultOf<StateCalls[N]>
    return call(argument)
  }
}

export const firstId = '11111111-1111-4111-8111-111111111111' as AccountId
export const secondId = '22222222-2222-4222-8222-222222222222' as AccountId

/** Whose the figures of an account are. */
export const dataScopeOf = (account: AccountId): DataScopeId => account as string as DataScopeId
export const firstDataScope = dataScopeOf(firstId)
export const secondDataScope = dataScopeOf(secondId)

export function account(changes: Partial<LiveAccount> = {}): LiveAccount {
  return {
    id: firstId,
    name: 'Acme',
    kind: 'service',
    address: 'https://reports.example',
    bodyEncoding: 'json',
    dayZone: 'UTC',
    windows: noWindows,
    firstColumn: null,
    ...changes,
  }
}

export function answer(changes: Partial<AnswerToStore> = {}): AnswerToStore {
  return {
    dataScope: firstDataScope,
    term: 0,
    key: 'direct/browsers?start=20261101&end=20261107',
    path: 'direct/browsers',
    range: { start: day('2026-11-01'), end: day('2026-11-07') },
    fetchedAt: 1_000 as Instant,
    text: '{"total":{"suspect":1}}',
    madeOf: '',
    ...changes,
  }
}

export const workerFile = appThread('store')

/** A store without its thread. */
export const storeOver = (session: StoreSession): Store => ({
  opened: Promise.resolve(session.opening),
  run: async (name, argument) => session.run(name, argument),
  close: () => Promise.resolve(session.close()),
})

/** The real store without its thread, in a folder of its own. */
export const localStore = (folder: string = temporaryFolder()): Store => storeOver(sessionFor(folder))

/** A state in memory, for thousands of commits whose survival of a power failure is tested elsewhere: each waits for the disk. */
export function memoryStore(): StateStore {
  const { database, close } = opened(openEmptyInMemory(stateSchema), null)
  onTestFinished(close)
  const run = performerOn(database)
  return {
    opened: Promise.resolve({ kind: 'ready', news: null }),
    run: async (name, argument) => run(name, argument),
    close: () => Promise.resolve(close()),
  }
}
