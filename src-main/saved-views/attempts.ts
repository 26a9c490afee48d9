import type { Failure } from '#shared/api/failure.ts'
import { dayAt } from '#shared/values/day.ts'
import type { Day } from '#shared/values/day.ts'
import type { AccountId } from '#shared/values/ids.ts'
import type { SyncState, SavedViewId } from '#shared/views/saved-views.ts'
import type { ViewOfAccount } from '#main/database/state/views-repository.ts'
import type { ViewsContext } from './views-context.ts'

/** Interval between refreshes of a pinned view, in milliseconds. */
const hour = 3_600_000
/** Minimum interval between checks in milliseconds, whatever the clock does. */
const shortestRest = 1000

/** The last refresh of a view. */
type Attempt = {
  readonly time: number
  /** Day in the account's zone at the start, which determines the days that the view shows. */
  readonly day: Day
  /** Failure that ended the refresh; null if there was none. */
  readonly failure: Failure | null
  readonly pinned: ViewOfAccount
}

/** Last refresh of each view, with its outcome, and the time of the next one. */
export class Attempts {
  readonly #context: ViewsContext
  readonly #last = new Map<SavedViewId, Attempt>()

  constructor(context: ViewsContext) {
    this.#context = context
  }

  /** @param day day at the start of the refresh, if known: later refreshes show other days */
  note(pinned: ViewOfAccount, failure: Failure | null, day: Day | null = null): void {
    const now = this.#context.clock.now()
    const { account, view } = pinned
    // Inserted again, so that the map is ordered by time.
    this.#last.delete(view.id)
    this.#last.set(view.id, { time: now, day: day ?? dayAt(now, this.#zoneOf(account)), failure, pinned })
  }

  /** Most recent failure among the last refreshes of all views. */
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

  /** Whether a view is due: after an hour, on another day, or if the clock was set back. */
  isDue({ account, view }: ViewOfAccount): boolean {
    const now = this.#context.clock.now()
    const last = this.#last.get(view.id)
    if (!last || now < last.time || now - last.time >= hour) return true
    return dayAt(now, this.#zoneOf(account)) !== last.day
  }

  /** Milliseconds until the first view is due, at most an hour. */
  untilDue(pinned: readonly ViewOfAccount[]): number {
    const now = this.#context.clock.now()
    const zones = new Set(pinned.map(({ account }) => this.#zoneOf(account)))
    const days = [...zones].map((zone) => untilNextDay(now, zone))
    const hours = pinned.map(({ view }) => (this.#last.get(view.id)?.time ?? now) + hour - now)
    return Math.max(shortestRest, Math.min(hour, ...days, ...hours))
  }

  #zoneOf(account: AccountId): string {
    return this.#context.accounts.list().find(({ id }) => id === account)?.dayZone ?? 'UTC'
  }
}

/** Longer than any day in milliseconds, including the end of summer time. */
const longestDay = 26 * 3_600_000
const exact = 1000

/** Milliseconds until the next day starts in a zone, at most a second too many. */
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
