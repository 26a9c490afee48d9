import type { Accounts } from '#main/accounts/accounts.ts'
import type { StateAndCache } from '#main/database/cache/cache-store.ts'
import type { AppEvents } from '#main/lib/app-events.ts'
import type { Clock } from '#main/lib/async.ts'
import type { Jobs } from '#main/lib/jobs.ts'
import type { SystemShell } from '#main/lib/system-shell.ts'
import type { Reports } from '#main/reports/reports.ts'
import type { Settings } from '#main/settings/settings.ts'

/** Services that saved views need. */
export type ViewsContext = {
  readonly store: StateAndCache
  readonly accounts: Accounts
  readonly reports: Reports
  readonly settings: Settings
  readonly shell: SystemShell
  readonly jobs: Jobs
  readonly events: AppEvents
  readonly clock: Clock
}
