import type { RawContext } from '../raw-context.ts'
import { failureMeanings } from '#shared/api/failure-meanings.ts'
import type { Failure } from '#shared/api/failure.ts'
import { instantOf } from '#shared/values/ids.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { asExpiringKnown, expiries } from './list-differences.ts'
import { pollStateOf, savedOf } from './list-refresher.ts'
import type { PollState, Attempt, ListRefresher } from './list-refresher.ts'
import { byChance, pauseAfter, pauseBeyond } from '#main/lib/retry.ts'

type Watched = { readonly backoff: PollBackoff; timer: AbortController }

/** Polls the lists of all accounts while changes are expected. Independent of the system clock. */
export class Watcher {
  readonly #context: RawContext
  readonly #refresher: ListRefresher
  readonly #watches = new Map<AccountId, Watched>()
  #isClosed = false
  #paused = false

  constructor(context: RawContext, refresher: ListRefresher) {
    this.#context = context
    this.#refresher = refresher
  }

  /** Polls an account's list now, and later while changes are expected. Never rejects. */
  async poll(account: AccountId): Promise<void> {
    if (this.#isClosed) return
    const { backoff, timer } = this.#watchedOf(account)
    backoff.quicken()
    timer.abort()
    // `ended` receives the outcome.
    await this.#refresher.refresh(account).catch(() => undefined)
  }

  /** Stops or resumes automatic polling of all watched accounts. */
  pause(paused: boolean): void {
    if (paused === this.#paused) return
    this.#paused = paused
    if (paused) for (const { timer } of this.#watches.values()) timer.abort()
    else void this.pollAll()
  }

  /** Polls all watched accounts, unless paused. */
  async pollAll(): Promise<void> {
    if (this.#paused) return
    await Promise.all([...this.#watches.keys()].map((account) => this.poll(account)))
  }

  /** Polls an account if it is watched, unless paused. */
  async wake(account: AccountId): Promise<void> {
    if (!this.#paused && this.#watches.has(account)) await this.poll(account)
  }

  /** Schedules the next poll after a refresh by any caller. */
  async ended(account: AccountId, attempt: Attempt): Promise<void> {
    if (this.#isClosed) return
    if (attempt.ok) {
      this.#arm(account, attempt.value.pollState, null)
      return
    }
    const pollState = await this.#storedPollState(account)
    // After a cancellation for a new token, that caller polls again.
    this.#arm(account, pollState, attempt.failure)
  }

  forget(account: AccountId): void {
    this.#watches.get(account)?.timer.abort()
    this.#watches.delete(account)
  }

  stop(): void {
    this.#isClosed = true
    for (const account of [...this.#watches.keys()]) this.forget(account)
  }

  #watchedOf(account: AccountId): Watched {
    const known = this.#watches.get(account)
    if (known) return known
    const made = { backoff: new PollBackoff(this.#context.random), timer: new AbortController() }
    this.#watches.set(account, made)
    return made
  }

  /** Poll state from the stored list. Also announces expiries, which need no service. */
  async #storedPollState(account: AccountId): Promise<PollState> {
    try {
      const { reports } = await this.#context.store.run('raw-reports/known', { account })
      const expiring = reports.flatMap(asExpiringKnown)
      const saved = savedOf(this.#context, account, expiring)
      const now = instantOf(this.#context.clock.now())
      const announced = new Map(reports.map((report) => [report.id, report.announced]))
      const found = expiries(expiring, { saved, now })
      const announcements = found.filter(({ report, kind }) => !announced.get(report)?.includes(kind))
      if (announcements.length > 0) {
        await this.#context.store.run('raw-announcements/add', { account, announcements, foundAt: now })
      }
      return pollStateOf(expiring, now)
    } catch {
      // The store reports its own errors.
      return { running: 0, listed: 0, isShort: false, nextExpiry: null }
    }
  }

  #arm(account: AccountId, pollState: PollState, failure: Failure | null): void {
    const watched = this.#watches.get(account)
    if (!watched || this.#isClosed || this.#paused) return
    watched.timer.abort()
    const pause = watched.backoff.next(pollState, failure, this.#context.clock.now())
    if (pause === null) return
    watched.timer = new AbortController()
    this.#context.clock.wait(pause, watched.timer.signal).then(
      () => void this.#refresher.refresh(account).catch(() => undefined),
      // Cancelled by an earlier poll.
      () => undefined,
    )
  }
}

/** Minimum pause in milliseconds, whatever the clock shows. */
const shortest = 1_000

/** Computes the pause between polls in milliseconds: short at first, then growing. */
class PollBackoff {
  readonly #random: () => number
  #pause = 0
  #running = 0

  /** @param random returns a number from 0 to 1, for jitter */
  constructor(random: () => number) {
    this.#random = random
  }

  /** Resets the pause to its shortest. */
  quicken(): void {
    this.#pause = 0
  }

  /**
   * @param failure why the last attempt failed; null if it succeeded
   * @returns the pause in milliseconds; null if no changes are expected
   */
  next(pollState: PollState, failure: Failure | null, now: number): number | null {
    const isLocked = failure?.kind === 'no-keychain'
    if (failure && failureMeanings[failure.kind].remedy === 'token' && !isLocked) return null
    if (pollState.running !== this.#running) this.quicken()
    this.#running = pollState.running
    const untilExpiry = pollState.nextExpiry === null ? Infinity : pollState.nextExpiry - now
    // The keychain may stay locked after a login. Frequent polls would prompt the user repeatedly.
    if (isLocked) return this.#soonest(pauseAfter('pollingRests', 1), untilExpiry)
    // After a failure, changes are unknown, so polling continues. A list with missing reports counts as a failure.
    const isInTrouble = failure !== null || pollState.isShort
    if (pollState.running > 0 || isInTrouble) {
      this.#pause = pauseBeyond(isInTrouble ? 'pollingFails' : 'polling', this.#pause)
      return this.#soonest(this.#pause, untilExpiry)
    }
    this.#pause = 0
    return pollState.listed === 0 ? null : this.#soonest(pauseAfter('pollingRests', 1), untilExpiry)
  }

  #soonest(pause: number, untilExpiry: number): number {
    return Math.max(shortest, Math.min(byChance('polling', pause, this.#random), untilExpiry))
  }
}
