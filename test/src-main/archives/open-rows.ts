import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import type { StoredRecount } from '#shared/archives/rows.ts'
import type { ListedRange, StoredList } from '#shared/archives/block-list.ts'
import { Jobs } from '#main/lib/jobs.ts'
import type { AppEvents } from '#main/lib/app-events.ts'
import { systemClock } from '#main/lib/async.ts'
import type { Clock } from '#main/lib/async.ts'
import { Archives } from '#main/archives/archives.ts'
import type { ArchivesContext } from '#main/archives/archives-context.ts'
import { Cases } from '#main/cases/cases.ts'
import type { Accounts } from '#main/accounts/accounts.ts'
import type { Exports } from '#main/exports/exports.ts'
import type { SystemShell } from '#main/lib/system-shell.ts'
import type { Downloads, SavedArchive } from '#main/raw/downloads/downloads.ts'
import type { RawReports } from '#main/raw/polling/raw-reports.ts'
import type { Raw } from '#main/raw/raw.ts'
import type { RawRequests } from '#main/raw/requests/raw-requests.ts'
import type { Reports } from '#main/reports/reports.ts'
import type { Settings } from '#main/settings/settings.ts'
import type { Channel } from '#main/workers/rpc.ts'
import type { RawType } from '#shared/api/raw-columns.ts'
import type { RawReport } from '#shared/api/answers.ts'
import type { OverviewQuery } from '#shared/reports/query.ts'
import type { TrendAnswer } from '#shared/reports/answer.ts'
import type { RowsFile, RowsState, ShapeChoice } from '#shared/archives/rows-file.ts'
import { eventually } from '#test/helpers/eventually.ts'
import { fake } from '#test/helpers/fake.ts'
import type { Account } from '#shared/accounts/account.ts'
import { noWindows } from '#shared/accounts/account.ts'
import type { RawListRow } from '#shared/api/answers.ts'
import { slowFolderGuard } from '#main/lib/slow-folder-guard.ts'
import type { SlowFolderGuard } from '#main/lib/slow-folder-guard.ts'
import type { AccountId, DataScopeId, RawReportId } from '#shared/values/ids.ts'
import { usualSettings } from '#shared/app/settings.ts'
import type { DeskSettings } from '#shared/app/settings.ts'
import type { DownloadId } from '#shared/downloads/download.ts'
import { eventsTo } from '#test/helpers/app-events.ts'
import { rowsChannel } from './helpers.ts'

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

/** The raw reports and the token around cases: it sees the same all the time, and nothing else is expected. */
export type AroundCases = {
  readonly enqueue: RawRequests['enqueue']
  readonly queue: RawRequests['queue']
  readonly instances: Reports['instances']
  readonly confirm: Reports['confirm']
  readonly connection: Reports['connection']
  readonly standingOf: Accounts['standingOf']
  readonly listed: RawReports['known']
  readonly savedState: Downloads['savedState']
  readonly saveReport: (account: AccountId, report: RawReportId) => Promise<unknown>
}

export const aroundCases: AroundCases = {
  standingOf: () => 'one',
  confirm: () => Promise.resolve(null),
  connection: () => ({ kind: 'online' }),
  instances: () => Promise.reject(new Error('Not expected')),
  enqueue: () => Promise.reject(new Error('Not expected')),
  queue: () => Promise.resolve({ requests: [], limits: null }),
  listed: () => Promise.resolve(null),
  savedState: () => 'none',
  saveReport: () => Promise.resolve(null),
}

/** What archives and cases are given in tests, one by one. */
export type Around = {
  readonly store: ArchivesContext['store']
  readonly accounts: Accounts
  readonly wait: Clock['wait']
  readonly now: () => number
  readonly folderGuard: SlowFolderGuard
  readonly autoImport: () => Promise<boolean>
  readonly columnNames: () => DeskSettings['columnNames']
  readonly openEngine: () => Channel
  readonly saved: Downloads['saved']
  readonly typeOf: () => Promise<RawType | null>
  readonly reportOf: (account: AccountId, report: RawReportId) => Promise<RawReport | null>
  readonly chooseTables: SystemShell['chooseTables']
  readonly runExport: Exports['run']
  readonly trend: (account: AccountId, query: OverviewQuery, force?: boolean) => Promise<TrendAnswer>
  readonly ask: Reports['ask']
  readonly print: SystemShell['print']
  readonly forCases: AroundCases
}

const notExpected = () => Promise.reject(new Error('Not expected'))

/** What archives and cases are given: real services by name, made of these parts. */
function contextOf(folder: string, events: AppEvents, parts: Around): ArchivesContext {
  const { store, now, wait, forCases, ask, trend, folderGuard, openEngine } = parts
  const clock = { now, wait }
  const raw = fake<Raw>('raw', {
    requests: fake<RawRequests>('requests', forCases),
    reports: fake<RawReports>('raw reports', {
      known: async (of, report) => {
        const listed = await forCases.listed(of, report)
        const type = await parts.typeOf()
        return listed ?? (type === null ? null : ({ type } as RawListRow))
      },
      report: (async (asked: { account: AccountId; report: RawReportId }) => ({
        report: await parts.reportOf(asked.account, asked.report),
      })) as unknown as RawReports['report'],
    }),
    downloads: fake<Downloads>('downloads', {
      saved: parts.saved,
      savedState: forCases.savedState,
      start: async (asked) => {
        await forCases.saveReport(asked.account, asked.report)
        return null
      },
    }),
  })
  const reports = fake<Reports>('reports', {
    ...{ ask, instances: forCases.instances, confirm: forCases.confirm, connection: forCases.connection },
    trend: ((asked: { account: AccountId; query: OverviewQuery; force: boolean }) =>
      trend(asked.account, asked.query, asked.force)) as Reports['trend'],
  })
  return {
    ...{ store, raw, reports, events, clock, folder, folderGuard, openRows: openEngine },
    accounts: fake<Accounts>('accounts', { ...parts.accounts, standingOf: forCases.standingOf }),
    exports: fake<Exports>('exports', { run: parts.runExport }),
    jobs: new Jobs(events, clock),
    settings: fake<Settings>('settings', {
      read: async () => ({
        ...usualSettings,
        ...{ readsIn: await parts.autoImport(), columnNames: parts.columnNames() },
      }),
    }),
    shell: fake<SystemShell>('shell', { chooseTables: parts.chooseTables, print: parts.print }),
  }
}

/** The rows of one account over a folder, with what is around them made up. */
export function openRows(
  folder: string,
  {
    catalogue = new Map() as Catalogue,
    archives = [] as SavedArchive[],
    ...more
  }: Partial<Around> & {
    catalogue?: Catalogue
    archives?: SavedArchive[]
  } = {},
) {
  const events: string[] = []
  const bus = eventsTo(({ kind }) => {
    if (kind === 'rows/changed' || kind === 'jobs/changed') events.push(kind)
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
  const exported: { name: string; ending: string; write: Parameters<Around['runExport']>[1]['write'] }[] = []
  const stored = new Map<string, StoredRecount>()
  const lists: StoredList[] = []
  const choices: ShapeChoice[] = []
  const run = (
    name: string,
    argument: {
      id: string
      path: string
      entry: string
      report: string
      stored: StoredRecount
      chosen: ShapeChoice
      list: Omit<StoredList, 'entries' | 'seen' | 'expired' | 'id'> & { ranges: readonly ListedRange[] }
    },
  ) => {
    if (name === 'rows-files/list') return Promise.resolve([...catalogue.values()])
    if (name === 'rows-files/put') catalogue.set(argument.id, argument)
    if (name === 'rows-files/remove') catalogue.delete(argument.id)
    if (name === 'cases/list') return Promise.resolve([])
    if (name === 'import-choices/list') return Promise.resolve(choices)
    if (name === 'import-choices/keep') choices.unshift(argument.chosen)
    if (name === 'recounts/of') return Promise.resolve(stored.get(argument.report) ?? null)
    if (name === 'recounts/keep') stored.set(argument.report, argument.stored)
    if (name === 'block-lists/note') {
      const { ranges, ...list } = argument.list
      lists.unshift({ ...list, entries: ranges.length, seen: null, expired: 0, id: lists.length + 1 })
    }
    if (name === 'block-lists/exported') return Promise.resolve([])
    return Promise.resolve(name === 'block-lists/list' ? lists : null)
  }
  const parts: Around = {
    folderGuard: slowFolderGuard,
    autoImport: () => Promise.resolve(true),
    columnNames: () => [],
    // The pauses of what is done by itself are over at once.
    wait: (milliseconds, signal) =>
      milliseconds > 3000
        ? systemClock.wait(milliseconds, signal)
        : new Promise((resolve) => setImmediate(resolve)),
    store: fake<Around['store']>('store', { run: run as unknown as Around['store']['run'] }),
    accounts: fake<Accounts>('accounts', {
      account: () => account,
      list: () => [account],
      dataScopeOf: () => 'scope-1' as DataScopeId,
    }),
    openEngine: () => rowsChannel(folder),
    saved: () => Promise.resolve(archives),
    typeOf: () => Promise.resolve(null),
    chooseTables: () => Promise.resolve([]),
    runExport: async (_, job) => {
      exported.push(job)
      return { id: randomUUID() as Awaited<ReturnType<Around['runExport']>>['id'] }
    },
    ...{ trend: notExpected, ask: notExpected, print: notExpected, forCases: aroundCases },
    reportOf: () => Promise.resolve(null),
    now: () => Date.parse('2026-11-22'),
    ...more,
  }
  const context = contextOf(folder, bus, parts)
  const rows = new Archives(context)
  const cases = new Cases({ ...context, archives: rows })
  onTestFinished(async () => {
    await cases.stop()
    await rows.stop()
  })
  return {
    rows,
    cases,
    jobs: context.jobs,
    bus,
    events,
    exported,
    catalogue,
    stored,
    savedChanged,
    switchedOn,
  }
}

export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'traffic-desk-rows-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** The first file in the list. */
export const theFile = async (rows: Archives): Promise<RowsFile> => {
  const [file] = await rows.list(account.id)
  if (!file) throw new Error('There is no file')
  return file
}

export const stateOf = async (rows: Archives): Promise<RowsState['kind']> => (await theFile(rows)).state.kind

/** Drops a file on the window, and waits until all of it is read in. */
export async function dropped(rows: Archives, path: string): Promise<void> {
  await rows.take({ account: account.id, dropped: [...(await rows.dropped([path]))] })
  await eventually(async () => expect(await stateOf(rows)).toBe('whole'))
}

/** The first rows of the first file, at most ten. */
export const firstPage = async (rows: Archives) => {
  const { id } = await theFile(rows)
  const query = { account: account.id, files: [id], conditions: [], sort: [] }
  return await rows.queries.handlers['rows/page']({ query, offset: 0, limit: 10, columns: [] })
}
