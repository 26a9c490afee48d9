import { DeskFailure, failureOf } from '#shared/api/failure.ts'
import type { ReportQuery } from '#shared/reports/query.ts'
import { subjectOf } from '#shared/reports/query.ts'
import type { Failure, FailureKind } from '#shared/api/failure.ts'
import { dayAt } from '#shared/values/day.ts'
import type { Day } from '#shared/values/day.ts'
import { instantOf } from '#shared/values/ids.ts'
import type { AccountId, Instant } from '#shared/values/ids.ts'
import type { BeyondLimit } from '#shared/app/storage.ts'
import type { SyncState, SavedView, SavedViewId } from '#shared/views/saved-views.ts'
import type { PinnedQuery } from '#main/reports/resolver/stored-figures.ts'
import { withSignal } from '#main/lib/async.ts'
import type { JobContext } from '#main/lib/jobs.ts'
import type { ViewOfAccount } from '#main/database/state/views-repository.ts'
import { Attempts } from './attempts.ts'
import { daysIn, fromBand } from './bands.ts'
import { queriesOf } from './view-queries.ts'
import type { ViewsContext } from './views-context.ts'

/** Bytes. */
export const MEGABYTE = 1_000_000

const forAll: ReadonlySet<FailureKind> = new Set([
  'offline',
  'refused-token',
  'no-token',
  'no-keychain',
  'proxy-sign-in',
  'disk',
])

/** Whether the account's other views would fail too: its turn ends until something changes. */
const endsTurn = ({ kind }: Failure): boolean => forAll.has(kind)

/** One band of a view's days (bands.ts). The view's next band follows after this band of all other views. */
type Turn = ViewOfAccount & {
  readonly band: number
  /** Day in the account's zone at the start of the first band, which determines the days that the view shows. */
  readonly day: Day | null
  /** First failure in the earlier bands. */
  readonly failure: Failure | null
  /** Subjects that were refused, and are not requested again in this round. */
  readonly refused: ReadonlySet<string>
}

/** Priority behind every band. */
const lastOfAll = -1_000_000

const firstTurn = (pinned: ViewOfAccount): Turn => ({
  ...pinned,
  ...{ band: 0, day: null, failure: null, refused: new Set() },
})

/**
 * Stores and refreshes pinned views in jobs, one at a time over all accounts, newest days first: at the start, every hour, at a change of
 * day, and on request. Fresh stored figures cause no request.
 */
export class PinnedViews {
  readonly #context: ViewsContext
  readonly #attempts: Attempts
  readonly #ending = new AbortController()
  readonly #followed: readonly (() => void)[]
  /** Waiting turns, and the one that runs. */
  readonly #turns = new Map<SavedViewId, { readonly turn: Turn; readonly controller: AbortController }>()
  #syncedAt: Instant | null = null
  #alarm = new AbortController()
  /** Priority of the last request of the user. A newer request runs first. */
  #requests = 0
  #hasStarted = false
  #paused = false

  constructor(context: ViewsContext) {
    const { events } = context
    this.#context = context
    this.#attempts = new Attempts(context)
    this.#followed = [
      events.on('account/removed', ({ account }) => this.#forget(account)),
      events.on('service/rests', ({ account, until }) => {
        if (until !== null) this.#letOthersPass(account)
      }),
      events.on('account/renewed', ({ account }) => this.wake(account)),
      events.on('account/other-data-scope', ({ account }) => this.wake(account)),
      events.on('settings/changed', ({ changed }) => {
        if (changed.includes('storageLimit')) void this.limitStorage()
      }),
      // In another zone it may be another day, on which views show other days.
      events.on('account/edited', ({ account }) => this.wake(account)),
      events.on('figures/removed', ({ account }) => this.wake(account)),
      events.on('jobs/changed', ({ job: { kind, account } }) => {
        if (kind === 'view' && account !== null) events.emit({ kind: 'views/changed', account })
      }),
    ]
  }

  /** Starts refreshing pinned views. */
  start(): void {
    this.#hasStarted = true
    this.wake()
  }

  /** Retries failed views and refreshes old ones, of one account or of all. */
  wake(account?: AccountId): void {
    void this.#wantAll((pinned) => account === undefined || pinned.account === account)
  }

  /** Pauses or resumes automatic refreshes. Requests of the user are still served. */
  pause(paused: boolean): void {
    if (paused === this.#paused) return
    this.#paused = paused
    if (!paused) return this.wake()
    this.#alarm.abort()
    this.#leaveAll()
  }

  /** Refreshes a view for the user, before all others. */
  want(pinned: ViewOfAccount): void {
    this.#requests += 1
    if (!this.#ending.signal.aborted) void this.#take(firstTurn(pinned), this.#requests)
  }

  /** Stops refreshing a view until its next hour. Its stored figures remain. */
  stopRefreshing(pinned: ViewOfAccount): void {
    if (!this.isSyncing(pinned.view.id)) return
    this.#leave(pinned.view.id)
    this.#attempts.note(pinned, null)
  }

  /** Called when a view is unpinned or removed. */
  drop(id: SavedViewId): void {
    this.#leave(id)
    this.#attempts.forget(id)
  }

  /** Whether a view is being refreshed or waits for its turn. */
  isSyncing(id: SavedViewId): boolean {
    return this.#turns.has(id)
  }

  /** Whether any view is being refreshed or waits for its turn. */
  get isRunning(): boolean {
    return this.#turns.size > 0
  }

  failureOf(id: SavedViewId): Failure | null {
    return this.#attempts.failureOf(id)
  }

  /** Returns the state of all pinned views. */
  state(): SyncState {
    return { syncedAt: this.#syncedAt, trouble: this.#attempts.trouble() }
  }

  /** Returns the queries to store for a view, as of today. */
  queriesOf(account: AccountId, view: Pick<SavedView, 'address' | 'depth'>): readonly ReportQuery[] {
    return queriesOf(view.address, this.#today(account), view.depth)
  }

  /** Returns the figures that a limit would remove. */
  async beyondLimit(bytes: number): Promise<BeyondLimit> {
    return await this.#context.reports.beyondLimit(bytes, this.#queriesOfAll(await this.#pinned()))
  }

  /** Removes figures beyond the disk limit that belong to no pinned view. */
  async limitStorage(): Promise<void> {
    try {
      // If the pinned views are unknown, nothing is removed.
      const { settings, reports } = this.#context
      const [{ storageLimit }, pinned] = await Promise.all([settings.read(), this.#pinned()])
      const limit = () => reports.limitStorage(storageLimit * MEGABYTE, this.#queriesOfAll(pinned))
      await withSignal(this.#ending.signal, limit)
    } catch {
      // Retried within the hour. The store reports its own failures.
    }
  }

  /** Stops at once. */
  stop(): void {
    for (const stop of this.#followed) stop()
    this.#ending.abort()
    this.#alarm.abort()
    this.#leaveAll()
  }

  async #pinned(): Promise<readonly ViewOfAccount[]> {
    const { accounts, store } = this.#context
    const ids = new Set(accounts.list().map(({ id }) => id))
    const pinned = await store.run('views/pinned', undefined)
    return pinned.filter(({ account }) => ids.has(account))
  }

  #queriesOfAll(pinned: readonly ViewOfAccount[]): PinnedQuery[] {
    return pinned.flatMap(({ account, view }) =>
      this.queriesOf(account, view).map((query) => ({ account, query })),
    )
  }

  /** Queues selected pinned views that are not queued yet. */
  async #wantAll(wanted: (pinned: ViewOfAccount) => boolean): Promise<void> {
    if (!this.#hasStarted || this.#paused) return
    const all = await this.#pinned().catch(() => [])
    if (this.#ending.signal.aborted || this.#isPaused()) return
    for (const pinned of all)
      if (!this.isSyncing(pinned.view.id) && wanted(pinned)) void this.#take(firstTurn(pinned))
    await this.#sleepUntilDue()
  }

  /**
   * Stores the days of a band, and queues the view's next one. The newest days of all views come first; within a band, the view that was
   * queued first. Never rejects.
   */
  async #take(turn: Turn, priority = -turn.band): Promise<void> {
    const { account, view } = turn
    this.#leave(view.id)
    const controller = new AbortController()
    this.#turns.set(view.id, { turn, controller })
    let { day } = turn
    const run = async (context: JobContext) => {
      day ??= this.#today(account)
      return await this.#storeBand({ ...turn, day }, context)
    }
    const order = { kind: 'view', account, subject: view.id, title: view.name, unit: 'days', run } as const
    const { next, failure } = await this.#context.jobs.finish({ ...order, priority }, controller.signal).then(
      (following) => ({ next: following, failure: null }),
      (error: unknown) => ({ next: null, failure: failureOf(error) }),
    )
    // The code that aborted the turn has updated the state.
    if (!controller.signal.aborted) {
      this.#turns.delete(view.id)
      if (next) return await this.#take(next)
      this.#ended({ ...turn, day }, failure)
    }
    await this.#sleepUntilDue()
  }

  /**
   * Stores a band of a view, one query at a time. A refused query does not stop the others.
   * @returns the view's next turn; null if everything is stored
   * @throws DeskFailure that ends the turn, or after the last band the first failure
   */
  async #storeBand(
    turn: Turn & { readonly day: Day },
    { signal, progress }: JobContext,
  ): Promise<Turn | null> {
    const { account, view, day } = turn
    const all = queriesOf(view.address, day, view.depth)
    const { queries, before, next } = fromBand(all, day, turn.band)
    const tables = Math.max(1, new Set(all.map(subjectOf)).size)
    const total = Math.ceil(daysIn(all) / tables)
    let days = before
    const progressAt = (now: number) => {
      days = now
      progress({ done: Math.floor(days / tables), total, unit: 'days' })
    }
    progressAt(before)
    let { failure } = turn
    const refused = new Set(turn.refused)
    for (const query of queries.filter((wanted) => !turn.refused.has(subjectOf(wanted)))) {
      const first = days
      const params = { account, query, signal, progress: (done: number) => progressAt(first + done) }
      try {
        await withSignal(signal, () => this.#context.reports.storeWhole(params))
        days = first + daysIn([query])
      } catch (error) {
        const reason = failureOf(error)
        if (signal.aborted) throw error
        if (endsTurn(reason)) {
          // Aborted before the next turn starts.
          const isOther = (other: Turn) => other.account === account && other.view.id !== view.id
          for (const other of this.#leaveAll(isOther)) this.#attempts.note(other, reason)
          throw error
        }
        refused.add(subjectOf(query))
        failure ??= reason
      }
    }
    if (failure && (next === null || failure.kind === 'cancelled')) throw new DeskFailure(failure)
    return next === null ? null : { ...turn, band: next, failure, refused }
  }

  #ended(turn: Turn, failure: Failure | null): void {
    // The user stopped it, or its client was closed for a new token or address: not a failure of the view.
    const reported = failure?.kind === 'cancelled' ? null : failure
    this.#attempts.note(turn, reported, turn.day)
    const { events, clock } = this.#context
    if (failure === null) this.#syncedAt = instantOf(clock.now())
    events.emit({ kind: 'views/changed', account: turn.account })
    events.emit({ kind: 'sync/changed', ...this.state() })
  }

  #today(account: AccountId): Day {
    const { clock, accounts } = this.#context
    return dayAt(clock.now(), accounts.account(account).dayZone)
  }

  #leave(id: SavedViewId): void {
    this.#turns.get(id)?.controller.abort()
    this.#turns.delete(id)
  }

  /** @returns the turns that were removed */
  #leaveAll(isMeant: (turn: Turn) => boolean = () => true): readonly Turn[] {
    const left = [...this.#turns.values()].map(({ turn }) => turn).filter(isMeant)
    for (const { view } of left) this.#leave(view.id)
    return left
  }

  /** Moves the views of an account whose service requested a pause behind those of other accounts. */
  #letOthersPass(account: AccountId): void {
    const all = [...this.#turns.values()].map(({ turn }) => turn)
    if (all.every((turn) => turn.account === account)) return
    for (const turn of all) if (turn.account === account) void this.#take(turn, lastOfAll)
  }

  #forget(account: AccountId): void {
    this.#leaveAll((turn) => turn.account === account)
    this.#attempts.forgetAccount(account)
    this.#context.events.emit({ kind: 'sync/changed', ...this.state() })
  }

  /** Read again after each wait, because the value may have changed. */
  #isPaused(): boolean {
    return this.#paused
  }

  /** When no turn is left: enforces the disk limit, then sleeps until the next view is due, at most an hour. */
  async #sleepUntilDue(): Promise<void> {
    if (this.#turns.size > 0) return
    await this.limitStorage()
    if (this.#turns.size > 0 || this.#paused || this.#ending.signal.aborted) return
    this.#context.events.emit({ kind: 'sync/ended' })
    this.#alarm.abort()
    this.#alarm = new AbortController()
    if (this.#hasStarted) void this.#sleep(this.#alarm.signal)
  }

  async #sleep(signal: AbortSignal): Promise<void> {
    try {
      const pinned = await this.#pinned().catch(() => [])
      if (signal.aborted) return
      await this.#context.clock.wait(this.#attempts.untilDue(pinned), signal)
    } catch {
      return
    }
    await this.#wantAll((pinned) => this.#attempts.isDue(pinned))
  }
}
