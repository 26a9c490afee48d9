import type { Accounts } from '#main/accounts/accounts.ts'
import type { Connections } from '#main/accounts/connections.ts'
import type { StateAndCache } from '#main/database/cache/cache-store.ts'
import type { AppEvents } from '#main/lib/app-events.ts'
import type { Clock } from '#main/lib/async.ts'
import type { Settings } from '#main/settings/settings.ts'
import type { Channel } from '#main/workers/rpc.ts'
import type { Engine } from './engine/report-engine.ts'
import type { History } from './history/history.ts'
import type { AnswerCache } from './requests/answer-cache.ts'
import type { RangeLimits } from './requests/range-limits.ts'
import type { RequestTimes } from './requests/request-times.ts'
import type { RowOrders } from './requests/row-orders.ts'

/** Services that reports need from other modules. */
export type ReportsDependencies = {
  readonly store: StateAndCache
  readonly accounts: Accounts
  readonly settings: Settings
  readonly events: AppEvents
  readonly clock: Clock
  /** Folder of the stored tables. */
  readonly historyFolder: string
  /** Starts the engine's process, which has access to the history folder. */
  readonly openEngine: () => Channel
}

/** Services that the answering of report queries needs. */
export type ReportsContext = ReportsDependencies & {
  readonly engine: Engine
  readonly history: History
  readonly answers: AnswerCache
  readonly connections: Connections
  readonly rangeLimits: RangeLimits
  readonly times: RequestTimes
  readonly orders: RowOrders
}
