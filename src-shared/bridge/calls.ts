import type * as v from 'valibot'
import type { Account, Connection, ProxyState } from '../accounts/account.ts'
import type { Publication } from '../app/storage.ts'
import type { Command } from '../app/commands.ts'
import type { LockState, Notice, UpdateState } from '../app/state.ts'
import type { DeskSettings } from '../app/settings.ts'
import type { DownloadsChanged } from '../downloads/download.ts'
import type { Job, JobId, JobProgress } from '../app/jobs.ts'
import type { RawEvents } from '../raw/list.ts'
import type { DroppedFileId } from '../archives/rows-file.ts'
import type { Outcome } from '../api/failure.ts'
import type { AccountId } from '../values/ids.ts'
import type { SyncState } from '../views/saved-views.ts'
import { accountCalls, deskCalls, lockCalls, proxyCalls, publishingCalls, updateCalls } from './calls/app.ts'
import { caseCalls, downloadCalls, exportCalls, jobCalls, rawCalls, rowsCalls } from './calls/archives.ts'
import { reportCalls, viewCalls } from './calls/reports.ts'
import { alertCalls, noteCalls, scheduleCalls } from './calls/watch.ts'

export type { StoredLookup, StoredNames } from './calls/reports.ts'

/**
 * All calls from the renderer to the main process, with their schemas and types. Only the preload's channel for the paths
 * of dropped files is apart. No call returns a token.
 */
export const calls = {
  ...deskCalls,
  ...lockCalls,
  ...accountCalls,
  ...proxyCalls,
  ...reportCalls,
  ...viewCalls,
  ...exportCalls,
  ...jobCalls,
  ...rawCalls,
  ...downloadCalls,
  ...publishingCalls,
  ...rowsCalls,
  ...caseCalls,
  ...noteCalls,
  ...alertCalls,
  ...scheduleCalls,
  ...updateCalls,
} as const

export type CallName = keyof typeof calls
export type CallArgument<N extends CallName> = v.InferOutput<(typeof calls)[N]['argument']>
/** Argument list of a call: empty if the call takes none. */
export type CallArguments<N extends CallName> = CallArgument<N> extends undefined ? [] : [CallArgument<N>]
export type CallResult<N extends CallName> = Exclude<(typeof calls)[N]['result'], undefined>

/** Result of a call: a value or a failure, never an exception. */
export type CallOutcome<N extends CallName> = Outcome<CallResult<N>>

/** Events from the main process to its windows. Most bring the new state; others make the window call for it. */
export type DeskEvents = RawEvents & {
  /** A stored answer changed, or its refresh ended; `key` is the query's. */
  'reports/changed': { readonly account: AccountId; readonly key: string }
  /** The account's provisional answers passed a scope check and now count as saved. */
  'account/confirmed': { readonly account: AccountId }
  /** Progress of a query with many requests, by its key. */
  'reports/progress': { readonly account: AccountId; readonly key: string } & JobProgress
  'connection/changed': { readonly account: AccountId; readonly connection: Connection }
  'accounts/changed': { readonly active: AccountId | null; readonly accounts: readonly Account[] }
  /** Proxies that wait for the user. */
  'proxies/changed': { readonly proxies: readonly ProxyState[] }
  'notices/changed': { readonly notices: readonly Notice[] }
  'views/changed': { readonly account: AccountId }
  'notes/changed': { readonly account: AccountId; readonly leavesOut: boolean }
  'alerts/changed': { readonly account: AccountId }
  /** Findings or mutes of an account changed. */
  'findings/changed': { readonly account: AccountId }
  /** Schedules or runs of an account changed. */
  'schedules/changed': { readonly account: AccountId }
  'sync/changed': SyncState
  /** State of a job (app/jobs.ts). */
  'jobs/changed': { readonly job: Job }
  /** Jobs that left the list. */
  'jobs/removed': { readonly ids: readonly JobId[] }
  'settings/changed': DeskSettings
  'lock/changed': LockState
  'downloads/changed': DownloadsChanged
  'publishing/changed': Publication
  'updates/changed': UpdateState
  /** An account's list of archives, rows or cases changed. */
  'rows/changed': { readonly account: AccountId }
  /** Opens a view: from a link, or a start view. */
  'desk/navigate': { readonly address: string }
  'desk/command': { readonly command: Command }
}

export type DeskEventName = keyof DeskEvents

/** API that the preload script exposes to windows as `desk`. */
export type DeskBridge = {
  /** Makes a call. The promise resolves with an outcome and never rejects. */
  readonly call: <N extends CallName>(name: N, ...argument: CallArguments<N>) => Promise<CallOutcome<N>>
  /**
   * Registers files that the user dropped on the window, for `rows/take`. Files that are not on the disk are left out.
   * Paths stay between the preload script and the main process.
   */
  readonly dropped: (files: readonly File[]) => Promise<readonly DroppedFileId[]>
  /** Subscribes to an event. Returns a function that unsubscribes. */
  readonly on: <N extends DeskEventName>(name: N, listener: (event: DeskEvents[N]) => void) => () => void
}
