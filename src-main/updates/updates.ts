import { join } from 'node:path'
import { failureOf, invalid } from '#shared/api/failure.ts'
import type { Offer, UpdateStage, UpdateState, UpdateStep } from '#shared/app/state.ts'
import type { Failure } from '#shared/api/failure.ts'
import { noUpdates } from '#shared/app/settings.ts'
import type { UpdateRecord } from '#main/database/state/settings-repository.ts'
import { Timer } from '#main/lib/async.ts'
import type { JobContext } from '#main/lib/jobs.ts'
import type { Handlers, Module } from '#main/lib/module.ts'
import { byChance, pauseAfter } from '#main/lib/retry.ts'
import type { RetryKind } from '#main/lib/retry.ts'
import type { FeedReader, FullOffer, SignedFeed } from './feed.ts'
import { endings } from './source.ts'
import type { UpdateSource } from './source.ts'
import type { UpdatesContext } from './updates-context.ts'

/** Loaded on demand: not needed at the start, and on most days not at all. */
const later = {
  feed: () => import('./feed.ts'),
  fetch: () => import('./fetch.ts'),
  files: () => import('./package-file.ts'),
}

/**
 * Checks for updates daily and on request, announces a new version once, and downloads and installs it on request. Does nothing
 * without a source.
 */
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
  #phase: UpdateStage['kind'] = 'none'
  #offer: FullOffer | null = null
  #failure: Failure | null = null
  /** The running step. */
  #step: { readonly controller: AbortController; readonly ended: Promise<void> } | null = null
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
    this.#notBefore = this.#context.clock.now() + this.#pauseOf('updateAtStart')
    this.#setAlarm()
  }

  readonly handlers = {
    'updates/read': () => this.read(),
    'updates/do': ({ step }) => this.do(step),
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
  async do(step: UpdateStep): Promise<UpdateState> {
    const source = this.#sourceOrRefuse()
    await this.#recall()
    switch (step) {
      case 'look':
        await this.#run((signal) => this.#look(source, signal, true))
        break
      case 'download':
        await this.#run((signal) => this.#download(signal))
        break
      case 'install':
        await this.#run(() => this.#install())
        break
      case 'cancel':
        this.#step?.controller.abort()
        await this.#step?.ended
        break
      case 'restart':
        if (this.#phase === 'replaced') this.#context.shell.restart()
        break
    }
    return this.#state()
  }

  async stop(): Promise<void> {
    this.#hasStarted = false
    this.#alarm.stop()
    this.#step?.controller.abort()
    await this.#step?.ended
  }

  #sourceOrRefuse(): UpdateSource {
    if (this.#context.source !== null) return this.#context.source
    throw invalid('This build does not check for updates.')
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
    const { source, store, here, folder, log } = this.#context
    if (source === null) return
    this.#record = await store.run('updates/read', undefined)
    const { feed } = this.#record
    const { removeOthers, removeDraft } = await later.files()
    if (here.appImage !== null) await removeDraft(here.appImage).catch(() => undefined)
    // The stored feed is verified again.
    const offer =
      feed &&
      (await this.#offerOf(feed, source).catch((error: unknown) => {
        log('updates', 'The feed that was read last is of no use any more', error)
        return null
      }))
    if (offer === null) await removeOthers(folder, null)
    else await this.#take(offer)
  }

  async #offerOf(feed: SignedFeed, source: UpdateSource): Promise<FullOffer | null> {
    return (await later.feed()).readFeed(feed, this.#reader(source)).offer
  }

  #reader(source: UpdateSource): FeedReader {
    const { version: running, here, clock } = this.#context
    return { source, running, target: here.target, newest: this.#record.newest, now: clock.now() }
  }

  /** Sets the current offer and removes packages of other versions. */
  async #take(offer: FullOffer | null): Promise<void> {
    const { isThere, removeOthers } = await later.files()
    await removeOthers(this.#context.folder, offer && this.#fileName(offer))
    const done = offer !== null && (this.#phase === 'opened' || this.#phase === 'replaced')
    if (done && offer.version === this.#offer?.version) return
    this.#offer = offer
    if (offer === null) this.#phase = 'none'
    else this.#phase = (await isThere(this.#pathOf(offer), offer)) ? 'ready' : 'there'
  }

  #fileName = ({ version }: Offer) => `traffic-desk-${version}.${endings[this.#context.here.kind]}`
  #pathOf = (offer: Offer) => join(this.#context.folder, this.#fileName(offer))

  async #look(source: UpdateSource, signal: AbortSignal, force: boolean): Promise<void> {
    const before = this.#phase
    this.#phase = 'looking'
    this.#emit()
    const feed = await this.#fetchFeed(source, signal).finally(() => (this.#phase = before))
    const { date, offer } = (await later.feed()).readFeed(feed, this.#reader(source))
    await this.#take(offer)
    const isNews = offer !== null && offer.version !== this.#record.announced
    const stored = await this.#write({
      ...{ checkedAt: this.#now(), newest: date, feed: offer && feed },
      ...(offer && { announced: offer.version }),
    }).then(
      () => true,
      () => false,
    )
    // If the record cannot be saved, the version would be announced at every start.
    if (isNews && stored && !force)
      this.#context.events.emit({ kind: 'updates/found', version: offer.version })
  }

  /** @returns the retry policy after a failure; null after success */
  async #lookAutomatically(): Promise<'updateSoon' | 'update' | null> {
    const source = this.#context.source
    if (source === null || this.#step !== null) return 'updateSoon'
    await this.#run((signal) => this.#look(source, signal, false))
    if (this.#failure === null) return null
    return ['offline', 'timed-out', 'proxy-sign-in'].includes(this.#failure.kind) ? 'updateSoon' : 'update'
  }

  async #fetchFeed({ address }: UpdateSource, signal: AbortSignal) {
    const [{ fetchText }, { largest }] = await Promise.all([later.fetch(), later.feed()])
    const { fetching } = this.#context
    const text = await fetchText(address, largest.feed, fetching, signal)
    const signature = await fetchText(`${address}.sig`, largest.signature, fetching, signal)
    return { text, signature }
  }

  async #download(signal: AbortSignal): Promise<void> {
    const offer = this.#offer
    if (this.#phase !== 'there' || offer === null) return
    this.#phase = 'downloading'
    this.#emit()
    const { fetching, jobs } = this.#context
    const run = async ({ signal: ended, progress }: JobContext) => {
      const wrote = (done: number) => progress({ done, total: offer.size, unit: 'bytes' })
      const { savePackage } = await later.files()
      await savePackage(this.#pathOf(offer), offer, { fetching, signal: ended, wrote })
    }
    const title = `Version ${offer.version}`
    const about = { kind: 'update', account: null, subject: null, title, unit: 'bytes' } as const
    try {
      await jobs.finish({ ...about, run }, signal)
      this.#phase = 'ready'
    } catch (error) {
      this.#phase = 'there'
      throw error
    }
  }

  async #install(): Promise<void> {
    const offer = this.#offer
    if ((this.#phase !== 'ready' && this.#phase !== 'opened') || offer === null) return
    const { appImage } = this.#context.here
    const path = this.#pathOf(offer)
    const { checkFile, fileFailure, isThere, replaceAppImage, removeFile } = await later.files()
    try {
      if (appImage === null) {
        await checkFile(path, offer)
        const wrong = await this.#context.shell.openFile(path)
        if (wrong !== '') throw notOpened(wrong)
        this.#phase = 'opened'
        return
      }
      await replaceAppImage(path, offer, appImage)
      this.#phase = 'replaced'
      await removeFile(path).catch(() => undefined)
    } catch (error) {
      // An invalid or missing package must be downloaded again.
      if (!(await isThere(path, offer))) this.#phase = 'there'
      throw fileFailure(error)
    }
  }

  /** Runs one step at a time. Requests during a step are ignored. */
  async #run(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    if (this.#step !== null) return
    const controller = new AbortController()
    this.#failure = null
    const ended = work(controller.signal).catch((error: unknown) => {
      const failure = failureOf(error)
      if (failure.kind === 'cancelled') return
      this.#failure = failure
      this.#context.log('updates', failure.message, error)
    })
    this.#step = { controller, ended }
    await ended
    this.#step = null
    this.#emit()
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
    const isKnown = await this.#recall().then(
      () => true,
      () => false,
    )
    if (!isKnown) this.#notBefore = this.#context.clock.now() + pauseAfter('updateSoon', 1)
    if (isKnown && this.#isWanted() && this.#context.clock.now() >= this.#dueAt()) {
      const policy = await this.#lookAutomatically()
      this.#notBefore = policy === null ? 0 : this.#context.clock.now() + this.#pauseOf(policy)
    }
    this.#setAlarm()
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

  #now = () => this.#context.clock.now() as NonNullable<UpdateRecord['checkedAt']>

  async #write(changes: Partial<UpdateRecord>): Promise<void> {
    this.#record = { ...this.#record, ...changes }
    await this.#context.store.run('updates/write', this.#record)
  }

  #emit(): void {
    this.#context.events.emit({ kind: 'updates/changed', state: this.#state() })
  }

  #state(): UpdateState {
    if (this.#context.source === null) return { kind: 'without-feed' }
    const { daily, checkedAt } = this.#record
    const installs = this.#context.here.appImage === null ? 'by-installer' : 'by-replacing'
    return { kind: 'with-feed', daily, installs, checkedAt, stage: this.#stage(), failure: this.#failure }
  }

  #stage(): UpdateStage {
    if (this.#phase === 'none' || this.#phase === 'looking' || this.#offer === null)
      return { kind: this.#phase === 'looking' ? 'looking' : 'none' }
    const { version, date, notes, size } = this.#offer
    const offer: Offer = { version, date, notes, size }
    return { kind: this.#phase, offer }
  }
}

const notOpened = (why: string) =>
  invalid(`The system did not open the package: ${why}. Get the newest version from where you got the app.`)
