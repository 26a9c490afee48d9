import type { RawSummary, RawDone, RawListAnswer, RawListQuery, RawReportAnswer } from '#shared/raw/list.ts'
import { isRunning, lifeOf } from '#shared/raw/list.ts'
import type { Announce } from './announcer.ts'
import type { RawAccounts } from '../list/fetch-list.ts'
import type { Downloads } from '../downloads/downloads.ts'
import type { Settings } from '#main/settings/settings.ts'
import type { Clock } from '#main/lib/async.ts'
import type { AppEvents } from '#main/lib/app-events.ts'
import type { Store } from '#main/database/state/state-store.ts'
import type { Failure } from '#shared/api/failure.ts'
import type { RawListRow } from '#shared/api/answers.ts'
import type { AccountId, Instant, RawReportId } from '#shared/values/ids.ts'
import { withTimeout } from '#main/lib/async.ts'
import { cancelReport, Removals, removeReports } from '../list/removing.ts'
import { listAnswer, reportAnswer } from '../list/answers.ts'
import { Announcer } from './announcer.ts'
import type { Refreshed, Attempt } from './refresh-rounds.ts'
import { Refreshing } from './refresh-rounds.ts'
import { Watcher } from './watcher.ts'

type OfAccount = { readonly account: AccountId }
type OneReport = OfAccount & { readonly report: RawReportId }
type SomeReports = OfAccount & { readonly reports: readonly RawReportId[] }

/** A report that the service has just accepted. */
type AcceptedReport = OneReport & Pick<RawListRow, 'name' | 'type' | 'instance'>

/** Maximum wait for the first polls after a start or sleep, in milliseconds, so that announcements are combined. */
const together = 20_000
/** Age in milliseconds from which a viewed list is fetched again; also the minimum interval between attempts. */
const staleAfter = 30_000
/** Maximum wait for removals when the app closes, in milliseconds. */
const lastWait = 5_000

/** The list of raw reports and its polling. Methods throw `DeskFailure` and `ServiceFailure`. */
export class RawReports {
  readonly #store: Store
  readonly #accounts: RawAccounts
  readonly #events: AppEvents
  readonly #downloads: Pick<Downloads, 'savedState' | 'reportReady'>
  readonly #clock: Clock
  readonly #announcer: Announcer
  readonly #refreshing: Refreshing
  readonly #watcher: Watcher
  readonly #removals: Removals
  readonly #cancelling = new Map<string, Promise<RawDone>>()
  readonly #followed: readonly (() => void)[]
  #begun = false

  constructor(
    store: Store,
    accounts: RawAccounts,
    settings: Pick<Settings, 'read' | 'downloadFolder'>,
    events: AppEvents,
    downloads: Pick<Downloads, 'savedState' | 'reportReady'>,
    announce: Announce,
    folder: string,
    clock: Clock,
    random: () => number = Math.random,
  ) {
    this.#store = store
    this.#accounts = accounts
    this.#events = events
    this.#downloads = downloads
    this.#clock = clock
    this.#announcer = new Announcer(store, accounts, settings, downloads, announce, folder, clock)
    this.#refreshing = new Refreshing(
      store,
      accounts,
      downloads,
      clock,
      (account, attempt) => void this.#ended(account, attempt),
    )
    this.#watcher = new Watcher(store, downloads, clock, random, this.#refreshing)
    this.#removals = new Removals(
      clock,
      (account, reports) => this.#sendRemoval(account, reports),
      (account) => this.#changed(account),
    )
    this.#followed = [
      events.on('account/activated', ({ account }) => {
        if (account !== null) void this.#pollWatched(account).catch(() => undefined)
      }),
      events.on('account/renewed', ({ account }) => void this.#renewed(account).catch(() => undefined)),
      events.on('account/removed', ({ account }) => {
        this.#removals.forget(account)
        this.#watcher.forget(account)
        void this.#refreshing.forget(account)
      }),
    ]
  }

  /** A page of the stored list. `force` fetches the list again; `raw/changed` follows. */
  readonly list: (
    request: OfAccount & { readonly query: RawListQuery; readonly force: boolean },
  ) => Promise<RawListAnswer> = async ({ account, query, force }) => {
    this.#accounts.account(account)
    if (force || this.#isDue(account)) void this.#watcher.poll(account)
    const state = () => ({
      refreshing: this.#refreshing.isRunning(account),
      failure: this.#refreshing.failureOf(account),
      unreadable: this.#refreshing.unreadableOf(account),
      lack: this.#refreshing.lackOf(account),
    })
    const answer = await listAnswer(this.#store, this.#downloads, this.#removals, account, query, state)
    void this.#noteShown(account).catch(() => undefined)
    return answer
  }

  readonly report: (request: OneReport & { readonly force: boolean }) => Promise<RawReportAnswer> = async (
    request,
  ) => {
    const answer = await reportAnswer(
      this.#store,
      this.#accounts,
      this.#downloads,
      this.#clock,
      this.#removals,
      request,
    )
    const { report, listed } = answer
    // The stored list still shows the report as running; a new list announces its end.
    const isNews = isRunning(listed.life.state) && !isRunning(lifeOf(report).state)
    if (isNews) void this.#watcher.poll(request.account)
    return answer
  }

  /** A report's row in the stored list; null if absent. */
  readonly known: (account: AccountId, report: RawReportId) => Promise<RawListRow | null> = async (
    account,
    report,
  ) => {
    const stored = await this.#store.run('raw-reports/read', { account, report })
    return stored?.listed === true ? stored.row : null
  }

  readonly cancel: (request: OneReport) => Promise<RawDone> = async (request) => {
    this.#accounts.account(request.account)
    return await this.#cancelOnce(request)
  }

  /** Removes reports after the undo period; `raw/removed` reports the outcome. */
  readonly remove: (request: SomeReports) => void = ({ account, reports }) =>
    this.#removals.remove(account, reports)
  readonly undoRemove: (request: SomeReports) => readonly RawReportId[] = ({ account, reports }) =>
    this.#removals.undo(account, reports)

  /** Adds a newly accepted report and polls it. */
  readonly accepted: (report: AcceptedReport) => Promise<void> = async ({
    account,
    report,
    name,
    type,
    instance,
  }) => {
    this.#refreshing.changed(account)
    const now = this.#clock.now() as Instant
    const never = { created: null, failed: null, timed_out: null, cancelled: null, expires: null }
    const requested = new Date(now).toISOString()
    const row = {
      ...{ id: report, name, type, instance, requested, status: 'In Progress' },
      ...{ ...never, unknown: {} },
    }
    await this.#store.run('raw-reports/expect', { account, row, firstSeen: now })
    this.#changed(account)
    void this.#watcher.poll(account)
  }

  /** Fetches a list that includes all earlier requests to the service, after a lost response. */
  readonly fresh: (account: AccountId) => Promise<Refreshed> = (account) => this.#refreshing.fresh(account)

  readonly summary: () => Promise<RawSummary> = async () => {
    const summary = await this.#store.run('raw-announcements/summary', undefined)
    const running = summary.running.filter(
      ({ account }) => this.#isWatched(account) || this.#refreshing.hasStored(account),
    )
    return { ...summary, running }
  }

  /** Failure of the last fetch of the list; null if it succeeded, undefined before the first. */
  readonly lastFailure: (account: AccountId) => Failure | null | undefined = (account) =>
    this.#refreshing.triedAt(account) === null ? undefined : this.#refreshing.failureOf(account)

  /** Starts polling, and announces changes since the last session. */
  readonly start: () => void = () => {
    this.#begun = true
    const accounts = this.#accounts.list().map(({ id }) => id)
    const watched = accounts.filter((account) => this.#isWatched(account))
    const polls = watched.map((account) => this.#watcher.poll(account))
    void this.#announcer.hold(Promise.all(polls), together)
  }

  /** Polls again after the computer woke up, came online, or the service is back. */
  readonly retryNow: () => void = () => {
    if (this.#begun) void this.#announcer.hold(this.#watcher.pollAll(), together)
  }

  /** Polls the list of one account after its service responds again. */
  readonly wake: (account: AccountId) => void = (account) => {
    if (this.#begun) void this.#announcer.hold(this.#watcher.wake(account), together)
  }

  /** Pauses or resumes automatic polling at the user's request. Viewed lists are still fetched. */
  readonly pause: (paused: boolean) => void = (paused) => this.#watcher.pause(paused)
  /** Shows pending announcements after a change of settings or when the desktop accepts them again. */
  readonly announceAgain: () => void = () => void this.#announcer.flush()

  readonly stop: () => Promise<void> = async () => {
    for (const stop of this.#followed) stop()
    const limit = { milliseconds: lastWait, clock: this.#clock }
    await withTimeout(limit, () => this.#removals.close()).catch(() => undefined)
    this.#watcher.stop()
    await this.#refreshing.stop()
    await this.#announcer.stop()
  }

  #changed(account: AccountId): void {
    this.#events.emit({ kind: 'raw/changed', account })
    this.#events.emit({ kind: 'raw/list-stored', account })
  }

  async #ended(account: AccountId, attempt: Attempt): Promise<void> {
    await this.#watcher.ended(account, attempt)
    this.#changed(account)
    await this.#announcer.flush()
  }

  async #sendRemoval(account: AccountId, reports: readonly RawReportId[]): Promise<void> {
    const removing = removeReports(this.#store, this.#accounts, this.#clock, this.#refreshing, {
      account,
      reports,
    })
    const done = await removing.catch(() => null)
    // Null after a store failure: nothing was sent.
    if (done) this.#events.emit({ kind: 'raw/removed', account, ...done })
    this.#changed(account)
    void this.#watcher.poll(account)
  }

  /** Joins a running cancellation of the same report. */
  #cancelOnce({ account, report }: OneReport): Promise<RawDone> {
    const key = JSON.stringify([account, report])
    const running =
      this.#cancelling.get(key) ??
      cancelReport(this.#store, this.#accounts, this.#refreshing, { account, report }).finally(() => {
        this.#cancelling.delete(key)
        void this.#watcher.poll(account)
      })
    this.#cancelling.set(key, running)
    return running
  }

  /** Whether a viewed list is due for a fetch, at a limited rate after failures. */
  #isDue(account: AccountId): boolean {
    const triedAt = this.#refreshing.triedAt(account)
    return triedAt === null || Math.abs(this.#clock.now() - triedAt) > staleAfter
  }

  async #noteShown(account: AccountId): Promise<void> {
    if (await this.#store.run('raw-announcements/look', { account })) this.#changed(account)
  }

  async #pollWatched(account: AccountId): Promise<void> {
    if (this.#begun && this.#isWatched(account)) await this.#watcher.poll(account)
  }

  async #renewed(account: AccountId): Promise<void> {
    this.#refreshing.renewed(account)
    try {
      await this.#store.run('raw-reports/begin-anew', { account })
    } finally {
      // Polled even if the store fails.
      await this.#pollWatched(account)
    }
  }

  /** Excludes accounts without a token, and samples, whose sandbox starts only on request. */
  #isWatched(account: AccountId): boolean {
    return this.#accounts
      .list()
      .some(
        ({ id, kind, tokenPlace = 'keychain' }) =>
          id === account && kind === 'service' && !['absent', 'elsewhere'].includes(tokenPlace),
      )
  }
}
