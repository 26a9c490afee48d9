import type { CallArgument, CallName, CallResult } from '#shared/bridge/calls.ts'
import type { DroppedFileId } from '#shared/archives/rows-file.ts'
import type { RawType } from '#shared/api/raw-columns.ts'
import type { AccountId, RawReportId } from '#shared/values/ids.ts'
import type { AccountStore } from '#main/accounts/account-store.ts'
import type { Exports } from '#main/exports/exports.ts'
import type { Store } from '#main/database/cache/cache-store.ts'
import type { SlowFolderGuard } from '#main/lib/slow-folder-guard.ts'
import type { Line } from '#main/workers/rpc.ts'
import type { Clock } from '#main/lib/async.ts'
import type { SavedArchive } from '#main/raw/downloads/downloads.ts'
import type { Store as StateStore } from '#main/database/state/state-store.ts'
import type { Cases, CasesParts } from '#main/cases/cases.ts'
import type { AppEvents } from '#main/lib/app-events.ts'
import type { RecountParts } from './recount.ts'

type Handler<N extends CallName> = (asked: CallArgument<N>) => Promise<CallResult<N>>

export type RowsParts = {
  readonly store: Pick<Store, 'run'>
  /** What cannot be asked for again: what recounts came to. */
  readonly state: Pick<StateStore, 'run'>
  readonly accounts: Pick<AccountStore, 'account' | 'list' | 'dataScopeOf'>
  /** The profile folder. */
  readonly folder: string
  /** How folders of archives are looked at: the whole process's way, unless another is given. */
  readonly looks?: SlowFolderGuard
  /** Begins the rows' process (engine/rows-process.ts). */
  readonly openEngine: () => Line
  /** The archives that are saved of an account. */
  readonly saved: (account: AccountId) => Promise<readonly SavedArchive[]>
  /** Of which type a report is, as far as that is known. */
  readonly typeOf: (account: AccountId, report: RawReportId) => Promise<RawType | null>
  /** Lets the person choose ZIP and CSV files. */
  readonly chooseTables: () => Promise<readonly string[]>
  readonly runExport: Exports['run']
  readonly trend: RecountParts['trend']
  readonly reportOf: RecountParts['reportOf']
  /** Figures of the tables, kept or fetched. */
  readonly ask: CasesParts['ask']
  /** What cases need besides: instances, rule sets' names, and raw reports asked for, followed and saved. */
  readonly forCases: Pick<
    CasesParts,
    'dataScope' | 'instances' | 'ruleNames' | 'asking' | 'listed' | 'savedState' | 'saveReport'
  >
  /** What is at an address for printing, drawn on pages: a PDF. */
  readonly print: CasesParts['print']
  readonly events: AppEvents
  /** Whether saved archives are read in and counted again by themselves. */
  readonly autoImport: () => Promise<boolean>
  readonly now: () => number
  readonly wait: Clock['wait']
}

/** The rows inside archives: what each does is said where its call is declared (src-shared/bridge/calls/rows.ts). */
export type Rows = {
  readonly list: (account: AccountId) => Promise<CallResult<'rows/list'>>
  readonly read: Handler<'rows/read'>
  readonly stop: Handler<'rows/stop'>
  /** Names files that were dropped on a window, by their paths; what is no file is left out. */
  readonly dropped: (paths: readonly string[]) => Promise<readonly DroppedFileId[]>
  readonly take: Handler<'rows/take'>
  readonly choose: (account: AccountId) => Promise<CallResult<'rows/choose'>>
  readonly discard: Handler<'rows/let-go'>
  readonly page: Handler<'rows/page'>
  readonly facets: Handler<'rows/facets'>
  readonly histogram: Handler<'rows/histogram'>
  readonly groups: Handler<'rows/groups'>
  readonly clusters: Handler<'rows/clusters'>
  readonly search: Handler<'rows/search'>
  readonly recount: Handler<'rows/recount'>
  readonly recounted: Handler<'rows/recounted'>
  readonly unreadable: Handler<'rows/unreadable'>
  readonly export: Handler<'rows/export'>
  readonly exportTable: Handler<'rows/export-table'>
  readonly exportUnreadable: Handler<'rows/export-unreadable'>
  readonly saveList: Handler<'rows/save-list'>
  readonly lists: (account: AccountId) => Promise<CallResult<'rows/lists'>>
  readonly cancel: (key: string) => null
  readonly cases: Cases
  /** Begins to read in by itself what is saved. */
  readonly begin: () => void
  /** The service of one account is back. */
  readonly wake: (account: AccountId) => void
  /** Reads nothing in by itself for the time being, or begins to again. */
  readonly pause: (paused: boolean) => void
  readonly close: () => Promise<void>
}
