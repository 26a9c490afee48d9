import type { CaseId } from '#shared/cases/case.ts'
import type { AccountId } from '#shared/values/ids.ts'
import type { Accounts } from '#main/accounts/accounts.ts'
import type { StateStore } from '#main/database/state/state-store.ts'
import type { FileExport } from '#main/exports/export-maker.ts'
import type { Exports } from '#main/exports/exports.ts'
import type { AppEvents } from '#main/lib/app-events.ts'
import type { Clock } from '#main/lib/async.ts'
import type { SystemShell } from '#main/lib/system-shell.ts'
import type { Reports } from '#main/reports/reports.ts'
import type { Settings } from '#main/settings/settings.ts'

/** A run to announce, with what its notification says. */
export type AnnouncedRun = {
  readonly account: AccountId
  /** Name of the schedule. */
  readonly name: string
  /** Number of files; 0 if it was skipped. */
  readonly files: number
  readonly isLate: boolean
  /** Why it was skipped; null if it was made. */
  readonly reason: string | null
}

/** Services that schedules need. */
export type SchedulesContext = {
  readonly store: StateStore
  readonly accounts: Accounts
  readonly reports: Reports
  readonly exports: Exports
  readonly settings: Settings
  readonly shell: SystemShell
  readonly events: AppEvents
  /** Prints wait while the app is locked. `lock/changed` follows each change. */
  readonly lock: { readonly locked: boolean }
  readonly clock: Clock
  /** The profile folder. */
  readonly folder: string
  /** Returns the pack of a case as an export. @throws DeskFailure if it has none */
  readonly packOf: (account: AccountId, id: CaseId) => Promise<FileExport>
  readonly news: { readonly announceRuns: AnnounceRuns }
}

/**
 * Shows runs in one notification. Resolves once the desktop has shown it. Rejects otherwise, and they are shown again later.
 * @param handing must be called synchronously before the desktop call
 */
type AnnounceRuns = (runs: readonly AnnouncedRun[], handing: () => void) => Promise<void>
