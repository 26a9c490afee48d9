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

export type { StoredLookup, StoredNames } from './calls/reports.ts'

/**
 * Every call that the renderer can make of the main process: declared once, checked and typed from here. There is
 * no other way in, and none of them returns a token.
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
  ...updateCalls,
} as const

export type CallName = keyof typeof calls
export type CallArgument<N extends CallName> = v.InferOutput<(typeof calls)[N]['argument']>
/** How a call is given its argument: not at all where it takes none. */
export type CallArguments<N extends CallName> = CallArgument<N> extends undefined ? [] : [CallArgument<N>]
export type CallResult<N extends CallName> = Exclude<(typeof calls)[N]['result'], undefined>

/** What a call answers: always one of the two, never an exception. */
export type CallOutcome<N extends CallName> = Outcome<CallResult<N>>

/** What the main process tells its windows: small, and only that something changed. They ask again. */
export type DeskEvents = RawEvents & {
  /** A kept answer changed, or the attempt to renew it ended; `key` is the question's. */
  'reports/changed': { readonly account: AccountId; readonly key: string }
  /** What came for an account was checked: it counts among what is saved from now on. */
  'account/confirmed': { readonly account: AccountId }
  /** How far a question is that takes many requests, under its key. */
  'reports/progress': { readonly account: AccountId; readonly key: string } & JobProgress
  'connection/changed': { readonly account: AccountId; readonly connection: Connection }
  'accounts/changed': { readonly active: AccountId | null; readonly accounts: readonly Account[] }
  /** Which proxies wait for a person to sign in. */
  'proxies/changed': { readonly proxies: readonly ProxyState[] }
  'notices/changed': { readonly notices: readonly Notice[] }
  'views/changed': { readonly account: AccountId }
  'sync/changed': SyncState
  /** How one of the jobs stands now (app/jobs.ts). */
  'jobs/changed': { readonly job: Job }
  /** These are in the list no more. */
  'jobs/removed': { readonly ids: readonly JobId[] }
  'settings/changed': DeskSettings
  'lock/changed': LockState
  'downloads/changed': DownloadsChanged
  'publishing/changed': Publication
  'updates/changed': UpdateState
  /** The list of an account's rows reads otherwise now. */
  'rows/changed': { readonly account: AccountId }
  /** Open this view: a link, or a saved view that is the start view. */
  'desk/navigate': { readonly address: string }
  'desk/command': { readonly command: Command }
}

export type DeskEventName = keyof DeskEvents

/** What the preload script puts into the window as `desk`. */
export type DeskBridge = {
  /** Makes a call; it resolves with an outcome and never rejects. */
  readonly call: <N extends CallName>(name: N, ...argument: CallArguments<N>) => Promise<CallOutcome<N>>
  /**
   * Names files that a person dropped on the window, so that `rows/take` can be asked for them; those that are no files of the
   * machine's disk are left out. Where they lie stays between the preload and the main process.
   */
  readonly dropped: (files: readonly File[]) => Promise<readonly DroppedFileId[]>
  /** Listens to an event; the result ends it. */
  readonly on: <N extends DeskEventName>(name: N, listener: (event: DeskEvents[N]) => void) => () => void
}
