import type { DeskEvents } from '../../src-shared/bridge/calls.ts'
import { failureOf } from '../../src-shared/desk/desk-failure.ts'
import type { ReportQuery } from '../../src-shared/reports/query.ts'
import type { Failure } from '../../src-shared/service/failure.ts'
import { dayAt } from '../../src-shared/values/day.ts'
import type { AccountId } from '../../src-shared/values/ids.ts'
import type { SavedView, SavedViewId } from '../../src-shared/views/saved.ts'
import type { AccountStore } from '../accounts/account-store.ts'
import type { PinnedQuery } from '../figures/sync/keep-asked.ts'
import type { Reports } from '../figures/figures.ts'
import type { Clock } from '../service/clock.ts'
import type { Store } from '../state/state-store.ts'
import type { ViewOfAccount } from '../state/views-repository.ts'
import { Attempts } from './attempts.ts'
import { endsTurn, keepAll } from './keep-all.ts'
import { withSignal } from '../lib/with-timeout.ts'
import { queriesOf } from './view-queries.ts'

export type PinnedParts = {
  readonly store: Store
  readonly book: Pick<AccountStore, 'account' | 'list' | 'onChange'>
  readonly reports: Pick<Reports, 'keepWhole' | 'keepWithin'>
  readonly emit: (name: 'views/changed', event: DeskEvents['views/changed']) => void
  readonly clock: Clock
  /** How much disk kept figures may take, in bytes, as it is set at this moment. */
  readonly keptLimit: () => Promise<number>
}

/** Progress is told no more often, in milliseconds. */
const quietFor = 500

/**
 * Keeps pinned views whole and fresh, one after the other over all accounts: at the start, every hour, when the day
 * changes, and when asked to. What is kept and fresh costs nothing; where there is no pinned view, no service is asked.
 */
export class PinnedViews {
  readonly #parts: PinnedParts
  readonly #attempts: Attempts
  readonly #told = new Map<AccountId, number>()
  readonly #ending = new AbortController()
  readonly #stopFollowing: () => void
  #queue: readonly ViewOfAccount[] = []
  #running: (ViewOfAccount & { readonly controller: AbortController }) | null = null
  #working: Promise<void> | null = null
  #alarm = new AbortController()
  #begun = false
  #paused = false

  constructor(parts: PinnedParts) {
    this.#parts = parts
    this.#attempts = new Attempts(parts)
    this.#stopFollowing = parts.book.onChange((change) => {
      if (change.kind === 'removed') this.#forget(change.account)
      if (change.kind === 'renewed' || change.kind === 'other-owner')
        void this.#wantAll(({ account }) => account === change.account)
    })
  }

  /** From now on pinned views are kept up to date. */
  begin(): void {
    this.#begun = true
    void this.#wantAll(() => true)
  }

  /** What failed may work now, and what is old may be renewed. */
  retryNow(): void {
    void this.#wantAll(() => true)
  }

  /** Renews nothing by itself for the time being; what a person asks for is renewed all the same. */
  pause(paused: boolean): void {
    if (paused === this.#paused) return
    this.#paused = paused
    if (!paused) {
      void this.#wantAll(() => true)
      return
    }
    this.#alarm.abort()
    const waiting = new Set(this.#queue.map(({ account }) => account))
    this.#queue = []
    this.#running?.controller.abort()
    for (const account of waiting) this.#notify(account)
  }

  /** Renews one now, before all others: a person waits for it. */
  want(found: ViewOfAccount): void {
    if (this.#ending.signal.aborted) return
    this.#leave(found.view.id)
    this.#queue = [found, ...this.#queue]
    this.#notify(found.account)
    this.#work()
  }

  /** Gives up renewing one until its next hour. What is kept of it stays. */
  stop({ account, view }: ViewOfAccount): void {
    if (!this.isSyncing(view.id)) return
    this.#leave(view.id)
    this.#attempts.note({ account, view }, null)
    this.#notify(account)
  }

  /** It is not pinned any more, or gone. */
  drop(id: SavedViewId): void {
    this.#leave(id)
    this.#attempts.forget(id)
  }

  /** Whether a view is being renewed, or waits for its turn. */
  isSyncing(id: SavedViewId): boolean {
    return this.#running?.view.id === id || this.#queue.some(({ view }) => view.id === id)
  }

  failureOf(id: SavedViewId): Failure | null {
    return this.#attempts.failureOf(id)
  }

  /** What has to be kept of a view, as of today. */
  queriesOf(account: AccountId, view: SavedView): readonly ReportQuery[] {
    const { dayZone } = this.#parts.book.account(account)
    return queriesOf(view.address, dayAt(this.#parts.clock.now(), dayZone))
  }

  /** Lets go what is beyond the limit, and belongs to no pinned view. */
  async keepWithin(): Promise<void> {
    const { reports, keptLimit } = this.#parts
    try {
      // Where it is not known what is pinned, nothing may go.
      const [limit, pinned] = await Promise.all([keptLimit(), this.#pinned()])
      await withSignal(this.#ending.signal, () => reports.keepWithin(limit, this.#queriesOfAll(pinned)))
    } catch {
      // It is tried again within the hour; the store says for itself what is wrong with it.
    }
  }

  /** Ends everything at once. */
  async close(): Promise<void> {
    this.#stopFollowing()
    this.#ending.abort()
    this.#alarm.abort()
    this.#queue = []
    this.#running?.controller.abort()
    await this.#working
  }

  async #pinned(): Promise<readonly ViewOfAccount[]> {
    const accounts = new Set(this.#parts.book.list().map(({ id }) => id))
    const pinned = await this.#parts.store.run('views/pinned', undefined)
    return pinned.filter(({ account }) => accounts.has(account))
  }

  #queriesOfAll(pinned: readonly ViewOfAccount[]): PinnedQuery[] {
    return pinned.flatMap(({ account, view }) =>
      this.queriesOf(account, view).map((query) => ({ account, query })),
    )
  }

  /** Puts those pinned views into the queue that are wanted and not there yet, and sets to work. */
  async #wantAll(wanted: (found: ViewOfAccount) => boolean): Promise<void> {
    if (!this.#begun || this.#paused) return
    const pinned = await this.#pinned().catch(() => [])
    if (this.#ending.signal.aborted || this.#isPaused()) return
    const more = pinned.filter((found) => !this.isSyncing(found.view.id) && wanted(found))
    this.#queue = [...this.#queue, ...more]
    for (const account of new Set(more.map((each) => each.account))) this.#notify(account)
    this.#work()
  }

  #work(): void {
    if (this.#working) return
    this.#working = this.#workOff().finally(() => {
      this.#working = null
      if (this.#queue.length > 0) this.#work()
      else this.#arm()
    })
  }

  async #workOff(): Promise<void> {
    for (let [next] = this.#queue; next; [next] = this.#queue) {
      this.#queue = this.#queue.slice(1)
      await this.#renew(next)
    }
    await this.keepWithin()
  }

  async #renew(found: ViewOfAccount): Promise<void> {
    const { account } = found
    const controller = new AbortController()
    this.#running = { ...found, controller }
    this.#notify(account)
    const failure = await this.#keep(found, controller.signal)
    this.#running = null
    // Whoever gave it up has written down what they wanted.
    if (!controller.signal.aborted) this.#ended(found, failure)
    this.#notify(account)
  }

  /** @returns why not everything could be kept; null where it is */
  async #keep({ account, view }: ViewOfAccount, signal: AbortSignal): Promise<Failure | null> {
    const progress = () => this.#notify(account, quietFor)
    const keepOne = (query: ReportQuery) =>
      this.#parts.reports.keepWhole({ account, query, signal, progress })
    try {
      return await keepAll(this.queriesOf(account, view), keepOne, signal)
    } catch (error) {
      // The account has gone.
      return failureOf(error)
    }
  }

  #ended(found: ViewOfAccount, failure: Failure | null): void {
    // Its client was closed, for one with a new token or address: that says nothing of the view.
    const told = failure?.kind === 'cancelled' ? null : failure
    this.#attempts.note(found, told)
    if (!told || !endsTurn(told)) return
    const ofAccount = (each: ViewOfAccount) => each.account === found.account
    for (const other of this.#queue.filter(ofAccount)) this.#attempts.note(other, told)
    this.#queue = this.#queue.filter((each) => !ofAccount(each))
  }

  #leave(id: SavedViewId): void {
    this.#queue = this.#queue.filter(({ view }) => view.id !== id)
    if (this.#running?.view.id === id) this.#running.controller.abort()
  }

  #forget(account: AccountId): void {
    this.#queue = this.#queue.filter((each) => each.account !== account)
    if (this.#running?.account === account) this.#running.controller.abort()
    this.#told.delete(account)
  }

  /** Asked anew after each wait: it may have changed meanwhile. */
  #isPaused(): boolean {
    return this.#paused
  }

  /** Sleeps until the next view is due, at most an hour. */
  #arm(): void {
    this.#alarm.abort()
    if (!this.#begun || this.#paused || this.#ending.signal.aborted) return
    this.#alarm = new AbortController()
    void this.#sleep(this.#alarm.signal)
  }

  async #sleep(signal: AbortSignal): Promise<void> {
    try {
      const pinned = await this.#pinned().catch(() => [])
      if (signal.aborted) return
      await this.#parts.clock.wait(this.#attempts.untilDue(pinned), signal)
    } catch {
      return
    }
    await this.#wantAll((found) => this.#attempts.isDue(found))
  }

  /** @param quiet how long nothing must have been told for this to be told, in milliseconds */
  #notify(account: AccountId, quiet = 0): void {
    const now = this.#parts.clock.now()
    const last = this.#told.get(account)
    if (last !== undefined && now >= last && now - last < quiet) return
    this.#told.set(account, now)
    this.#parts.emit('views/changed', { account })
  }
}
