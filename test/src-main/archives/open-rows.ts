import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import type { StoredRecount } from '#shared/archives/answers.ts'
import type { StoredList } from '#shared/archives/list-origin.ts'
import { systemClock } from '#main/lib/async.ts'
import { createRows } from '#main/archives/rows.ts'
import type { Rows, RowsParts } from '#main/archives/rows.ts'
import type { RowsFile, RowsState } from '#shared/archives/rows-file.ts'
import { eventually } from '#test/helpers/eventually.ts'
import type { SavedArchive } from '#main/raw/downloads/downloads.ts'
import type { Account } from '#shared/accounts/account.ts'
import { noWindows } from '#shared/accounts/account.ts'
import type { AccountId, DataScopeId } from '#shared/values/ids.ts'
import { usualSettings } from '#shared/app/settings.ts'
import type { DownloadId } from '#shared/downloads/download.ts'
import { eventsTo } from '#test/helpers/app-events.ts'
import { rowsLine } from './helpers.ts'

export const account: Account = {
  id: 'a7b8c9d0-0000-4000-8000-000000000001' as AccountId,
  name: 'Kestrel Media',
  kind: 'service',
  address: 'https://reports.kestrel.example',
  bodyEncoding: 'json',
  dayZone: 'UTC',
  windows: noWindows,
  firstColumn: null,
}

type Catalogue = Map<string, { id: string; path: string; entry: string }>

/** What cases need besides, of a token that sees the same all the time; nothing else is expected. */
export const forCases: RowsParts['forCases'] = {
  dataScope: {
    accounts: { standingOf: () => 'one' },
    reports: { confirm: () => Promise.resolve(null) },
  },
  instances: () => Promise.reject(new Error('Not expected')),
  ruleNames: () => Promise.resolve([]),
  asking: {
    enqueue: () => Promise.reject(new Error('Not expected')),
    queue: () => Promise.resolve({ requests: [], limits: null }),
  },
  listed: () => Promise.resolve(null),
  savedState: () => 'none',
  saveReport: () => Promise.resolve(null),
}

/** The rows of one account over a folder, with what is around them made up. */
export function openRows(
  folder: string,
  {
    catalogue = new Map() as Catalogue,
    archives = [] as SavedArchive[],
    ...more
  }: Partial<RowsParts> & {
    catalogue?: Catalogue
    archives?: SavedArchive[]
  } = {},
) {
  const events: string[] = []
  const bus = eventsTo(({ kind }) => {
    if (kind === 'rows/changed' || kind === 'rows/progress') events.push(kind)
  })
  /** Downloads are others: which archives are saved. */
  const savedChanged = () =>
    bus.emit({
      kind: 'downloads/changed',
      changed: [],
      removed: [randomUUID() as DownloadId],
      reordered: false,
    })
  /** It is switched on that archives are read in by themselves. */
  const switchedOn = () =>
    bus.emit({ kind: 'settings/changed', settings: usualSettings, changed: ['readsIn'] })
  const exported: { name: string; ending: string; write: Parameters<RowsParts['runExport']>[1]['write'] }[] =
    []
  const run = (name: string, argument: { id: string; path: string; entry: string }) => {
    if (name === 'rows-files/list') return Promise.resolve([...catalogue.values()])
    if (name === 'rows-files/put') catalogue.set(argument.id, argument)
    else catalogue.delete(argument.id)
    return Promise.resolve(null)
  }
  const stored = new Map<string, StoredRecount>()
  const lists: StoredList[] = []
  const runState = (name: string, argument: { report: string; stored: StoredRecount; list: StoredList }) => {
    if (name === 'cases/list') return Promise.resolve([])
    if (name === 'recounts/of') return Promise.resolve(stored.get(argument.report) ?? null)
    if (name === 'recounts/keep') stored.set(argument.report, argument.stored)
    if (name === 'block-lists/note') lists.unshift(argument.list)
    return Promise.resolve(name === 'block-lists/list' ? lists : null)
  }
  const parts: RowsParts = {
    state: { run: runState as unknown as RowsParts['state']['run'] },
    autoImport: () => Promise.resolve(true),
    // The pauses of what is done by itself are over at once.
    wait: (milliseconds, signal) =>
      milliseconds > 3000
        ? systemClock.wait(milliseconds, signal)
        : new Promise((resolve) => setImmediate(resolve)),
    store: { run: run as unknown as RowsParts['store']['run'] },
    accounts: {
      account: () => account,
      list: () => [account],
      dataScopeOf: () => 'owner-1' as DataScopeId,
    },
    folder,
    openEngine: () => rowsLine(folder),
    saved: () => Promise.resolve(archives),
    typeOf: () => Promise.resolve(null),
    chooseTables: () => Promise.resolve([]),
    runExport: (_, job) => {
      exported.push(job)
      return { id: randomUUID() as ReturnType<RowsParts['runExport']>['id'] }
    },
    trend: () => Promise.reject(new Error('Not expected')),
    ask: () => Promise.reject(new Error('Not expected')),
    print: () => Promise.reject(new Error('Not expected')),
    forCases,
    reportOf: () => Promise.resolve(null),
    events: bus,
    now: () => Date.parse('2026-11-22'),
    ...more,
  }
  const rows = createRows(parts)
  onTestFinished(() => rows.close())
  return { rows, bus, events, exported, catalogue, stored, savedChanged, switchedOn }
}

export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'traffic-desk-rows-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** The first file in the list. */
export const theFile = async (rows: Rows): Promise<RowsFile> => {
  const [file] = await rows.list(account.id)
  if (!file) throw new Error('There is no file')
  return file
}

export const stateOf = async (rows: Rows): Promise<RowsState['kind']> => (await theFile(rows)).state.kind

/** Drops a file on the window, and waits until all of it is read in. */
export async function dropped(rows: Rows, path: string): Promise<void> {
  await rows.take({ account: account.id, dropped: [...(await rows.dropped([path]))] })
  await eventually(async () => expect(await stateOf(rows)).toBe('whole'))
}

/** The first rows of the first file, at most ten. */
export const firstPage = async (rows: Rows) => {
  const { id } = await theFile(rows)
  const question = { account: account.id, files: [id], conditions: [], sort: [] }
  return await rows.page({ question, offset: 0, limit: 10, columns: [] })
}
