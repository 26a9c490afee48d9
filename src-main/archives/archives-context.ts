import type { Accounts } from '#main/accounts/accounts.ts'
import type { StateAndCache } from '#main/database/cache/cache-store.ts'
import type { Exports } from '#main/exports/exports.ts'
import type { AppEvents } from '#main/lib/app-events.ts'
import type { Clock } from '#main/lib/async.ts'
import type { Jobs } from '#main/lib/jobs.ts'
import type { SlowFolderGuard } from '#main/lib/slow-folder-guard.ts'
import type { SystemShell } from '#main/lib/system-shell.ts'
import type { Raw } from '#main/raw/raw.ts'
import type { Reports } from '#main/reports/reports.ts'
import type { Settings } from '#main/settings/settings.ts'
import type { Channel } from '#main/workers/rpc.ts'

/** Services that archives need. */
export type ArchivesContext = {
  readonly store: StateAndCache
  readonly accounts: Accounts
  readonly raw: Raw
  readonly reports: Reports
  readonly exports: Exports
  readonly jobs: Jobs
  readonly settings: Settings
  readonly shell: SystemShell
  readonly events: AppEvents
  readonly clock: Clock
  /** Guards access to folders of archives. */
  readonly folderGuard: SlowFolderGuard
  /** The profile folder. */
  readonly folder: string
  /** Starts the rows process (engine-process.ts). @param folders for row files and for temporary files */
  readonly openRows: (folders: readonly [rows: string, temporary: string]) => Channel
}
