import type { Failure } from '#shared/api/failure.ts'
import { dayAt } from '#shared/values/day.ts'
import type { Day } from '#shared/values/day.ts'
import type { AccountId } from '#shared/values/ids.ts'
import type { SyncState, SavedViewId } from '#shared/views/saved-views.ts'
import type { AccountStore } from '#main/accounts/account-store.ts'
import type { Clock } from '#main/lib/async.ts'
import type { ViewOfAccount } from '#main/database/state/views-repository.ts'

/** How often pinned views are renewed, in milliseconds. */
const hour = 3_600_000
/** Whatever the clock does, it is not looked more often. */
const shortestRest = 1000

/** The last attempt to renew a view. */
type Attempt = {
  readonly time: number
  /** The day that it was then in the account's zone: it decides which days a view shows. */
  readonly day: Day
  /** Why it ended early. */
  readonly failure: Failure | null
  readonly pinned: ViewOfAccount
}

/** When each view was tried last, what came of it, and when it is due again. */
export class Attempts {
  readonly #accounts: Pick<AccountStore, 'list'>
  readonly #clock: Clock
  readonly #last = new Map<SavedViewId, Attempt>()

  constructor(accounts: Pick<AccountStore, 'list'>, clock: Clock) {
    this.#accounts = accounts
    this.#clock = clock
  }

  /** @param day the day that it was when it began, where that is known: what begins later shows other days */
  note(pinned: ViewOfAccount, failure: Failure | null, day: Day | null = null): void {
    const now = this.#clock.now()
    const { account, view } = pinned
    // Noted anew, it is the last.
    this.#last.delete(view.id)
    this.#last.set(view.id, { time: now, day: day ?? dayAt(now, this.#zoneOf(account)), failure, pinned })
  }

  /** The last attempt of those that failed, as far as the view was not tried again since. */
  trouble(): SyncState['trouble'] {
    const last = [...this.#last.values()].findLast(({ failure }) => failure !== null)
    return last?.failure
      ? { account: last.pinned.account, view: last.pinned.view.name, failure: last.failure }
      : null
  }

  forget(id: SavedViewId): void {
    this.#last.delete(id)
  }

  forgetAccount(account: AccountId): void {
    for (const [id, { pinned }] of this.#last) if (pinned.account === account) this.#last.delete(id)
  }

  failureOf(id: SavedViewId): Failure | null {
    return this.#last.get(id)?.failure ?? null
  }

  /** Whether a view is to be renewed: after an hour, on another day, and where the clock was set back. */
  isDue({ account, view }: ViewOfAccount): boolean {
    const now = this.#clock.now()
    const last = this.#last.get(view.id)
    if (!last || now < last.time || now - last.time >= hour) return true
    return dayAt(now, this.#zoneOf(account)) !== last.day
  }

  /** Milliseconds until the first of these is due, an hour at most. */
  untilDue(pinned: readonly ViewOfAccount[]): number {
    const now = this.#clock.now()
    const zones = new Set(pinned.map(({ account }) => this.#zoneOf(account)))
    const days = [...zones].map((zone) => untilNextDay(now, zone))
    const hours = pinned.map(({ view }) => (this.#last.get(view.id)?.time ?? now) + hour - now)
    return Math.max(shortestRest, Math.min(hour, ...days, ...hours))
  }

  #zoneOf(account: AccountId): string {
    return this.#accounts.list().find(({ id }) => id === account)?.dayZone ?? 'UTC'
  }
}

/** No day is longer, not even the one on which summer ends. In milliseconds. */
const longestDay = 26 * 3_600_000
const exact = 1000

/** Milliseconds until another day has begun in a zone, at most a second too many. */
export function untilNextDay(now: number, zone: string): number {
  const today = dayAt(now, zone)
  let before = 0
  let after = longestDay
  while (after - before > exact) {
    const between = Math.floor((before + after) / 2)
    if (dayAt(now + between, zone) === today) before = between
    else after = between
  }
  return after
}
