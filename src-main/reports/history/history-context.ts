import type { Accounts } from '#main/accounts/accounts.ts'
import type { StateAndCache } from '#main/database/cache/cache-store.ts'
import type { AppEvents } from '#main/lib/app-events.ts'
import type { Engine } from '../engine/report-engine.ts'

/** Services that the history needs. */
export type HistoryContext = {
  /** The catalogue, and the database of the restatements. */
  readonly store: StateAndCache
  readonly engine: Engine
  /** Restatements are noted only for data scopes of these accounts. */
  readonly accounts: Accounts
  readonly events: AppEvents
  /** Folder of the stored tables. */
  readonly historyFolder: string
}
