import type { AccountStore } from '#main/accounts/account-store.ts'
import type { Clock } from '#main/lib/async.ts'
import type { Store } from '#main/database/cache/cache-store.ts'
import type { Emitter } from '#main/lib/app-events.ts'
import type { Connections, RequestTimes } from './connection/connection.ts'
import type { RangeLimits } from './connection/range-limits.ts'
import type { Aggregate } from './engine/report-engine.ts'
import type { History } from './history/history.ts'
import type { AnswerCache, RowOrders } from './pages/answers.ts'

/** Shared dependencies of the code that answers report queries. */
export type FiguresParts = {
  readonly accounts: Pick<
    AccountStore,
    | 'account'
    | 'list'
    | 'active'
    | 'isDataScope'
    | 'dataScopeOf'
    | 'scopeTermOf'
    | 'standingOf'
    | 'dataScopeClient'
    | 'confirm'
    | 'isDoubted'
    | 'checkBeside'
    | 'learn'
  >
  readonly answers: AnswerCache
  readonly connections: Connections
  readonly events: Emitter
  readonly clock: Clock
  readonly store: Pick<Store, 'run'>
  readonly history: History
  readonly aggregate: Aggregate
  readonly rangeLimits: RangeLimits
  readonly times: RequestTimes
  readonly orders: RowOrders
}
