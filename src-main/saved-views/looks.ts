import { isLive } from '#shared/accounts/account.ts'
import { failureOf } from '#shared/api/failure.ts'
import type { Failure } from '#shared/api/failure.ts'
import { failureMeanings } from '#shared/api/failure-meanings.ts'
import type { JobProgress } from '#shared/app/jobs.ts'
import { maxLookRequests, usualSettings } from '#shared/app/settings.ts'
import { nameOf } from '#shared/reports/query.ts'
import type { ReportQuery } from '#shared/reports/query.ts'
import { lengthOf, dayAt } from '#shared/values/day.ts'
import type { Day } from '#shared/values/day.ts'
import { instantOf } from '#shared/values/ids.ts'
import type { AccountId, DataScopeId } from '#shared/values/ids.ts'
import type { StoredLook } from '#main/database/cache/looks-repository.ts'
import { Timer, withSignal } from '#main/lib/async.ts'
import type { JobContext } from '#main/lib/jobs.ts'
import { Lane } from '#main/lib/lanes.ts'
import { pauseAfter } from '#main/lib/retry.ts'
import { tableBeyondRow } from '#main/reports/resolver/saved-elsewhere.ts'
import type { PinnedViews } from './pinned.ts'
import { lookAddress, queriesOfLook } from './view-queries.ts'
import type { ViewsContext } from './views-context.ts'

/** Minimum time on screen in milliseconds: of ten filters clicked in a row, only the last is saved. */
const dwell = 3_000
/** Age in ms at which unsettled days are fetched again for another look, as for pinned views. */
const staleAfter = 3_600_000
/** Share of the disk limit up to which looks are saved: they must not displace anything else. */
const mostOfLimit = 0.9
const MEGABYTE = 1_000_000
/** Retry delay in ms while figures are awaited, a pinned view is refreshed, or a raw report is requested. */
const passes = 5_000
/** Retry delay in ms for a state that ends with an event. */
const lasts = 3_600_000

/** Whether saving pauses after a failure: of the service, the disk or the app. A service that is offline announces its return. */
const needsRest = ({ kind }: Failure): boolean =>
  [null, 'doubtful'].includes(failureMeanings[kind].connection)

type Look = StoredLook & { readonly account: AccountId }
type Rest = { readonly failures: number; readonly from: number }

/**
 * Saves the days of viewed tables one by one, so that any part of them can be read offline. Runs after all requests of the user, one table
 * at a time, and only while the service is online. Fresh saved days cause no request.
 */
export class Looks {
  readonly #context: ViewsContext
  readonly #pinned: PinnedViews
  readonly #turns = new Lane()
  readonly #alarm: Timer
  readonly #followed: readonly (() => void)[]
  /** The view on screen. `leaving` aborts the wait until the view counts. */
  #shownView: {
    readonly address: string
    readonly account: AccountId
    readonly leaving: AbortController
  } | null = null
  #running = new AbortController()
  /** Account of the current or last save. */
  #savingFor: AccountId | null = null
  readonly #backOffs = new Map<AccountId, Rest>()
  readonly #spentOn = new Map<AccountId, Day>()
  /** Accounts with a raw request that is not finished. */
  readonly #rawWaits = new Set<AccountId>()
  /** Whether looks may be left. If not, the store is not read. */
  #anyLeft = true
  #isOn = usualSettings.savesLooks
  #hasStarted = false
  #paused = false
  #stopped = false

  constructor(context: ViewsContext, pinned: PinnedViews) {
    this.#context = context
    this.#pinned = pinned
    this.#alarm = new Timer(context.clock, () => this.wake())
    this.#followed = this.#follow()
  }

  #follow(): readonly (() => void)[] {
    const { events, accounts, store } = this.#context
    return [
      events.on('account/activated', () => {
        if (this.#shownView) this.look(this.#shownView.address)
      }),
      events.on('account/renewed', ({ account }) => this.#forgive(account)),
      events.on('account/other-data-scope', ({ account }) => this.#forgive(account)),
      events.on('figures/removed', ({ account }) => {
        const dataScope = accounts.dataScopeOf(account)
        void store.run('looks/forget', dataScope).catch(() => null)
      }),
      events.on('connection/changed', ({ connection }) => {
        if (connection.kind === 'online') this.wake()
      }),
      // Looks of other accounts continue.
      events.on('service/rests', ({ account, until }) => {
        if (until !== null && account === this.#savingFor) this.#running.abort()
      }),
      events.on('raw/changed', ({ account }) => {
        if (this.#anyLeft) void this.#noteRaw(account).then(() => this.wake())
      }),
      events.on('settings/changed', ({ settings, changed }) => {
        if (changed.includes('savesLooks')) this.#switch(settings.savesLooks)
        if (changed.includes('storageLimit')) this.wake()
      }),
    ]
  }

  /** Called when a window shows a view of the active account. A view counts after a minimum time. */
  look(address: string): void {
    const account = this.#context.accounts.active()
    const view = lookAddress(address)
    if (this.#stopped || account === null) return
    if (this.#shownView?.account === account && lookAddress(this.#shownView.address) === view) return
    this.#shownView?.leaving.abort()
    const leaving = new AbortController()
    this.#shownView = { address, account, leaving }
    if (view !== null) void this.#lookFor(account, view, leaving.signal)
  }

  /** Starts saving looks, including those of earlier sessions. */
  start(): void {
    this.#hasStarted = true
    void this.#context.settings.read().then(
      ({ savesLooks }) => this.#switch(savesLooks),
      () => undefined,
    )
  }

  /** Called when an obstacle may be gone. */
  wake(): void {
    if (this.#mayWork() && this.#anyLeft) void this.#turns.join(() => this.#work()).catch(() => undefined)
  }

  pause(paused: boolean): void {
    this.#paused = paused
    if (paused) this.#alarm.stop()
    else this.wake()
  }

  /** Stops at once. The next start continues with the remaining looks. */
  stop(): void {
    this.#stopped = true
    for (const stop of this.#followed) stop()
    this.#shownView?.leaving.abort()
    this.#alarm.stop()
    this.#running.abort()
  }

  #mayWork(): boolean {
    return this.#hasStarted && this.#isOn && !this.#paused && !this.#stopped
  }

  #switch(isOn: boolean): void {
    this.#isOn = isOn
    if (isOn) return this.wake()
    this.#running.abort()
    this.#alarm.stop()
    void this.#context.store.run('looks/forget-all', undefined).catch(() => null)
  }

  #forgive(account: AccountId): void {
    this.#backOffs.delete(account)
    this.#anyLeft = true
    this.wake()
  }

  async #lookFor(account: AccountId, address: string, leaving: AbortSignal): Promise<void> {
    try {
      const { accounts, clock, store } = this.#context
      await clock.wait(dwell, leaving)
      const profile = accounts.account(account)
      if (!this.#isOn || !isLive(profile) || queriesOfLook(address, this.#today(account)).length === 0) return
      const seenAt = instantOf(clock.now())
      // oxlint-disable-next-line desk/scope-writes -- A look has no figures: its days are saved for the scope of now.
      await store.run('looks/put', { dataScope: accounts.dataScopeOf(account), address, seenAt })
      this.#anyLeft = true
      this.wake()
    } catch {
      // The view was left, its account is gone, or the store failed: the next look retries.
    }
  }

  /** Saves the looks that can be saved now, and sets the alarm for the others. */
  async #work(): Promise<void> {
    this.#alarm.stop()
    while (this.#mayWork()) {
      const looks = await this.#looks()
      this.#anyLeft = looks.length > 0
      const waiting = new Set(looks.map(({ account }) => account))
      await Promise.all([...waiting].map((account) => this.#noteRaw(account)))
      const free = looks.map(({ account }) => this.#freeAt(account))
      const now = this.#context.clock.now()
      const next = looks[free.findIndex((time) => time <= now)]
      if (next) await this.#save(next)
      else return this.#anyLeft && this.#mayWork() ? this.#alarm.set(free) : undefined
    }
  }

  /** Looks of existing accounts, in their current data scope. */
  async #looks(): Promise<readonly Look[]> {
    const { accounts, store } = this.#context
    const stored = await store.run('looks/list', undefined)
    if (stored.length === 0) return []
    const byScope = new Map(accounts.list().map(({ id }) => [accounts.dataScopeOf(id), id] as const))
    return stored.flatMap((look) => {
      const account = byScope.get(look.dataScope)
      return account === undefined ? [] : [{ ...look, account }]
    })
  }

  /** Time from which an account may be used, as far as known, in ms since 1970. */
  #freeAt(account: AccountId): number {
    const { clock, reports } = this.#context
    const now = clock.now()
    if (reports.connection(account).kind !== 'online') return now + lasts
    if (this.#spentOn.get(account) === this.#today(account)) return now + lasts
    const { failures, from } = this.#backOffs.get(account) ?? { failures: 0, from: now }
    const until = from + pauseAfter('looks', failures)
    // A pause that begins in the future is ignored: the clock was set back.
    if (from <= now && now < until) return until
    const isBusy = reports.isAwaited() || this.#pinned.isRunning || this.#rawWaits.has(account)
    return isBusy ? now + passes : now
  }

  /** Raw requests that need a decision of the user block nothing. */
  async #noteRaw(account: AccountId): Promise<void> {
    const open = await this.#context.store.run('raw-requests/open', account).catch(() => [])
    const waits = open.some(({ state: { kind } }) => ['waiting', 'sending', 'looking'].includes(kind))
    if (waits) this.#rawWaits.add(account)
    else this.#rawWaits.delete(account)
  }

  async #save(look: Look): Promise<void> {
    const { account, dataScope, address } = look
    const today = this.#today(account)
    const staleBefore = this.#context.clock.now() - staleAfter
    const due = await this.#due(account, queriesOfLook(address, today), staleBefore)
    const [first] = due
    if (first === undefined) return await this.#done(look)
    const spent = await this.#context.store.run('looks/requests', { dataScope, day: today })
    if (spent >= maxLookRequests) return void this.#spentOn.set(account, today)
    if (!(await this.#hasRoom())) return this.#backOff(account)
    const left = maxLookRequests - spent
    const saving = { ...{ account, dataScope, today, staleBefore, left }, ended: false, isCancelled: false }
    const title = address.startsWith('#/overview') ? 'Overview' : nameOf(first)
    const order = { kind: 'look', account, subject: null, title, unit: 'days', passing: true } as const
    this.#running = new AbortController()
    this.#savingFor = account
    const run = (context: JobContext) => this.#saveAll(due, saving, context)
    try {
      await this.#context.jobs.finish({ ...order, run }, this.#running.signal)
      this.#backOffs.delete(account)
      if (!saving.ended) await this.#done(look)
    } catch (error) {
      if (this.#running.signal.aborted) return
      // The user cancelled the job: the look is dropped.
      if (saving.isCancelled) await this.#done(look)
      else if (needsRest(failureOf(error))) this.#backOff(account)
    }
  }

  /** Queries with days to fetch. A row needs no query if its table is saved. */
  async #due(
    account: AccountId,
    queries: readonly ReportQuery[],
    staleBefore: number,
  ): Promise<readonly ReportQuery[]> {
    const { reports } = this.#context
    const due: ReportQuery[] = []
    for (const query of queries) {
      const table = tableBeyondRow(query)
      const isCovered = table !== null && (await reports.due(account, table, staleBefore)) === 0
      if (!isCovered && (await reports.due(account, query, staleBefore)) > 0) due.push(query)
    }
    return due
  }

  async #saveAll(queries: readonly ReportQuery[], saving: Saving, context: JobContext): Promise<void> {
    // A pause aborts an attempt by the same signal as a cancellation.
    saving.isCancelled = false
    const total = queries.reduce((sum, { range }) => sum + lengthOf(range), 0)
    let before = 0
    const progressAt = (done: number): JobProgress => ({ done: before + done, total, unit: 'days' })
    for (const query of queries) {
      if (saving.ended) return
      const progress = (done: number) => context.progress(progressAt(done))
      await this.#saveOne(query, saving, { ...context, progress })
      before += lengthOf(query.range)
    }
  }

  async #saveOne(
    query: ReportQuery,
    saving: Saving,
    { signal, progress }: { readonly signal: AbortSignal; readonly progress: (done: number) => void },
  ): Promise<void> {
    const { account, staleBefore } = saving
    const behind = { staleBefore, requested: (requests: number) => this.#count(saving, requests) }
    try {
      const { reports } = this.#context
      await withSignal(signal, () => reports.storeWhole({ account, query, signal, behind, progress }))
    } catch (error) {
      saving.isCancelled = signal.aborted
      // The service rejects the query: it is not repeated, and the other tables are saved.
      if (failureMeanings[failureOf(error).kind].connection !== 'online') throw error
    }
  }

  /** Counts requests. @returns whether another request is allowed */
  #count(saving: Saving, requests: number): boolean {
    const { account, dataScope, today } = saving
    saving.left -= requests
    void this.#context.store
      .run('looks/count-requests', { dataScope, day: today, requests })
      .catch(() => null)
    if (saving.left <= 0) this.#spentOn.set(account, today)
    saving.ended ||= !this.#mayWork() || this.#freeAt(account) > this.#context.clock.now()
    return !saving.ended
  }

  /** Whether there is space for looks within the disk limit. */
  async #hasRoom(): Promise<boolean> {
    const { reports, settings } = this.#context
    const [{ bytes }, { storageLimit }] = await Promise.all([reports.storedSize(), settings.read()])
    return bytes < storageLimit * MEGABYTE * mostOfLimit
  }

  async #done(look: Look): Promise<void> {
    // Without the pause, a failing store would be called again at once, forever.
    await this.#context.store.run('looks/remove', look).catch(() => this.#backOff(look.account))
  }

  #backOff(account: AccountId): void {
    const failures = (this.#backOffs.get(account)?.failures ?? 0) + 1
    this.#backOffs.set(account, { failures, from: this.#context.clock.now() })
  }

  #today(account: AccountId): Day {
    const { clock, accounts } = this.#context
    return dayAt(clock.now(), accounts.account(account).dayZone)
  }
}

/** State of a save: requests left for the day, and whether it ended early. */
type Saving = {
  readonly account: AccountId
  readonly dataScope: DataScopeId
  readonly today: Day
  readonly staleBefore: number
  left: number
  ended: boolean
  /** Whether the user cancelled the save. */
  isCancelled: boolean
}
