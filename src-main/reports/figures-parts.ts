import type { AccountStore } from '#main/accounts/account-store.ts'
import type { Clock } from '#main/lib/async.ts'
import type { Store } from '#main/database/cache/cache-store.ts'
import type { Emitter } from '#main/lib/app-events.ts'
import type { Connections, RangeLimits, RequestTimes } from './connection/connection.ts'
import type { Aggregate } from './engine/report-engine.ts'
import type { History } from './history/history.ts'
import type { AnswerCache, Decode } from './pages/answers.ts'

/** What answering from kept figures and from the service takes, for reports and look-ups alike. */
export type AnsweringParts = {
  readonly accounts: Pick<
    AccountStore,
    'account' | 'dataScopeOf' | 'standingOf' | 'dataScopeClient' | 'confirm' | 'checkBeside' | 'learn'
  >
  readonly answers: AnswerCache
  readonly connections: Connections
  readonly decode: Decode
  readonly events: Emitter
  readonly clock: Clock
}

/** What answering from kept tables takes besides. */
export type FiguresParts = AnsweringParts & {
  readonly store: Pick<Store, 'run'>
  readonly history: History
  readonly aggregate: Aggregate
  readonly rangeLimits: RangeLimits
  readonly times: RequestTimes
}
