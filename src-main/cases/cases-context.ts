import type { Accounts } from '#main/accounts/accounts.ts'
import type { Archives } from '#main/archives/archives.ts'
import type { StateStore } from '#main/database/state/state-store.ts'
import type { Exports } from '#main/exports/exports.ts'
import type { AppEvents } from '#main/lib/app-events.ts'
import type { Clock } from '#main/lib/async.ts'
import type { SystemShell } from '#main/lib/system-shell.ts'
import type { Raw } from '#main/raw/raw.ts'
import type { Reports } from '#main/reports/reports.ts'
import type { Settings } from '#main/settings/settings.ts'

/** Services that cases need. */
export type CasesContext = {
  readonly store: StateStore
  readonly accounts: Accounts
  readonly reports: Reports
  readonly raw: Raw
  readonly archives: Archives
  readonly exports: Exports
  readonly settings: Settings
  readonly shell: SystemShell
  readonly events: AppEvents
  readonly clock: Clock
  /** The profile folder. */
  readonly folder: string
}
