import type { Accounts } from '#main/accounts/accounts.ts'
import type { StateStore } from '#main/database/state/state-store.ts'
import type { AppEvents } from '#main/lib/app-events.ts'
import type { Clock } from '#main/lib/async.ts'
import type { Jobs } from '#main/lib/jobs.ts'
import type { SlowFolderGuard } from '#main/lib/slow-folder-guard.ts'
import type { SystemShell } from '#main/lib/system-shell.ts'
import type { Settings } from '#main/settings/settings.ts'
import type { Channel } from '#main/workers/rpc.ts'
import type { FetcherOptions } from '#main/fetching/fetcher.ts'

/** Services that downloads need. */
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
  /** Starts a process that fetches, tests or unpacks an archive (downloads/archive-worker.ts). */
  readonly openArchive: () => Channel
  /** Returns a number from 0 to 1, for jitter. */
  readonly random: () => number
}
