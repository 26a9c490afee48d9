import type { Accounts } from '#main/accounts/accounts.ts'
import type { StateStore } from '#main/database/state/state-store.ts'
import type { AppEvents } from '#main/lib/app-events.ts'
import type { Clock } from '#main/lib/async.ts'

/** Services that notes need. */
export type NotesContext = {
  readonly store: StateStore
  readonly accounts: Accounts
  readonly events: AppEvents
  readonly clock: Clock
}
