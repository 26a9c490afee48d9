import type { AccountId } from '#shared/values/ids.ts'
import type { DayNote } from '#shared/watch/notes.ts'
import type { Accounts } from '#main/accounts/accounts.ts'
import type { AppEvents } from '#main/lib/app-events.ts'
import type { Clock } from '#main/lib/async.ts'
import type { Jobs } from '#main/lib/jobs.ts'
import type { SystemShell } from '#main/lib/system-shell.ts'
import type { Reports } from '#main/reports/reports.ts'
import type { Settings } from '#main/settings/settings.ts'
import type { OpenWriter } from './writing-thread.ts'

/** Services that exports need. */
export type ExportsContext = {
  readonly accounts: Accounts
  readonly reports: Reports
  readonly settings: Settings
  readonly shell: SystemShell
  readonly jobs: Jobs
  readonly events: AppEvents
  readonly clock: Clock
  readonly openWriter: OpenWriter
  /** Returns the user's notes on days of an account. */
  readonly notesOf: (account: AccountId) => Promise<readonly DayNote[]>
  /** Folder of the profile for temporary files. */
  readonly workFolder: string
}
