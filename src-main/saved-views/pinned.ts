import { failureOf } from '#shared/api/failure.ts'
import type { ReportQuery } from '#shared/reports/query.ts'
import { subjectOf } from '#shared/reports/query.ts'
import type { Failure } from '#shared/api/failure.ts'
import { dayAt } from '#shared/values/day.ts'
import type { Day } from '#shared/values/day.ts'
import type { AccountId, Instant } from '#shared/values/ids.ts'
import type { BeyondLimit } from '#shared/app/storage.ts'
import type { SyncState, SavedView, SavedViewId } from '#shared/views/saved-views.ts'
import type { AccountStore } from '#main/accounts/account-store.ts'
import type { PinnedQuery } from '#main/reports/sync/stored-figures.ts'
import type { Reports } from '#main/reports/figures.ts'
import type { Clock } from '#main/lib/async.ts'
import type { Store } from '#main/database/state/state-store.ts'
import type { ViewOfAccount } from '#main/database/state/views-repository.ts'
import { Attempts } from './attempts.ts'
import { daysIn, fromBand } from './bands.ts'
import { endsTurn, storeAll } from './keep-all.ts'
import { withSignal } from '#main/lib/async.ts'
import type { AppEvents } from '#main/lib/app-events.ts'
import { firstTurn, queued } from './turns.ts'
import type { Turn } from './turns.ts'
import { queriesOf } from './view-queries.ts'

type PinnedParts = {
  readonly store: Store
  readonly accounts: Pick<AccountStore, 'account' | 'list'>
  readonly reports: Pick<Reports, 'storeWhole' | 'limitStorage' | 'beyondLimit'>
  readonly events: AppEvents
  readonly clock: Clock
  /** How much disk kept figures may take, in bytes, as it is set at this moment. */
  readonly keptLimit: () => Promise<number>
}

/** Progress is told no more often, in milliseconds. */
const debounceMs = 500

/** A turn that is being taken: how many of the view's days are there, each table's own counted. */
type Running = Turn & {
  readonly controller: AbortController
  readonly tables: number
  readonly total: number
  done: number
}

/**
 * Keeps pinned views whole and fresh, one after the other over all accounts, the newest days of all of them first: at the
 * start, every hour, when the day changes, and when asked to. What is kept and fresh costs nothing; where there is no pinned view, no service is asked.
 */
export class PinnedViews {
  readonly #parts: PinnedParts
  readonly #attempts: Attempts
  readonly #told = new Map<AccountId, number>()
  readonly #ending = new AbortController()
  readonly #followed: readonly (() => void)[]
  #queue: readonly Turn[] = []
  #running: Running | null = null
  #syncedAt: Instant | null = null
  #working: Promise<void> | null = null
  #alarm = new AbortController()
  #begun = false
  #paused = false

  constructor(parts: PinnedParts) {
    this.#parts = parts
    this.#attempts = new Attempts(parts)
    const { events } = parts
    this.#followed = [
      events.on('account/removed', ({ account }) => this.#forget(account)),
      events.on('account/renewed', ({ account }) => this.wake(account)),
      events.on('account/other-owner', ({ account }) => this.wake(account)),
      events.on('settings/changed', ({ changed }) => {
        if (changed.includes('keptLimit')) void this.limitStorage()
      }),
      // In another zone it may be another day, on which views show other days.
      events.on('account/edited', ({ account }) => this.wake(account)),
      events.on('figures/removed', ({ account }) => this.wake(account)),
    ]
  }

  /** From now on pinned views are kept up to date. */
  start(): void {
    this.#begun = true
    this.wake()
  }

  /** What failed may work now, and what is old may be renewed: of one account, or of all. */
  wake(account?: AccountId): void {
    void this.#wantAll((found) => account === undefined || found.account === account)
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
    this.#queue = queued(this.#queue, firstTurn(found), true)
    this.#notify(found.account)
    this.#work()
  }

  /** Gives up renewing one until its next hour. What is kept of it stays. */
  stopRefreshing({ account, view }: ViewOfAccount): void {
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

  /** How it stands with all of them. */
  state(): SyncState {
    const running = this.#running
    const syncing = running && {
      account: running.account,
      view: running.view.name,
      done: Math.floor(running.done / running.tables),
      total: Math.ceil(running.total / running.tables),
    }
    return {
      syncing,
      waiting: this.#queue.filter(({ view }) => view.id !== running?.view.id).length,
      syncedAt: this.#syncedAt,
      trouble: this.#attempts.trouble(),
    }
  }

  /** What has to be kept of a view, as of today. */
  queriesOf(account: AccountId, view: Pick<SavedView, 'address' | 'depth'>): readonly ReportQuery[] {
    return queriesOf(view.address, this.#today(account), view.depth)
  }

  /** What a limit of so many bytes would remove. */
  async beyondLimit(bytes: number): Promise<BeyondLimit> {
    return await this.#parts.reports.beyondLimit(bytes, this.#queriesOfAll(await this.#pinned()))
  }

  /** Lets go what is beyond the limit, and belongs to no pinned view. */
  async limitStorage(): Promise<void> {
    const { reports, keptLimit } = this.#parts
    try {
      // Where it is not known what is pinned, nothing may go.
      const [limit, pinned] = await Promise.all([keptLimit(), this.#pinned()])
      await withSignal(this.#ending.signal, () => reports.limitStorage(limit, this.#queriesOfAll(pinned)))
    } catch {
      // It is tried again within the hour; the store says for itself what is wrong with it.
    }
  }

  /** Ends everything at once. */
  async stop(): Promise<void> {
    for (const stop of this.#followed) stop()
    this.#ending.abort()
    this.#alarm.abort()
    this.#queue = []
    this.#running?.controller.abort()
    await this.#working
  }

  async #pinned(): Promise<readonly ViewOfAccount[]> {
    const accounts = new Set(this.#parts.accounts.list().map(({ id }) => id))
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
    for (const found of more) this.#queue = queued(this.#queue, firstTurn(found))
    for (const account of new Set(more.map((viewOfAccount) => viewOfAccount.account))) this.#notify(account)
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
      await this.#take(next)
    }
    await this.limitStorage()
    if (!this.#paused && !this.#ending.signal.aborted) this.#parts.events.emit({ kind: 'sync/ended' })
  }

  /** Keeps the days of a turn's band, and lets the view wait for its next one. */
  async #take(turn: Turn): Promise<void> {
    const { account } = turn
    const controller = new AbortController()
    const ended = await this.#keepBand(turn, controller).catch((error: unknown) => ({
      // The account has gone.
      ...{ turn, failure: failureOf(error), next: null },
    }))
    this.#running = null
    // Whoever gave it up has written down what they wanted.
    if (!controller.signal.aborted) {
      if (ended.next) this.#queue = queued(this.#queue, ended.next)
      else this.#ended(ended.turn, ended.failure)
    }
    this.#notify(account)
  }

  /** @returns how it ended, and the view's next turn; null where there is nothing more to be done */
  async #keepBand(
    turn: Turn,
    controller: AbortController,
  ): Promise<{ readonly turn: Turn; readonly failure: Failure | null; readonly next: Turn | null }> {
    const { account, view } = turn
    const day = turn.day ?? this.#today(account)
    const all = queriesOf(view.address, day, view.depth)
    const { queries, before, next } = fromBand(all, day, turn.band)
    const tables = Math.max(1, new Set(all.map(subjectOf)).size)
    const running = { ...turn, day, controller, tables, total: daysIn(all), done: before }
    this.#running = running
    this.#notify(account)
    const { failure, refused } = await this.#keep(running, queries)
    const first = turn.failure ?? failure
    const ends = failure !== null && (endsTurn(failure) || failure.kind === 'cancelled')
    if (ends || next === null) return { turn: running, failure: ends ? failure : first, next: null }
    return { turn: running, failure: first, next: { ...turn, day, band: next, failure: first, refused } }
  }

  /** @returns why not everything could be kept; null where it is; and what was refused, now or before */
  async #keep(
    running: Running,
    queries: readonly ReportQuery[],
  ): Promise<{ readonly failure: Failure | null; readonly refused: ReadonlySet<string> }> {
    const { account, controller } = running
    const { signal } = controller
    const refused = new Set(running.refused)
    const storeOne = async (query: ReportQuery) => {
      const before = running.done
      const progress = (done: number) => {
        running.done = before + done
        this.#notify(account, debounceMs)
      }
      try {
        await this.#parts.reports.storeWhole({ account, query, signal, progress })
        running.done = before + daysIn([query])
      } catch (error) {
        refused.add(subjectOf(query))
        throw error
      }
    }
    const wanted = queries.filter((query) => !refused.has(subjectOf(query)))
    return { failure: await storeAll(wanted, storeOne, signal), refused }
  }

  #ended(turn: Turn, failure: Failure | null): void {
    // Its client was closed, for one with a new token or address: that says nothing of the view.
    const reported = failure?.kind === 'cancelled' ? null : failure
    this.#attempts.note(turn, reported, turn.day)
    if (failure === null) this.#syncedAt = this.#parts.clock.now() as Instant
    if (!reported || !endsTurn(reported)) return
    const ofAccount = (viewOfAccount: ViewOfAccount) => viewOfAccount.account === turn.account
    for (const other of this.#queue.filter(ofAccount)) this.#attempts.note(other, reported)
    this.#queue = this.#queue.filter((item) => !ofAccount(item))
  }

  #today(account: AccountId): Day {
    return dayAt(this.#parts.clock.now(), this.#parts.accounts.account(account).dayZone)
  }

  #leave(id: SavedViewId): void {
    this.#queue = this.#queue.filter(({ view }) => view.id !== id)
    if (this.#running?.view.id === id) this.#running.controller.abort()
  }

  #forget(account: AccountId): void {
    this.#queue = this.#queue.filter((turn) => turn.account !== account)
    if (this.#running?.account === account) this.#running.controller.abort()
    this.#told.delete(account)
    this.#attempts.forgetAccount(account)
    this.#parts.events.emit({ kind: 'sync/changed', ...this.state() })
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
    this.#parts.events.emit({ kind: 'views/changed', account })
    this.#parts.events.emit({ kind: 'sync/changed', ...this.state() })
  }
}
