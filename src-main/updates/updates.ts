import { join } from 'node:path'
import { DeskFailure, failureOf } from '#shared/api/failure.ts'
import type { Offer, UpdateStage, UpdateState, UpdateStep } from '#shared/app/state.ts'
import type { Failure } from '#shared/api/failure.ts'
import { noUpdates } from '#main/database/state/settings-repository.ts'
import type { UpdateRecord } from '#main/database/state/settings-repository.ts'
import type { Handlers, Module } from '#main/lib/module.ts'
import { DailyLook } from './daily-look.ts'
import type { FeedReader, FullOffer, SignedFeed } from './feed.ts'
import { endings } from './package-here.ts'
import type { UpdateSource } from './source.ts'
import type { UpdatesParts } from './updates-parts.ts'

/** How often it is told how far a download is, in milliseconds. */
const tellEvery = 250

/** Nothing of this is needed at the start, and most of it on most days not at all. */
const later = {
  feed: () => import('./feed.ts'),
  fetch: () => import('./fetch.ts'),
  files: () => import('./package-file.ts'),
}

/**
 * Looks for a newer version once a day and when asked, says so once, and fetches and installs it when a person says so. Without a
 * source it does nothing at all.
 */
export class Updates implements Module {
  readonly name = 'updates'
  readonly #parts: UpdatesParts
  readonly #daily: DailyLook
  #record: UpdateRecord = noUpdates
  #known: Promise<void> | undefined
  #as: UpdateStage['kind'] = 'none'
  #offer: FullOffer | null = null
  #done = 0
  #failure: Failure | null = null
  /** The step that is under way. */
  #step: { readonly controller: AbortController; readonly ended: Promise<void> } | null = null
  #begun = false
  #paused = false

  constructor(parts: UpdatesParts) {
    this.#parts = parts
    this.#daily = new DailyLook({
      ...{ clock: parts.clock, random: parts.random },
      wanted: () => this.#begun && !this.#paused && this.#record.daily && parts.source !== null,
      lookedAt: () => this.#record.lookedAt,
      known: () => this.#recall(),
      look: () => this.#lookByItself(),
    })
  }

  /** Begins to look by itself. */
  start(): void {
    this.#begun = true
    this.#daily.begin()
  }

  readonly handlers = {
    'updates/read': () => this.read(),
    'updates/do': ({ step }) => this.do(step),
    'updates/daily': ({ on }) => this.daily(on),
  } satisfies Partial<Handlers>

  pause(paused: boolean): void {
    this.#paused = paused
    this.#daily.set()
  }

  async read(): Promise<UpdateState> {
    if (this.#parts.source === null) return { kind: 'without-feed' }
    await this.#recall()
    return this.#state()
  }

  /** @throws DeskFailure `disk` where it cannot be written down */
  async daily(on: boolean): Promise<UpdateState> {
    this.#sourceOrRefuse()
    await this.#recall()
    const record = { ...this.#record, daily: on }
    await this.#parts.store.run('updates/write', record)
    this.#record = record
    this.#daily.set()
    this.#emit()
    return this.#state()
  }

  /** @throws DeskFailure `invalid` without a source; whatever else fails is in the state */
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
        if (this.#as === 'replaced') this.#parts.restart()
        break
    }
    return this.#state()
  }

  async stop(): Promise<void> {
    this.#begun = false
    this.#daily.stop()
    this.#step?.controller.abort()
    await this.#step?.ended
  }

  #sourceOrRefuse(): UpdateSource {
    if (this.#parts.source !== null) return this.#parts.source
    throw new DeskFailure({ kind: 'invalid', message: 'This Traffic Desk looks for no updates.' })
  }

  /** What was known when the app ended. Where it cannot be read now, it is read with the next need. @throws DeskFailure `disk` */
  #recall(): Promise<void> {
    this.#known ??= this.#recallOnce().catch((error: unknown) => {
      this.#known = undefined
      throw error
    })
    return this.#known
  }

  async #recallOnce(): Promise<void> {
    const { source, folder, here, store, log } = this.#parts
    if (source === null) return
    this.#record = await store.run('updates/read', undefined)
    const { feed } = this.#record
    const { keepOnly, removeDraft } = await later.files()
    if (here.appImage !== null) await removeDraft(here.appImage).catch(() => undefined)
    // It is checked as if it came anew.
    const offer =
      feed &&
      (await this.#offerOf(feed, source).catch((error: unknown) => {
        log('The feed that was read last is of no use any more', error)
        return null
      }))
    if (offer === null) await keepOnly(folder, null)
    else await this.#take(offer)
  }

  async #offerOf(feed: SignedFeed, source: UpdateSource): Promise<FullOffer | null> {
    return (await later.feed()).readFeed(feed, this.#reader(source)).offer
  }

  #reader(source: UpdateSource): FeedReader {
    const { running, here, clock } = this.#parts
    return { source, running, target: here.target, newest: this.#record.newest, now: clock.now() }
  }

  /** Goes by an offer from now on, or by none. Packages of others are removed. */
  async #take(offer: FullOffer | null): Promise<void> {
    const { isThere, keepOnly } = await later.files()
    await keepOnly(this.#parts.folder, offer && this.#fileName(offer))
    const done = offer !== null && (this.#as === 'opened' || this.#as === 'replaced')
    if (done && offer.version === this.#offer?.version) return
    this.#offer = offer
    if (offer === null) this.#as = 'none'
    else this.#as = (await isThere(this.#pathOf(offer), offer)) ? 'ready' : 'there'
  }

  #fileName = ({ version }: Offer) => `traffic-desk-${version}.${endings[this.#parts.here.kind]}`
  #pathOf = (offer: Offer) => join(this.#parts.folder, this.#fileName(offer))

  async #look(source: UpdateSource, signal: AbortSignal, force: boolean): Promise<void> {
    const { fetching, events } = this.#parts
    const before = this.#as
    this.#as = 'looking'
    this.#emit()
    const feed = await this.#fetchFeed(source, fetching, signal).finally(() => (this.#as = before))
    const { date, offer } = (await later.feed()).readFeed(feed, this.#reader(source))
    await this.#take(offer)
    const isNews = offer !== null && offer.version !== this.#record.announced
    const stored = await this.#write({
      ...{ lookedAt: this.#now(), newest: date, feed: offer && feed },
      ...(offer && { announced: offer.version }),
    }).then(
      () => true,
      () => false,
    )
    // Where it cannot be written down it would be said at every start.
    if (isNews && stored && !force) events.emit({ kind: 'updates/found', version: offer.version })
  }

  async #lookByItself(): Promise<'updateSoon' | 'update' | null> {
    const { source } = this.#parts
    if (source === null || this.#step !== null) return 'updateSoon'
    await this.#run((signal) => this.#look(source, signal, false))
    if (this.#failure === null) return null
    return ['offline', 'timed-out', 'proxy-sign-in'].includes(this.#failure.kind) ? 'updateSoon' : 'update'
  }

  async #fetchFeed({ address }: UpdateSource, fetching: UpdatesParts['fetching'], signal: AbortSignal) {
    const [{ fetchText }, { largest }] = await Promise.all([later.fetch(), later.feed()])
    const text = await fetchText(address, largest.feed, fetching, signal)
    const signature = await fetchText(`${address}.sig`, largest.signature, fetching, signal)
    return { text, signature }
  }

  async #download(signal: AbortSignal): Promise<void> {
    const offer = this.#offer
    if (this.#as !== 'there' || offer === null) return
    this.#as = 'downloading'
    this.#done = 0
    this.#emit()
    let telling = false
    const wrote = (length: number) => {
      this.#done = length
      if (telling) return
      telling = true
      const emit = () => {
        telling = false
        this.#emit()
      }
      this.#parts.clock.wait(tellEvery, signal).then(emit, () => undefined)
    }
    try {
      const { savePackage } = await later.files()
      await savePackage(this.#pathOf(offer), offer, { fetching: this.#parts.fetching, signal, wrote })
      this.#as = 'ready'
    } catch (error) {
      this.#as = 'there'
      throw error
    }
  }

  async #install(): Promise<void> {
    const offer = this.#offer
    if ((this.#as !== 'ready' && this.#as !== 'opened') || offer === null) return
    const { appImage } = this.#parts.here
    const path = this.#pathOf(offer)
    const { checkFile, fileFailure, isThere, replaceAppImage, removeFile } = await later.files()
    try {
      if (appImage === null) {
        await checkFile(path, offer)
        const wrong = await this.#parts.openFile(path)
        if (wrong !== '') throw notOpened(wrong)
        this.#as = 'opened'
        return
      }
      await replaceAppImage(path, offer, appImage)
      this.#as = 'replaced'
      await removeFile(path).catch(() => undefined)
    } catch (error) {
      // What is not what it should be, or is gone, is to be fetched anew.
      if (!(await isThere(path, offer))) this.#as = 'there'
      throw fileFailure(error)
    }
  }

  /** Does one step at a time: what is asked for meanwhile has no place. */
  async #run(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    if (this.#step !== null) return
    const controller = new AbortController()
    this.#failure = null
    const ended = work(controller.signal).catch((error: unknown) => {
      const failure = failureOf(error)
      if (failure.kind === 'cancelled') return
      this.#failure = failure
      this.#parts.log(failure.message, error)
    })
    this.#step = { controller, ended }
    await ended
    this.#step = null
    this.#emit()
  }

  #now = () => this.#parts.clock.now() as NonNullable<UpdateRecord['lookedAt']>

  async #write(changes: Partial<UpdateRecord>): Promise<void> {
    this.#record = { ...this.#record, ...changes }
    await this.#parts.store.run('updates/write', this.#record)
  }

  #emit(): void {
    this.#parts.events.emit({ kind: 'updates/changed', state: this.#state() })
  }

  #state(): UpdateState {
    if (this.#parts.source === null) return { kind: 'without-feed' }
    const { daily, lookedAt } = this.#record
    const installs = this.#parts.here.appImage === null ? 'by-installer' : 'by-replacing'
    return { kind: 'with-feed', daily, installs, lookedAt, stage: this.#stage(), failure: this.#failure }
  }

  #stage(): UpdateStage {
    if (this.#as === 'none' || this.#as === 'looking' || this.#offer === null)
      return { kind: this.#as === 'looking' ? 'looking' : 'none' }
    const { version, date, notes, size } = this.#offer
    const offer: Offer = { version, date, notes, size }
    return this.#as === 'downloading'
      ? { kind: this.#as, offer, done: this.#done }
      : { kind: this.#as, offer }
  }
}

const notOpened = (why: string) =>
  new DeskFailure({
    kind: 'invalid',
    message: `The system did not open the package: ${why}. Get the newest version from where you got the app.`,
  })
