import { isLive } from '#shared/accounts/account.ts'
import { failureOf } from '#shared/api/failure.ts'
import type { JobProgress } from '#shared/app/jobs.ts'
import { maxLookRequests, usualSettings } from '#shared/app/settings.ts'
import { nameOf } from '#shared/reports/query.ts'
import type { ReportQuery } from '#shared/reports/query.ts'
import { lengthOf, dayAt } from '#shared/values/day.ts'
import type { Day } from '#shared/values/day.ts'
import type { AccountId, DataScopeId, Instant } from '#shared/values/ids.ts'
import type { AccountStore } from '#main/accounts/account-store.ts'
import type { Store as CacheStore } from '#main/database/cache/cache-store.ts'
import type { StoredLook } from '#main/database/cache/looks-repository.ts'
import type { Store } from '#main/database/state/state-store.ts'
import type { AppEvents } from '#main/lib/app-events.ts'
import { Timer, withSignal } from '#main/lib/async.ts'
import type { Clock } from '#main/lib/async.ts'
import type { JobContext, Jobs } from '#main/lib/jobs.ts'
import { Lane } from '#main/lib/lanes.ts'
import { pauseAfter } from '#main/lib/retry.ts'
import { meaningOf } from '#main/reports/connection/connection.ts'
import type { Reports } from '#main/reports/figures.ts'
import { tableBeyondRow } from '#main/reports/resolver/saved-elsewhere.ts'
import type { Settings } from '#main/settings/settings.ts'
import { lookAddress, queriesOfLook } from './view-queries.ts'

/** Who stays no longer has not looked, in milliseconds: clicking through ten filters saves one. */
const dwell = 3_000
/** Days that are not settled are fetched again for another look, and no more often than pinned ones. In milliseconds. */
const staleAfter = 3_600_000
/** Of the limit of the disk, so much may be full: what was looked at pushes nothing out. */
const mostOfLimit = 0.9
const MEGABYTE = 1_000_000
/** Somebody waits for figures, a pinned view is renewed, or a raw report is asked for: it is over soon. In milliseconds. */
const passes = 5_000
/** What ends by an event is looked at again by then. In milliseconds. */
const lasts = 3_600_000

/** The service stumbled, or the disk or this app did: one that is away says itself when it is back. */
const meaningsOfRest: ReadonlySet<ReturnType<typeof meaningOf>> = new Set(['doubtful', 'nothing'])

type Look = StoredLook & { readonly account: AccountId }
type Rest = { readonly failures: number; readonly from: number }

/**
 * Saves the days of what was looked at one by one, so that any part of them can be read offline: behind everything that
 * somebody asked for, one table at a time, and while the service answers well alone. What is saved and fresh costs nothing.
 */
export class Looks {
  readonly #store: Pick<Store, 'run'> & Pick<CacheStore, 'run'>
  readonly #accounts: Pick<AccountStore, 'account' | 'list' | 'active' | 'dataScopeOf'>
  readonly #reports: Pick<Reports, 'storeWhole' | 'due' | 'storedSize' | 'connection' | 'isAwaited'>
  readonly #settings: Pick<Settings, 'read'>
  readonly #jobs: Jobs
  readonly #clock: Clock
  /** Whether pinned views are being renewed. */
  readonly #othersRun: () => boolean
  readonly #turns = new Lane()
  readonly #alarm: Timer
  readonly #followed: readonly (() => void)[]
  /** What is on screen, and how it is given up before it counts. */
  #shown: {
    readonly address: string
    readonly account: AccountId
    readonly leaving: AbortController
  } | null = null
  #running = new AbortController()
  /** Whose look is being saved, or was last. */
  #savingFor: AccountId | null = null
  readonly #rests = new Map<AccountId, Rest>()
  readonly #spentOn = new Map<AccountId, Day>()
  /** Accounts of which a raw report waits to be made. */
  readonly #rawWaits = new Set<AccountId>()
  /** Whether any look may be left: where none is, nothing is read. */
  #anyLeft = true
  #isOn = usualSettings.savesLooks
  #begun = false
  #paused = false
  #stopped = false

  constructor(
    store: Pick<Store, 'run'> & Pick<CacheStore, 'run'>,
    accounts: Pick<AccountStore, 'account' | 'list' | 'active' | 'dataScopeOf'>,
    reports: Pick<Reports, 'storeWhole' | 'due' | 'storedSize' | 'connection' | 'isAwaited'>,
    settings: Pick<Settings, 'read'>,
    events: AppEvents,
    jobs: Jobs,
    clock: Clock,
    othersRun: () => boolean,
  ) {
    this.#store = store
    this.#accounts = accounts
    this.#reports = reports
    this.#settings = settings
    this.#jobs = jobs
    this.#clock = clock
    this.#othersRun = othersRun
    this.#alarm = new Timer(clock, () => this.wake())
    this.#followed = this.#follow(events)
  }

  #follow(events: AppEvents): readonly (() => void)[] {
    return [
      events.on('account/activated', () => {
        if (this.#shown) this.look(this.#shown.address)
      }),
      events.on('account/renewed', ({ account }) => this.#forgive(account)),
      events.on('account/other-owner', ({ account }) => this.#forgive(account)),
      events.on('figures/removed', ({ account }) => {
        const owner = this.#accounts.dataScopeOf(account)
        void this.#store.run('looks/forget', owner).catch(() => null)
      }),
      events.on('connection/changed', ({ connection }) => {
        if (connection.kind === 'online') this.wake()
      }),
      // Looks of other accounts go on meanwhile.
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

  /** A window shows a view of the active account. It was looked at once it has stayed for a while. */
  look(address: string): void {
    const account = this.#accounts.active()
    const view = lookAddress(address)
    if (this.#stopped || account === null) return
    if (this.#shown?.account === account && lookAddress(this.#shown.address) === view) return
    this.#shown?.leaving.abort()
    const leaving = new AbortController()
    this.#shown = { address, account, leaving }
    if (view !== null) void this.#lookFor(account, view, leaving.signal)
  }

  /** Saves from now on what was looked at, also before this start. */
  start(): void {
    this.#begun = true
    void this.#settings.read().then(
      ({ savesLooks }) => this.#switch(savesLooks),
      () => undefined,
    )
  }

  /** What was in the way may be over. */
  wake(): void {
    if (this.#mayWork() && this.#anyLeft) void this.#turns.join(() => this.#work()).catch(() => undefined)
  }

  pause(paused: boolean): void {
    this.#paused = paused
    if (paused) this.#alarm.stop()
    else this.wake()
  }

  /** Ends at once. What is left is gone on with at the next start. */
  stop(): void {
    this.#stopped = true
    for (const stop of this.#followed) stop()
    this.#shown?.leaving.abort()
    this.#alarm.stop()
    this.#running.abort()
  }

  #mayWork(): boolean {
    return this.#begun && this.#isOn && !this.#paused && !this.#stopped
  }

  #switch(isOn: boolean): void {
    this.#isOn = isOn
    if (isOn) return this.wake()
    this.#running.abort()
    this.#alarm.stop()
    void this.#store.run('looks/forget-all', undefined).catch(() => null)
  }

  #forgive(account: AccountId): void {
    this.#rests.delete(account)
    this.#anyLeft = true
    this.wake()
  }

  async #lookFor(account: AccountId, address: string, leaving: AbortSignal): Promise<void> {
    try {
      await this.#clock.wait(dwell, leaving)
      const profile = this.#accounts.account(account)
      if (!this.#isOn || !isLive(profile) || queriesOfLook(address, this.#today(account)).length === 0) return
      const seenAt = this.#clock.now() as Instant
      // oxlint-disable-next-line desk/scope-writes -- A look has no figures: its days are saved for the scope of now.
      await this.#store.run('looks/put', { owner: this.#accounts.dataScopeOf(account), address, seenAt })
      this.#anyLeft = true
      this.wake()
    } catch {
      // It was left before, its account has gone, or the store refuses: the next look is another chance.
    }
  }

  /** Saves what can be saved now, and sets the alarm for what can not. */
  async #work(): Promise<void> {
    this.#alarm.stop()
    while (this.#mayWork()) {
      const looks = await this.#looks()
      this.#anyLeft = looks.length > 0
      const waiting = new Set(looks.map(({ account }) => account))
      await Promise.all([...waiting].map((account) => this.#noteRaw(account)))
      const free = looks.map(({ account }) => this.#freeAt(account))
      const now = this.#clock.now()
      const next = looks[free.findIndex((time) => time <= now)]
      if (next) await this.#save(next)
      else return this.#anyLeft && this.#mayWork() ? this.#alarm.set(free) : undefined
    }
  }

  /** Those of accounts as they are now. */
  async #looks(): Promise<readonly Look[]> {
    const stored = await this.#store.run('looks/list', undefined)
    if (stored.length === 0) return []
    const accounts = new Map(
      this.#accounts.list().map(({ id }) => [this.#accounts.dataScopeOf(id), id] as const),
    )
    return stored.flatMap((look) => {
      const account = accounts.get(look.owner)
      return account === undefined ? [] : [{ ...look, account }]
    })
  }

  /** From when on an account may be asked, as far as that can be foreseen. In milliseconds since 1970. */
  #freeAt(account: AccountId): number {
    const now = this.#clock.now()
    if (this.#reports.connection(account).kind !== 'online') return now + lasts
    if (this.#spentOn.get(account) === this.#today(account)) return now + lasts
    const { failures, from } = this.#rests.get(account) ?? { failures: 0, from: now }
    const until = from + pauseAfter('looks', failures)
    // Where it is of a time to come, the clock was set back since.
    if (from <= now && now < until) return until
    const isBusy = this.#reports.isAwaited() || this.#othersRun() || this.#rawWaits.has(account)
    return isBusy ? now + passes : now
  }

  /** What a person decides about keeps nobody waiting. */
  async #noteRaw(account: AccountId): Promise<void> {
    const open = await this.#store.run('raw-requests/open', account).catch(() => [])
    const waits = open.some(({ state: { kind } }) => ['waiting', 'sending', 'looking'].includes(kind))
    if (waits) this.#rawWaits.add(account)
    else this.#rawWaits.delete(account)
  }

  async #save(look: Look): Promise<void> {
    const { account, owner, address } = look
    const today = this.#today(account)
    const staleBefore = this.#clock.now() - staleAfter
    const due = await this.#due(account, queriesOfLook(address, today), staleBefore)
    const [first] = due
    if (first === undefined) return await this.#done(look)
    const spent = await this.#store.run('looks/requests', { owner, day: today })
    if (spent >= maxLookRequests) return void this.#spentOn.set(account, today)
    if (!(await this.#hasRoom())) return this.#rest(account)
    const left = maxLookRequests - spent
    const saving = { ...{ account, owner, today, staleBefore, left }, ended: false, isCancelled: false }
    const title = address.startsWith('#/overview') ? 'Overview' : nameOf(first)
    const order = { kind: 'look', account, subject: null, title, unit: 'days', passing: true } as const
    this.#running = new AbortController()
    this.#savingFor = account
    const run = (context: JobContext) => this.#saveAll(due, saving, context)
    try {
      await this.#jobs.finish({ ...order, run }, this.#running.signal)
      this.#rests.delete(account)
      if (!saving.ended) await this.#done(look)
    } catch (error) {
      if (this.#running.signal.aborted) return
      // A person ended the job: that was meant for good.
      if (saving.isCancelled) await this.#done(look)
      else if (meaningsOfRest.has(meaningOf(failureOf(error).kind))) this.#rest(account)
    }
  }

  /** Those that have days to be fetched. A row of a table whose days are saved is told by them. */
  async #due(
    account: AccountId,
    queries: readonly ReportQuery[],
    staleBefore: number,
  ): Promise<readonly ReportQuery[]> {
    const due: ReportQuery[] = []
    for (const query of queries) {
      const table = tableBeyondRow(query)
      const isCovered = table !== null && (await this.#reports.due(account, table, staleBefore)) === 0
      if (!isCovered && (await this.#reports.due(account, query, staleBefore)) > 0) due.push(query)
    }
    return due
  }

  async #saveAll(queries: readonly ReportQuery[], saving: Saving, context: JobContext): Promise<void> {
    // A pause ends an attempt by the same signal as a cancellation.
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
      await withSignal(signal, () => this.#reports.storeWhole({ account, query, signal, behind, progress }))
    } catch (error) {
      saving.isCancelled = signal.aborted
      // The service does not give these days: it is not asked again, and the other tables are.
      if (meaningOf(failureOf(error).kind) !== 'answers') throw error
    }
  }

  /** Counts requests that were made. @returns whether another may be */
  #count(saving: Saving, requests: number): boolean {
    const { account, owner, today } = saving
    saving.left -= requests
    void this.#store.run('looks/count-requests', { owner, day: today, requests }).catch(() => null)
    if (saving.left <= 0) this.#spentOn.set(account, today)
    saving.ended ||= !this.#mayWork() || this.#freeAt(account) > this.#clock.now()
    return !saving.ended
  }

  /** Whether there is room that is not somebody else's. */
  async #hasRoom(): Promise<boolean> {
    const [{ bytes }, { storageLimit }] = await Promise.all([
      this.#reports.storedSize(),
      this.#settings.read(),
    ])
    return bytes < storageLimit * MEGABYTE * mostOfLimit
  }

  async #done(look: Look): Promise<void> {
    // A store that refuses would be asked again at once, for ever.
    await this.#store.run('looks/remove', look).catch(() => this.#rest(look.account))
  }

  #rest(account: AccountId): void {
    const failures = (this.#rests.get(account)?.failures ?? 0) + 1
    this.#rests.set(account, { failures, from: this.#clock.now() })
  }

  #today(account: AccountId): Day {
    return dayAt(this.#clock.now(), this.#accounts.account(account).dayZone)
  }
}

/** What is known while days are being saved: how many requests are left of the day, and whether it ended before all were there. */
type Saving = {
  readonly account: AccountId
  readonly owner: DataScopeId
  readonly today: Day
  readonly staleBefore: number
  left: number
  ended: boolean
  /** Whether a person gave it up. */
  isCancelled: boolean
}
