import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { failureOf, invalid } from '#shared/api/failure.ts'
import type { Offer, UpdateState } from '#shared/app/state.ts'
import type { Failure } from '#shared/api/failure.ts'
import { noUpdates } from '#shared/app/settings.ts'
import { instantOf } from '#shared/values/ids.ts'
import type { UpdateRecord } from '#main/database/state/settings-repository.ts'
import type { StateStore } from '#main/database/state/state-store.ts'
import type { AppEvents } from '#main/lib/app-events.ts'
import { Timer } from '#main/lib/async.ts'
import type { Clock } from '#main/lib/async.ts'
import type { Handlers, Module } from '#main/lib/module.ts'
import { byChance, pauseAfter } from '#main/lib/retry.ts'
import type { RetryKind } from '#main/lib/retry.ts'
import type { FeedNews, SignedFeed } from './feed.ts'
import type { Fetching } from './fetch.ts'
import type { UpdateSource } from './source.ts'

/** Loaded on demand: not needed at the start, and on most days not at all. */
const later = { feed: () => import('./feed.ts'), fetch: () => import('./fetch.ts') }

/** Source, storage and clock of the checks for updates. */
export type UpdatesContext = {
  /** Null: never check. */
  readonly source: UpdateSource | null
  /** The installed version. */
  readonly version: string
  /** The profile folder. */
  readonly folder: string
  readonly store: StateStore
  /** Network options. */
  readonly fetching: Fetching
  readonly events: AppEvents
  readonly log: (where: string, words: string, error?: unknown) => void
  readonly clock: Clock
  /** Returns 0 to 1, so that computers check at different times. */
  readonly random: () => number
}

/** Checks for a newer version daily and on request, and announces it once. Does nothing without a source. */
export class Updates implements Module {
  readonly name = 'updates'
  readonly #context: UpdatesContext
  /** Fires every hour, because clocks change and computers sleep. */
  readonly #alarm: Timer
  /** Interval between checks, in ms. Random, so that computers that check at the same time today do not tomorrow. */
  readonly #interval: number
  #notBefore = 0
  #record: UpdateRecord = noUpdates
  #recalling: Promise<void> | undefined
  #offer: Offer | null = null
  #failure: Failure | null = null
  /** The running check. */
  #check: Promise<void> | null = null
  readonly #ending = new AbortController()
  #hasStarted = false
  #paused = false

  constructor(context: UpdatesContext) {
    this.#context = context
    this.#interval = this.#pauseOf('update')
    this.#alarm = new Timer(context.clock, () => void this.#ring())
  }

  /** Starts daily checks after some minutes, so that they do not slow down the start. */
  start(): void {
    this.#hasStarted = true
    this.#removePackages()
    this.#notBefore = this.#context.clock.now() + this.#pauseOf('updateAtStart')
    this.#setAlarm()
  }

  readonly handlers = {
    'updates/read': () => this.read(),
    'updates/check': () => this.check(),
    'updates/daily': ({ on }) => this.daily(on),
  } satisfies Partial<Handlers>

  pause(paused: boolean): void {
    this.#paused = paused
    this.#setAlarm()
  }

  async read(): Promise<UpdateState> {
    if (this.#context.source === null) return { kind: 'without-feed' }
    await this.#recall()
    return this.#state()
  }

  /** @throws DeskFailure `disk` if the setting cannot be saved */
  async daily(on: boolean): Promise<UpdateState> {
    this.#sourceOrRefuse()
    await this.#recall()
    const record = { ...this.#record, daily: on }
    await this.#context.store.run('updates/write', record)
    this.#record = record
    this.#setAlarm()
    this.#emit()
    return this.#state()
  }

  /** @throws DeskFailure `invalid` without a source; other failures are part of the state */
  async check(): Promise<UpdateState> {
    const source = this.#sourceOrRefuse()
    await this.#recall()
    await this.#run(source, true)
    return this.#state()
  }

  async stop(): Promise<void> {
    this.#hasStarted = false
    this.#alarm.stop()
    this.#ending.abort()
    await this.#check
  }

  #sourceOrRefuse(): UpdateSource {
    if (this.#context.source !== null) return this.#context.source
    throw invalid('This build does not check for updates.')
  }

  /** Removes packages that versions before 0.3 downloaded. A failure is retried at the next start. */
  #removePackages(): void {
    const packages = join(this.#context.folder, 'updates')
    rm(packages, { recursive: true, force: true }).catch((error: unknown) =>
      this.#context.log('updates', 'Packages of earlier updates were not removed', error),
    )
  }

  /** Restores the state of the last run. A failed read is retried on the next call. @throws DeskFailure `disk` */
  #recall(): Promise<void> {
    this.#recalling ??= this.#recallOnce().catch((error: unknown) => {
      this.#recalling = undefined
      throw error
    })
    return this.#recalling
  }

  async #recallOnce(): Promise<void> {
    const { source, store, log } = this.#context
    if (source === null) return
    this.#record = await store.run('updates/read', undefined)
    const { feed } = this.#record
    if (feed === null) return
    // The stored feed is verified again.
    this.#offer = await this.#newsOf(feed, source).then(
      ({ offer }) => offer,
      (error: unknown) => {
        log('updates', 'The stored feed is not valid any more', error)
        return null
      },
    )
  }

  async #newsOf(feed: SignedFeed, source: UpdateSource): Promise<FeedNews> {
    const { version: running, clock } = this.#context
    const { readFeed } = await later.feed()
    return readFeed(feed, { source, running, newest: this.#record.newest, now: clock.now() })
  }

  /** Runs one check at a time. Requests during a check are ignored. */
  async #run(source: UpdateSource, force: boolean): Promise<void> {
    if (this.#check !== null) return
    this.#failure = null
    this.#check = this.#look(source, force).catch((error: unknown) => {
      const failure = failureOf(error)
      if (failure.kind === 'cancelled') return
      this.#failure = failure
      this.#context.log('updates', failure.message, error)
    })
    this.#emit()
    await this.#check
    this.#check = null
    this.#emit()
  }

  async #look(source: UpdateSource, force: boolean): Promise<void> {
    const feed = await this.#fetchFeed(source)
    const { date, offer } = await this.#newsOf(feed, source)
    this.#offer = offer
    const isNews = offer !== null && offer.version !== this.#record.announced
    const checkedAt = instantOf(this.#context.clock.now())
    this.#record = {
      ...{ ...this.#record, checkedAt, newest: date, feed: offer && feed },
      ...(offer && { announced: offer.version }),
    }
    const stored = await this.#context.store.run('updates/write', this.#record).then(
      () => true,
      () => false,
    )
    // If the record cannot be saved, the version would be announced at every start.
    if (isNews && stored && !force)
      this.#context.events.emit({ kind: 'updates/found', version: offer.version })
  }

  async #fetchFeed({ address }: UpdateSource): Promise<SignedFeed> {
    const [{ fetchText }, { largest }] = await Promise.all([later.fetch(), later.feed()])
    const { fetching } = this.#context
    const { signal } = this.#ending
    const text = await fetchText(address, largest.feed, fetching, signal)
    const signature = await fetchText(`${address}.sig`, largest.signature, fetching, signal)
    return { text, signature }
  }

  /** Sets or stops the timer after a change. */
  #setAlarm(): void {
    if (this.#isWanted()) this.#alarm.set([this.#dueAt()])
    else this.#alarm.stop()
  }

  #isWanted(): boolean {
    return this.#hasStarted && !this.#paused && this.#record.daily && this.#context.source !== null
  }

  async #ring(): Promise<void> {
    const { clock } = this.#context
    const isKnown = await this.#recall().then(
      () => true,
      () => false,
    )
    if (!isKnown) this.#notBefore = clock.now() + pauseAfter('updateSoon', 1)
    if (isKnown && this.#isWanted() && clock.now() >= this.#dueAt()) {
      const policy = await this.#lookAutomatically()
      this.#notBefore = policy === null ? 0 : clock.now() + this.#pauseOf(policy)
    }
    this.#setAlarm()
  }

  /** @returns the retry policy after a failure; null after success */
  async #lookAutomatically(): Promise<'updateSoon' | 'update' | null> {
    const { source } = this.#context
    if (source === null || this.#check !== null) return 'updateSoon'
    await this.#run(source, false)
    if (this.#failure === null) return null
    return ['offline', 'timed-out', 'proxy-sign-in'].includes(this.#failure.kind) ? 'updateSoon' : 'update'
  }

  #dueAt(): number {
    const { checkedAt } = this.#record
    // After the clock was set back, `checkedAt` may be years ahead.
    const isPast = checkedAt !== null && checkedAt <= this.#context.clock.now()
    return Math.max(isPast ? checkedAt + this.#interval : 0, this.#notBefore)
  }

  #pauseOf(kind: RetryKind): number {
    return byChance(kind, pauseAfter(kind, 1), this.#context.random)
  }

  #emit(): void {
    this.#context.events.emit({ kind: 'updates/changed', state: this.#state() })
  }

  #state(): UpdateState {
    if (this.#context.source === null) return { kind: 'without-feed' }
    const { daily, checkedAt } = this.#record
    const checking = this.#check !== null
    return { kind: 'with-feed', daily, checking, checkedAt, offer: this.#offer, failure: this.#failure }
  }
}
