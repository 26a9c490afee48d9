import type { AccountStore } from '#main/accounts/account-store.ts'
import type { Archives } from '#main/archives/archives.ts'
import type { Store } from '#main/database/state/state-store.ts'
import type { Exports } from '#main/exports/exports.ts'
import type { AppEvents } from '#main/lib/app-events.ts'
import type { Clock } from '#main/lib/async.ts'
import type { SystemShell } from '#main/lib/system-shell.ts'
import type { Downloads } from '#main/raw/downloads/downloads.ts'
import type { RawReports } from '#main/raw/polling/raw-reports.ts'
import type { RawRequests } from '#main/raw/requests/raw-requests.ts'
import type { Reports } from '#main/reports/figures.ts'
import type { Settings } from '#main/settings/settings.ts'

/** What cases stand on: figures, rows, and raw reports asked for, followed and saved. */
export type CasesDeps = {
  readonly state: Pick<Store, 'run'>
  readonly accounts: Pick<AccountStore, 'account' | 'list' | 'standingOf'>
  readonly reports: Pick<Reports, 'ask' | 'trend' | 'instances' | 'confirm'>
  readonly raw: {
    /** The queue of raw requests, where each is sent once. */
    readonly requests: Pick<RawRequests, 'enqueue' | 'queue'>
    readonly reports: Pick<RawReports, 'known' | 'report'>
    readonly downloads: Pick<Downloads, 'savedState' | 'start'>
  }
  readonly archives: Pick<Archives, 'questions' | 'imports' | 'recounting'>
  readonly exports: Pick<Exports, 'run'>
  readonly settings: Pick<Settings, 'read'>
  readonly shell: Pick<SystemShell, 'print'>
  readonly events: AppEvents
  readonly clock: Pick<Clock, 'now'>
  /** The profile folder. */
  readonly folder: string
}
