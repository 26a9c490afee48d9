import type { Accounts } from '#main/accounts/accounts.ts'
import type { StateStore } from '#main/database/state/state-store.ts'
import type { AppEvents } from '#main/lib/app-events.ts'
import type { Clock } from '#main/lib/async.ts'
import type { Jobs } from '#main/lib/jobs.ts'
import type { SlowFolderGuard } from '#main/lib/slow-folder-guard.ts'
import type { SystemShell } from '#main/lib/system-shell.ts'
import type { Settings } from '#main/settings/settings.ts'
import type { FetcherOptions } from './fetching.ts'

/** Dependencies of downloads. */
export type DownloadsContext = {
  readonly store: StateStore
  readonly accounts: Accounts
  readonly settings: Settings
  readonly events: AppEvents
  readonly shell: SystemShell
  readonly jobs: Jobs
  readonly clock: Clock
  readonly network: FetcherOptions
  readonly folderGuard: SlowFolderGuard
  /** Script of the thread that fetches, tests and unpacks archives (downloads/archive-worker.ts). */
  readonly archiveWorker: string | URL
  /** Returns a number from 0 to 1, for jitter. */
  readonly random: () => number
}
