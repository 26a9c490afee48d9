import type { Accounts } from '#main/accounts/accounts.ts'
import type { StateStore } from '#main/database/state/state-store.ts'
import type { AppEvents } from '#main/lib/app-events.ts'
import type { Clock } from '#main/lib/async.ts'
import type { Reports } from '#main/reports/reports.ts'

/** Services that alerts need from other modules. */
export type WatchContext = {
  readonly store: StateStore
  readonly accounts: Accounts
  readonly reports: Reports
  readonly events: AppEvents
  readonly clock: Clock
}
