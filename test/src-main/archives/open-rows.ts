import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import type { StoredRecount } from '#shared/archives/rows.ts'
import type { StoredList } from '#shared/archives/block-list.ts'
import { Jobs } from '#main/lib/jobs.ts'
import { systemClock } from '#main/lib/async.ts'
import type { Clock } from '#main/lib/async.ts'
import { Archives } from '#main/archives/archives.ts'
type ArchivesArguments = ConstructorParameters<typeof Archives>
import { Cases } from '#main/cases/cases.ts'
import type { AccountStore } from '#main/accounts/account-store.ts'
import type { CaseReports } from '#main/cases/case-gathering.ts'
import type { CaseRaw } from '#main/cases/requested-rows.ts'
import type { SystemShell } from '#main/lib/system-shell.ts'
import type { RawType } from '#shared/api/raw-columns.ts'
import type { RawReport } from '#shared/api/answers.ts'
import type { OverviewQuery } from '#shared/reports/query.ts'
import type { TrendAnswer } from '#shared/reports/answer.ts'
import type { RowsFile, RowsState, ShapeChoice } from '#shared/archives/rows-file.ts'
import { eventually } from '#test/helpers/eventually.ts'
import type { SavedArchive } from '#main/raw/downloads/downloads.ts'
import type { Account } from '#shared/accounts/account.ts'
import { noWindows } from '#shared/accounts/account.ts'
import type { RawListRow } from '#shared/api/answers.ts'
import type { SlowFolderGuard } from '#main/lib/slow-folder-guard.ts'
import type { AccountId, DataScopeId, RawReportId } from '#shared/values/ids.ts'
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

/** The raw reports and the token around cases: it sees the same all the time, and nothing else is expected. */
export type AroundCases = CaseRaw['requests'] & {
  readonly instances: CaseReports['instances']
  readonly confirm: CaseReports['confirm']
  readonly connection: CaseReports['connection']
  readonly standingOf: AccountStore['standingOf']
  readonly listed: CaseRaw['reports']['known']
  readonly savedState: CaseRaw['downloads']['savedState']
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
  readonly store: ArchivesArguments[0]
  readonly accounts: ArchivesArguments[1]
  readonly wait: Clock['wait']
  readonly now: () => number
  readonly looks: SlowFolderGuard
  readonly autoImport: () => Promise<boolean>
  readonly openEngine: () => ReturnType<ArchivesArguments[11]>
  readonly saved: ArchivesArguments[2]['downloads']['saved']
  readonly typeOf: () => Promise<RawType | null>
  readonly reportOf: (account: AccountId, report: RawReportId) => Promise<RawReport | null>
  readonly chooseTables: ArchivesArguments[7]['chooseTables']
  readonly runExport: ArchivesArguments[4]['run']
  readonly trend: (account: AccountId, query: OverviewQuery, force?: boolean) => Promise<TrendAnswer>
  readonly ask: CaseReports['ask']
  readonly print: SystemShell['print']
  readonly forCases: AroundCases
}

const notExpected = () => Promise.reject(new Error('Not expected'))

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
      list: StoredList
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
    if (name === 'block-lists/note') lists.unshift({ ...argument.list, id: lists.length + 1 })
    return Promise.resolve(name === 'block-lists/list' ? lists : null)
  }
  const parts: Omit<Around, 'looks'> & Partial<Around> = {
    autoImport: () => Promise.resolve(true),
    // The pauses of what is done by itself are over at once.
    wait: (milliseconds, signal) =>
      milliseconds > 3000
        ? systemClock.wait(milliseconds, signal)
        : new Promise((resolve) => setImmediate(resolve)),
    store: { run: run as unknown as Around['store']['run'] },
    accounts: {
      account: () => account,
      list: () => [account],
      dataScopeOf: () => 'owner-1' as DataScopeId,
    },
    openEngine: () => rowsLine(folder),
    saved: () => Promise.resolve(archives),
    typeOf: () => Promise.resolve(null),
    chooseTables: () => Promise.resolve([]),
    runExport: (_, job) => {
      exported.push(job)
      return { id: randomUUID() as ReturnType<Around['runExport']>['id'] }
    },
    ...{ trend: notExpected, ask: notExpected, print: notExpected, forCases: aroundCases },
    reportOf: () => Promise.resolve(null),
    now: () => Date.parse('2026-11-22'),
    ...more,
  }
  const { store, accounts, now, wait, forCases, ask, trend, looks } = parts
  const reports = {
    known: async (of: AccountId, report: RawReportId) => {
      const listed = await forCases.listed(of, report)
      const type = await parts.typeOf()
      return listed ?? (type === null ? null : ({ type } as RawListRow))
    },
    report: (async (asked: { account: AccountId; report: RawReportId }) => ({
      report: await parts.reportOf(asked.account, asked.report),
    })) as unknown as CaseRaw['reports']['report'],
  }
  const raw = {
    ...{ requests: forCases, reports },
    downloads: {
      saved: parts.saved,
      savedState: forCases.savedState,
      start: async (asked: { account: AccountId; report: RawReportId }) => {
        await forCases.saveReport(asked.account, asked.report)
        return null
      },
    },
  }
  const shared = {
    ...{ raw, folder, events: bus, clock: { now, wait }, exports: { run: parts.runExport } },
    settings: { read: async () => ({ ...usualSettings, readsIn: await parts.autoImport() }) },
    reports: {
      ...{ ask, instances: forCases.instances, confirm: forCases.confirm, connection: forCases.connection },
      trend: ((asked: { account: AccountId; query: OverviewQuery; force: boolean }) =>
        trend(asked.account, asked.query, asked.force)) as CaseReports['trend'],
    },
  }
  const rows = new Archives(
    store,
    accounts,
    raw,
    shared.reports,
    shared.exports,
    new Jobs(bus, shared.clock),
    shared.settings,
    { chooseTables: parts.chooseTables },
    bus,
    shared.clock,
    folder,
    parts.openEngine,
    looks,
  )
  const cases = new Cases(
    store,
    { ...accounts, standingOf: forCases.standingOf },
    shared.reports,
    raw,
    rows,
    shared.exports,
    shared.settings,
    { print: parts.print },
    bus,
    shared.clock,
    folder,
  )
  onTestFinished(async () => {
    await cases.stop()
    await rows.stop()
  })
  return { rows, cases, bus, events, exported, catalogue, stored, savedChanged, switchedOn }
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
  const question = { account: account.id, files: [id], conditions: [], sort: [] }
  return await rows.questions.page({ question, offset: 0, limit: 10, columns: [] })
}
