import type { DeskEvents } from '../../src-shared/bridge/calls.ts'
import type { DayRange } from '../../src-shared/values/day.ts'
import type { AccountId, OwnerId, Instant } from '../../src-shared/values/ids.ts'
import type { AccountStore } from '../accounts/account-store.ts'
import type { Clock } from '../service/clock.ts'
import type { Store } from './cache/cache-store.ts'
import type { Connections } from './connection/connection.ts'
import { isReportFresh } from './coverage/freshness.ts'
import type { Aggregate } from './engine/aggregate.ts'
import type { History } from './history/history.ts'
import type { AnswerCache } from './pages/answer-cache.ts'
import type { Decode } from './pages/question.ts'
import type { RangeLimits, RequestTimes } from './sync/range-limits.ts'

/** What answering from kept figures and from the service takes, for reports and look-ups alike. */
export type AnsweringParts = {
  readonly book: Pick<AccountStore, 'account' | 'ownerOf' | 'clientFor' | 'learn'>
  readonly answers: AnswerCache
  readonly connections: Connections
  readonly decode: Decode
  readonly emit: (name: 'reports/changed', event: DeskEvents['reports/changed']) => void
  readonly clock: Clock
}

/** What answering from kept tables takes besides. */
export type FiguresParts = Omit<AnsweringParts, 'emit'> & {
  readonly store: Pick<Store, 'run'>
  readonly history: History
  readonly aggregate: Aggregate
  readonly rangeLimits: RangeLimits
  readonly times: RequestTimes
  readonly emit: <N extends 'reports/changed' | 'reports/progress'>(name: N, event: DeskEvents[N]) => void
}

/** Whether figures of an account can stand, by when they were fetched and the days they are about. */
export function isFreshFor(
  { book, clock, connections }: Pick<FiguresParts, 'book' | 'clock' | 'connections'>,
  account: AccountId,
): (figures: { readonly fetchedAt: Instant; readonly range: DayRange }) => boolean {
  const { dayZone } = book.account(account)
  const circumstances = { now: clock.now(), onlineAgainAt: connections.onlineAgainAt(account) }
  return ({ fetchedAt, range }) => isReportFresh(fetchedAt, range, dayZone, circumstances)
}

/** Whether an account's figures are this owner's still: what came for another one is not kept. */
export function isOwnerStill(
  book: Pick<FiguresParts['book'], 'ownerOf'>,
  account: AccountId,
  owner: OwnerId,
): boolean {
  try {
    return book.ownerOf(account) === owner
  } catch {
    return false
  }
}

/** What tells questions of different accounts, or owners, apart. The ids of one all begin alike. */
export const idOf = (whose: AccountId | OwnerId, key: string) => `${whose} ${key}`
