import type { DeskEvents } from '../../src-shared/bridge/calls.ts'
import type { AccountId } from '../../src-shared/values/ids.ts'
import type { DayRange } from '../../src-shared/values/day.ts'
import type { Store } from './cache/cache-store.ts'
import type { AnsweringParts } from './answering.ts'
import { isReportFresh } from './coverage/freshness.ts'
import type { Reckoner } from './engine/reckoner.ts'
import type { Windows } from './sync/range-limits.ts'
import type { Instant } from '../../src-shared/values/ids.ts'

/** What answering from kept tables takes besides. */
export type TablingParts = Omit<AnsweringParts, 'emit'> & {
  readonly store: Pick<Store, 'run'>
  readonly reckoner: Reckoner
  readonly windows: Windows
  readonly emit: <N extends 'reports/changed' | 'reports/progress'>(name: N, event: DeskEvents[N]) => void
}

/** Whether figures of an account can stand, by when they were fetched and the days they are about. */
export function isFreshFor(
  { book, clock, connections }: Pick<TablingParts, 'book' | 'clock' | 'connections'>,
  account: AccountId,
): (figures: { readonly fetchedAt: Instant; readonly range: DayRange }) => boolean {
  const { dayZone } = book.account(account)
  const circumstances = { now: clock.now(), onlineAgainAt: connections.onlineAgainAt(account) }
  return ({ fetchedAt, range }) => isReportFresh(fetchedAt, range, dayZone, circumstances)
}

/** What tells questions of different accounts apart. An account's ids all begin alike. */
export const idOf = (account: AccountId, key: string) => `${account} ${key}`
