import type { RawSummary, RawDone, RawListAnswer, RawListQuery, RawReportAnswer } from '#shared/raw/list.ts'
import { isRunning, lifeOf } from '#shared/raw/list.ts'
import type { RawContext } from '../raw-context.ts'
import type { Handlers } from '#main/lib/module.ts'
import type { Failure } from '#shared/api/failure.ts'
import type { RawListRow } from '#shared/api/answers.ts'
import { instantOf } from '#shared/values/ids.ts'
import type { AccountId, RawReportId } from '#shared/values/ids.ts'
import { withTimeout } from '#main/lib/async.ts'
import { PendingRemovals } from '../list/pending-removals.ts'
import { ReportCommands } from '../list/report-commands.ts'
import { ReportAnswers } from '../list/report-answers.ts'
import { ReportAnnouncer } from './report-announcer.ts'
import type { Refreshed, Attempt } from './list-refresher.ts'
import { ListRefresher } from './list-refresher.ts'
import { Watcher } from './watcher.ts'

type OfAccount = { readonly account: AccountId }
type OneReport = OfAccount & { readonly report: RawReportId }
type SomeReports = OfAccount & { readonly reports: readonly RawReportId[] }
type ListRequest = OfAccount & { readonly query: RawListQuery; readonly force: boolean }

/** A report that the service has just accepted. */
export type AcceptedReport = OneReport & Pick<RawListRow, 'name' | 'type' | 'instance'>

/** Maximum wait for the first polls after a start or sleep, in milliseconds, so that announcements are combined. */
const together = 20_000
/** Age in milliseconds from which a viewed list is fetched again; also the minimum interval between attempts. */
const staleAfter = 30_000
/** Maximum wait for removals when the app closes, in milliseconds. */
const lastWait = 5_000

/** The list of raw reports and its polling. Methods throw `DeskFailure` and `ServiceFailure`. */
export class RawReports {
  readonly #context: RawContext
  readonly #announcer: ReportAnnouncer
  readonly #refresher: ListRefresher
  readonly #watcher: Watcher
  readonly #removals: PendingRemovals
  readonly #actions: ReportCommands
  readonly #answers: ReportAnswers
  readonly #cancelling = new Map<string, Promise<RawDone>>()
  readonly #followed: readonly (() => void)[]
  #hasStarted = false

  constructor(context: RawContext) {
    this.#context = context
    const { events, clock } = context
    this.#announcer = new ReportAnnouncer(context)
    this.#refresher = new ListRefresher(context, (account, attempt) => void this.#ended(account, attempt))
    this.#watcher = new Watcher(context, this.#refresher)
    this.#removals = new PendingRemovals(
      clock,
      (account, reports) => this.#sendRemoval(account, reports),
      (account) => this.#changed(account),
    )
    this.#actions = new ReportCommands(context, this.#refresher)
    this.#answers = new ReportAnswers(context, this.#refresher, this.#removals)
    this.#followed = [
      events.on('account/activated', ({ account }) => {
        if (account !== null) void this.#pollWatched(account).catch(() => undefined)
      }),
      events.on('account/renewed', ({ account }) => void this.#renewed(account).catch(() => undefined)),
      events.on('account/removed', ({ account }) => {
        this.#removals.forget(account)
        this.#watcher.forget(account)
        void this.#refresher.forget(account)
      }),
    ]
  }

  get handlers() {
    return {
      'raw/list': (request) => this.list(request),
      'raw/report': (request) => this.report(request),
      'raw/cancel': (request) => this.cancel(request),
      'raw/remove': (request) => {
        this.remove(request)
        return null
      },
      'raw/undo-remove': (request) => this.undoRemove(request),
    } satisfies Partial<Handlers>
  }

  /** A page of the stored list. `force` fetches the list again; `raw/changed` follows. */
  async list({ account, query, force }: ListRequest): Promise<RawListAnswer> {
    this.#context.accounts.account(account)
    if (force || this.#isDue(account)) void this.#watcher.poll(account)
    const answer = await this.#answers.list(account, query)
    void this.#noteShown(account).catch(() => undefined)
    return answer
  }

  async report(request: OneReport & { readonly force: boolean }): Promise<RawReportAnswer> {
    const answer = await this.#answers.report(request)
    const { report, listed } = answer
    // The stored list still shows the report as running; a new list announces its end.
    const isNews = isRunning(listed.life.state) && !isRunning(lifeOf(report).state)
    if (isNews) void this.#watcher.poll(request.account)
    return answer
  }

  /** A report's row in the stored list; null if absent. */
  async known(account: AccountId, report: RawReportId): Promise<RawListRow | null> {
    const stored = await this.#context.store.run('raw-reports/read', { account, report })
    return stored?.listed === true ? stored.row : null
  }

  async cancel(request: OneReport): Promise<RawDone> {
    this.#context.accounts.account(request.account)
    return await this.#cancelOnce(request)
  }

  /** Removes reports after the undo period; `raw/removed` reports the outcome. */
  remove({ account, reports }: SomeReports): void {
    this.#removals.remove(account, reports)
  }

  undoRemove({ account, reports }: SomeReports): readonly RawReportId[] {
    return this.#removals.undo(account, reports)
  }

  /** Adds a newly accepted report and polls it. */
  async accepted({ account, report, name, type, instance }: AcceptedReport): Promise<void> {
    this.#refresher.changed(account)
    const now = instantOf(this.#context.clock.now())
    const never = { created: null, failed: null, timed_out: null, cancelled: null, expires: null }
    const requested = new Date(now).toISOString()
    const row = {
      ...{ id: report, name, type, instance, requested, status: 'In Progress' },
      ...{ ...never, unknown: {} },
    }
    await this.#context.store.run('raw-reports/expect', { account, row, firstSeen: now })
    this.#changed(account)
    void this.#watcher.poll(account)
  }

  /** Fetches a list that includes all earlier requests to the service, after a lost response. */
  fresh(account: AccountId): Promise<Refreshed> {
    return this.#refresher.fresh(account)
  }

  async summary(): Promise<RawSummary> {
    const summary = await this.#context.store.run('raw-announcements/summary', undefined)
    const running = summary.running.filter(
      ({ account }) => this.#isWatched(account) || this.#refresher.hasStored(account),
    )
    return { ...summary, running }
  }

  /** Failure of the last fetch of the list; null if it succeeded, undefined before the first. */
  lastFailure(account: AccountId): Failure | null | undefined {
    return this.#refresher.triedAt(account) === null ? undefined : this.#refresher.failureOf(account)
  }

  /** Starts polling, and announces changes since the last session. */
  start(): void {
    this.#hasStarted = true
    const accounts = this.#context.accounts.list().map(({ id }) => id)
    const watched = accounts.filter((account) => this.#isWatched(account))
    const polls = watched.map((account) => this.#watcher.poll(account))
    void this.#announcer.hold(Promise.all(polls), together)
  }

  /** Polls again after the computer woke up, came online, or the service is back. */
  retryNow(): void {
    if (this.#hasStarted) void this.#announcer.hold(this.#watcher.pollAll(), together)
  }

  /** Polls the list of one account after its service responds again. */
  wake(account: AccountId): void {
    if (this.#hasStarted) void this.#announcer.hold(this.#watcher.wake(account), together)
  }

  /** Pauses or resumes automatic polling at the user's request. Viewed lists are still fetched. */
  pause(paused: boolean): void {
    this.#watcher.pause(paused)
  }

  /** Shows pending announcements after a change of settings or when the desktop accepts them again. */
  announceAgain(): void {
    void this.#announcer.flush()
  }

  async stop(): Promise<void> {
    for (const stop of this.#followed) stop()
    const limit = { milliseconds: lastWait, clock: this.#context.clock }
    await withTimeout(limit, () => this.#removals.close()).catch(() => undefined)
    this.#watcher.stop()
    await this.#refresher.stop()
    await this.#announcer.stop()
  }

  #changed(account: AccountId): void {
    this.#context.events.emit({ kind: 'raw/changed', account })
    this.#context.events.emit({ kind: 'raw/list-stored', account })
  }

  async #ended(account: AccountId, attempt: Attempt): Promise<void> {
    await this.#watcher.ended(account, attempt)
    this.#changed(account)
    await this.#announcer.flush()
  }

  async #sendRemoval(account: AccountId, reports: readonly RawReportId[]): Promise<void> {
    const done = await this.#actions.remove({ account, reports }).catch(() => null)
    // Null after a store failure: nothing was sent.
    if (done) this.#context.events.emit({ kind: 'raw/removed', account, ...done })
    this.#changed(account)
    void this.#watcher.poll(account)
  }

  /** Joins a running cancellation of the same report. */
  #cancelOnce({ account, report }: OneReport): Promise<RawDone> {
    const key = JSON.stringify([account, report])
    const running =
      this.#cancelling.get(key) ??
      this.#actions.cancel({ account, report }).finally(() => {
        this.#cancelling.delete(key)
        void this.#watcher.poll(account)
      })
    this.#cancelling.set(key, running)
    return running
  }

  /** Whether a viewed list is due for a fetch, at a limited rate after failures. */
  #isDue(account: AccountId): boolean {
    const triedAt = this.#refresher.triedAt(account)
    return triedAt === null || Math.abs(this.#context.clock.now() - triedAt) > staleAfter
  }

  async #noteShown(account: AccountId): Promise<void> {
    if (await this.#context.store.run('raw-announcements/look', { account })) this.#changed(account)
  }

  async #pollWatched(account: AccountId): Promise<void> {
    if (this.#hasStarted && this.#isWatched(account)) await this.#watcher.poll(account)
  }

  async #renewed(account: AccountId): Promise<void> {
    this.#refresher.renewed(account)
    try {
      await this.#context.store.run('raw-reports/begin-anew', { account })
    } finally {
      // Polled even if the store fails.
      await this.#pollWatched(account)
    }
  }

  /** Excludes accounts without a token, and samples, whose sandbox starts only on request. */
  #isWatched(account: AccountId): boolean {
    return this.#context.accounts
      .list()
      .some(
        ({ id, kind, tokenPlace = 'keychain' }) =>
          id === account && kind === 'service' && !['absent', 'elsewhere'].includes(tokenPlace),
      )
  }
}
