import type { Accounts } from '#main/accounts/accounts.ts'
import type { StateAndCache } from '#main/database/cache/cache-store.ts'
import type { AppEvents } from '#main/lib/app-events.ts'
import type { Clock } from '#main/lib/async.ts'
import type { Jobs } from '#main/lib/jobs.ts'
import type { SystemShell } from '#main/lib/system-shell.ts'
import type { Reports } from '#main/reports/reports.ts'
import type { StepTimeouts } from './team-folder.ts'

/** Services that publishing needs. */
export type PublishingContext = {
  readonly store: StateAndCache
  readonly accounts: Accounts
  readonly reports: Reports
  /** Runs one account at a time, because each blocks a thread while it waits for its folder. */
  readonly jobs: Jobs
  readonly shell: SystemShell
  readonly events: AppEvents
  readonly clock: Clock
  /** Folder of the stored tables. */
  readonly historyFolder: string
  /** Folder in which nothing may be published. */
  readonly profileFolder: string
  readonly timeouts?: StepTimeouts
}
