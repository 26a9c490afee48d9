import { connectionAfter } from '#shared/accounts/account.ts'
import { DeskFailure, failureOf } from '#shared/api/failure.ts'
import type { ReportQuery } from '#shared/reports/query.ts'
import { subjectOf } from '#shared/reports/query.ts'
import type { Failure } from '#shared/api/failure.ts'
import type { Job } from '#shared/app/jobs.ts'
import { dayAt } from '#shared/values/day.ts'
import type { Day } from '#shared/values/day.ts'
import { instantOf } from '#shared/values/ids.ts'
import type { AccountId, Instant } from '#shared/values/ids.ts'
import type { BeyondLimit } from '#shared/app/storage.ts'
import type { SyncState, SavedView, SavedViewId } from '#shared/views/saved-views.ts'
import type { PinnedQuery } from '#main/reports/resolver/stored-figures.ts'
import { withSignal } from '#main/lib/async.ts'
import type { JobContext, JobRecord } from '#main/lib/jobs.ts'
import type { ViewOfAccount } from '#main/database/state/views-repository.ts'

import { daysIn, fromBand } from './bands.ts'
import { isDue, untilDue } from './due.ts'
import { isKnownView, queriesOf } from './view-queries.ts'
import type { ViewsContext } from './views-context.ts'

/** Bytes. */
export const MEGABYTE = 1_000_000

/**
 * Whether the account's other views would fail too: its turn ends until something changes. A cancelled or costly view
 * says nothing of the others.
 */
const endsTurn = (failure: Failure): boolean =>
  connectionAfter(failure) !== undefined || failure.kind === 'disk'

/** A refresh of a view, band by band (bands.ts). It continues after its job was restarted. */
type Refresh = ViewOfAccount & {
  band: number
  /** Day in the account's zone at the start of the first band, which determines the days that the view shows. */
  day: Day | null
  /** First failure. */
  failure: Failure | null
  /** Subjects that were refused, and are not requested again in this refresh. */
  readonly refused: Set<string>
}

/** Priority behind every band. */
const lastOfAll = -1_000_000

/**
 * Stores and refreshes pinned views, each in a job, one at a time over all accounts, newest days first: at the start, every hour, at a change
 * of day, and on request. Fresh stored figures cause no request.
 */
export class PinnedViews {
  readonly #context: ViewsContext
  readonly #ending = new AbortController()
  readonly #followed: readonly (() => void)[]
  /** Last time a refresh succeeded. It outlives the record of its view. */
  #syncedAt: Instant | null = null
  #alarm = new AbortController()
  /** Priority of the last request of the user. A newer request runs first. */
  #requests = 0
  #hasStarted = false
  #paused = false

  constructor(context: ViewsContext) {
    const { events } = context
    this.#context = context
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
      // Watched figures are pinned.
      events.on('alerts/changed', ({ account }) => void this.#followAlerts(account)),
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
    if (!this.#ending.signal.aborted) void this.#take(pinned, this.#requests)
  }

  /** Stops refreshing a view until its next hour. Its stored figures remain. */
  stopRefreshing(id: SavedViewId): void {
    const { active } = this.#record(id) ?? {}
    if (active) this.#context.jobs.cancel(active.id)
  }

  /** Called when a view is unpinned or removed. */
  drop(id: SavedViewId): void {
    this.#context.jobs.forget('view', id)
  }

  /** Whether a view is being refreshed or waits for its turn. */
  isSyncing(id: SavedViewId): boolean {
    return Boolean(this.#record(id)?.active)
  }

  /** Whether any view is being refreshed or waits for its turn. */
  get isRunning(): boolean {
    return this.#active().length > 0
  }

  failureOf(id: SavedViewId): Failure | null {
    return failureIn(this.#record(id))
  }

  /** Returns the state of all pinned views. */
  state(): SyncState {
    const trouble = this.#context.jobs.recordsOf('view').flatMap((record) => {
      const failure = failureIn(record)
      const { account = null, title = '' } = record.last ?? {}
      return failure && account ? [{ account, view: title, failure }] : []
    })
    return { syncedAt: this.#syncedAt, trouble: trouble.at(-1) ?? null }
  }

  /** Returns the queries to store for a view, as of today. @throws DeskFailure if this version does not know the view */
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
      const limit = () => reports.limitStorage(storageLimit * MEGABYTE, () => this.#queriesOfAll(pinned))
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
    return pinned
      .filter(({ view }) => isKnownView(view.address))
      .flatMap(({ account, view }) => this.queriesOf(account, view).map((query) => ({ account, query })))
  }

  /** Refreshes newly watched figures, and drops those that no alert watches any more. */
  async #followAlerts(account: AccountId): Promise<void> {
    // Views that are pinned from now on have no record here.
    const known = this.#context.jobs.recordsOf('view')
    const pinned = await this.#pinned().catch(() => null)
    if (pinned === null) return
    const ids = new Set<string>(pinned.map(({ view }) => view.id))
    for (const { key, active, last } of known)
      if ((active ?? last)?.account === account && !ids.has(key)) this.#context.jobs.forget('view', key)
    const hasRecord = new Set<string>(known.map(({ key }) => key))
    void this.#wantAll((wanted) => wanted.account === account && !hasRecord.has(wanted.view.id))
  }

  /** Queues selected pinned views that are not queued yet. */
  async #wantAll(wanted: (pinned: ViewOfAccount) => boolean): Promise<void> {
    if (!this.#hasStarted || this.#paused) return
    const all = await this.#pinned().catch(() => [])
    if (this.#ending.signal.aborted || this.#isPaused()) return
    for (const pinned of all) if (!this.isSyncing(pinned.view.id) && wanted(pinned)) void this.#take(pinned)
    await this.#sleepUntilDue()
  }

  /**
   * Refreshes a view. The newest days of all views come first; within a band, the view that was queued first. Never rejects.
   */
  async #take({ account, view }: ViewOfAccount, priority = 0): Promise<void> {
    const { jobs } = this.#context
    jobs.withdraw('view', view.id)
    const refresh: Refresh = { account, view, band: 0, day: null, failure: null, refused: new Set() }
    const { id } = jobs.run({
      ...{ kind: 'view', key: view.id, account, subject: view.id, title: view.name, unit: 'days', priority },
      run: async (context) => {
        const day = (refresh.day ??= this.#today(account))
        for (;;) {
          const next = await this.#storeBand(refresh, day, context)
          if (next === null) return null
          refresh.band = next
          await context.requeue(-next)
        }
      },
    })
    const { kind } = await jobs.ended(id)
    if (this.#record(view.id)?.last?.id === id) this.#ended(account, kind === 'done')
    await this.#sleepUntilDue()
  }

  /**
   * Stores a band of a view, one query at a time. A refused query does not stop the others.
   * @returns the view's next band; null if everything is stored
   * @throws DeskFailure that ends the refresh, or after the last band the first failure
   */
  async #storeBand(refresh: Refresh, day: Day, { signal, progress }: JobContext): Promise<number | null> {
    const { account, view, refused } = refresh
    const all = queriesOf(view.address, day, view.depth)
    const { queries, before, next } = fromBand(all, day, refresh.band)
    const tables = Math.max(1, new Set(all.map(subjectOf)).size)
    const total = Math.ceil(daysIn(all) / tables)
    let days = before
    const progressAt = (now: number) => {
      days = now
      progress({ done: Math.floor(days / tables), total, unit: 'days' })
    }
    progressAt(before)
    for (const query of queries.filter((wanted) => !refused.has(subjectOf(wanted)))) {
      const first = days
      const params = { account, query, signal, progress: (done: number) => progressAt(first + done) }
      try {
        await withSignal(signal, () => this.#context.reports.storeWhole(params))
        days = first + daysIn([query])
      } catch (error) {
        const reason = failureOf(error)
        if (signal.aborted) throw error
        if (endsTurn(reason)) {
          this.#leaveAll((key, job) => job.account === account && key !== view.id, reason)
          throw error
        }
        refused.add(subjectOf(query))
        refresh.failure ??= reason
      }
    }
    const { failure } = refresh
    if (failure && (next === null || failure.kind === 'cancelled')) throw new DeskFailure(failure)
    return next
  }

  #ended(account: AccountId, isDone: boolean): void {
    const { events, clock } = this.#context
    if (isDone) this.#syncedAt = instantOf(clock.now())
    events.emit({ kind: 'views/changed', account })
    events.emit({ kind: 'sync/changed', ...this.state() })
  }

  #today(account: AccountId): Day {
    const { clock, accounts } = this.#context
    return dayAt(clock.now(), accounts.account(account).dayZone)
  }

  #record(id: SavedViewId): JobRecord | null {
    return this.#context.jobs.recordOf('view', id)
  }

  /** Jobs of views that are being refreshed or wait for their turn. */
  #active() {
    return this.#context.jobs
      .recordsOf('view')
      .flatMap(({ key, active }) => (active ? [{ key, job: active }] : []))
  }

  /** @param failure failure of another view that these views would share */
  #leaveAll(isMeant: (key: string, job: Job) => boolean = () => true, failure?: Failure): void {
    for (const { key, job } of this.#active())
      if (isMeant(key, job)) this.#context.jobs.withdraw('view', key, failure)
  }

  /** Moves the views of an account whose service requested a pause behind those of other accounts. */
  #letOthersPass(account: AccountId): void {
    const { jobs } = this.#context
    const all = this.#active()
    if (all.every(({ job }) => job.account === account)) return
    for (const { job } of all) {
      if (job.account !== account) continue
      jobs.prioritize(job.id, lastOfAll)
      jobs.restart(job.id)
    }
  }

  #forget(account: AccountId): void {
    const { jobs, events } = this.#context
    for (const { key, active, last } of jobs.recordsOf('view'))
      if ((active ?? last)?.account === account) jobs.forget('view', key)
    events.emit({ kind: 'sync/changed', ...this.state() })
  }

  /** Read again after each wait, because the value may have changed. */
  #isPaused(): boolean {
    return this.#paused
  }

  /** When no view is left: enforces the disk limit, then sleeps until the next view is due, at most an hour. */
  async #sleepUntilDue(): Promise<void> {
    if (this.isRunning) return
    await this.limitStorage()
    if (this.isRunning || this.#paused || this.#ending.signal.aborted) return
    this.#context.events.emit({ kind: 'sync/ended' })
    this.#alarm.abort()
    this.#alarm = new AbortController()
    if (this.#hasStarted) void this.#sleep(this.#alarm.signal)
  }

  async #sleep(signal: AbortSignal): Promise<void> {
    try {
      const pinned = await this.#pinned().catch(() => [])
      if (signal.aborted) return
      const { clock } = this.#context
      const refreshed = pinned.map((view) => this.#refreshed(view))
      await clock.wait(untilDue(refreshed, clock.now()), signal)
    } catch {
      return
    }
    await this.#wantAll((pinned) => isDue(this.#refreshed(pinned), this.#context.clock.now()))
  }

  #refreshed({ account, view }: ViewOfAccount) {
    const zone = this.#context.accounts.list().find(({ id }) => id === account)?.dayZone ?? 'UTC'
    return { record: this.#record(view.id), zone }
  }
}

/** Failure of the last refresh. A refresh that the user stopped has none, nor has one whose client was closed for a new token or address. */
const failureIn = (record: JobRecord | null): Failure | null =>
  record?.last?.state.kind === 'cancelled' ? null : (record?.failure ?? null)
