import type { Clock } from '#main/lib/async.ts'
import type { Emitter } from '#main/lib/app-events.ts'
import type { Failure } from '#shared/api/failure.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { within } from '#main/lib/async.ts'
import { byChance, pauseAfter } from '#main/lib/retry.ts'
import { discardPart } from './part-file.ts'
import { partPath } from './pipeline.ts'
import type { Pipeline } from './pipeline.ts'
import { ThreadEnded, GivenUp, classifyError } from './trouble.ts'
import type { Entry, PausedBySelf } from './download-list.ts'
import type { ErrorClass } from './trouble.ts'

/** So many at once; more would only share the same line. */
const concurrency = 3
/** A connection on which nothing came for so long is given up when the machine woke up or its network changed. */
const STILL = 5000

/** How long what is broken off may take to end. */
const STOPPING = 5000

/** Why a run is broken off by hand. */
class BrokenOff extends Error {}

type Run = { readonly controller: AbortController; readonly ended: Promise<void> }

/** What one download has been through in this session. */
type Attempts = {
  /** In which nothing more arrived. */
  tries: number
  /** In which what arrived was of no use. */
  failedTries: number
  /** The most that ever was there: only what goes beyond it counts as getting anywhere. */
  maxBytes: number
  run: Run | null
  /** Ends an automatic pause. */
  hold: AbortController | null
}

const wants = ({ stored }: Entry) => ['waiting', 'publishing', 'unpacking'].includes(stored.state.kind)

/** Runs what waits, a few at a time, in the person's order; says what follows from trouble. */
export class Schedule {
  readonly #pipeline: Pipeline
  readonly #events: Emitter
  readonly #clock: Clock
  readonly #random: (() => number) | undefined
  readonly #attempts = new Map<Entry, Attempts>()
  /** Broken off, and not to be started before what follows is settled. */
  readonly #stopped = new Set<Entry>()
  #open = false

  constructor(pipeline: Pipeline, events: Emitter, clock: Clock, random: (() => number) | undefined) {
    this.#pipeline = pipeline
    this.#events = events
    this.#clock = clock
    this.#random = random
  }

  open(): void {
    this.#open = true
    this.pump()
  }

  /** Starts what may run now. */
  pump(): void {
    if (!this.#open) return
    let running = [...this.#attempts.values()].filter(({ run }) => run !== null).length
    for (const entry of this.#pipeline.list.entries) {
      if (running >= concurrency) return
      const attempts = this.#attempts.get(entry)
      if (!wants(entry) || this.#stopped.has(entry) || attempts?.run || attempts?.hold) continue
      this.#start(entry, attempts ?? this.#newAttempts(entry))
      running += 1
    }
  }

  /** Breaks a download off, and waits until nothing of it runs; what is there stays. It starts no more until `allow`. */
  async stop(entry: Entry): Promise<void> {
    this.#stopped.add(entry)
    const attempts = this.#attempts.get(entry)
    if (!attempts) return
    this.#release(attempts)
    attempts.run?.controller.abort(new BrokenOff())
    if (attempts.run) await within(STOPPING, attempts.run.ended)
    // What waits for a folder that hangs ends when the folder responds; until then it is not begun anew.
    if (attempts.run === null) this.#attempts.delete(entry)
    this.#pipeline.list.live(entry, null)
  }

  /** What was broken off is as it should be now: whatever waits may run. */
  allow(): void {
    this.#stopped.clear()
    this.pump()
  }

  /** Ends all automatic pauses and aborts connections without data for 5 s. */
  retryNow(): void {
    this.#retry(() => true)
  }

  /** The same for the files of one account. */
  wake(account: AccountId): void {
    this.#retry((entry) => entry.stored.account === account)
  }

  #retry(isMeant: (entry: Entry) => boolean): void {
    const now = this.#clock.now()
    for (const [entry, attempts] of this.#attempts) {
      if (!isMeant(entry)) continue
      if (attempts.hold) {
        this.#release(attempts)
        this.#pipeline.list.live(entry, null)
      }
      // A clock that was put back says nothing about how long it has been.
      const still = entry.live?.kind === 'running' && Math.abs(now - entry.movedAt) > STILL
      if (still) attempts.run?.controller.abort(new GivenUp())
    }
    this.pump()
  }

  /** Breaks off all that runs, until it is opened again. */
  async close(): Promise<void> {
    this.#open = false
    await Promise.all([...this.#attempts.keys()].map((entry) => this.stop(entry)))
  }

  #newAttempts(entry: Entry): Attempts {
    const attempts = { tries: 0, failedTries: 0, maxBytes: 0, run: null, hold: null }
    this.#attempts.set(entry, attempts)
    return attempts
  }

  #release(attempts: Attempts): void {
    attempts.hold?.abort()
    attempts.hold = null
  }

  #start(entry: Entry, attempts: Attempts): void {
    const controller = new AbortController()
    const { list } = this.#pipeline
    list.live(entry, { kind: 'running', got: entry.got })
    const ended = this.#pipeline
      .run(entry, controller.signal)
      .then(
        () => list.live(entry, null),
        (error: unknown) => this.#trouble(entry, attempts, error, controller.signal),
      )
      .finally(() => {
        attempts.run = null
        if (!wants(entry)) this.#attempts.delete(entry)
        this.pump()
      })
    attempts.run = { controller, ended }
  }

  async #trouble(entry: Entry, attempts: Attempts, error: unknown, signal: AbortSignal): Promise<void> {
    const reason: unknown = signal.aborted ? signal.reason : error
    if (reason instanceof BrokenOff) return
    if (reason instanceof ThreadEnded)
      this.#events.emit({ kind: 'worker/ended', worker: 'archives', cause: reason.cause })
    const errorClass = classifyError(reason, entry.stored.host)
    switch (errorClass.kind) {
      case 'fail':
        return await this.#fail(entry, errorClass.failure)
      case 'pause':
        return this.#hold(
          entry,
          attempts,
          errorClass.why,
          errorClass.why === 'disk' ? pauseAfter('disk', 1) : null,
        )
      case 'again':
        return await this.#again(entry, attempts, errorClass, reason instanceof GivenUp)
    }
  }

  async #again(
    entry: Entry,
    attempts: Attempts,
    { max, anew, failure, why }: Extract<ErrorClass, { kind: 'again' }>,
    isGivenUp: boolean,
  ): Promise<void> {
    if (entry.got > attempts.maxBytes && !anew) attempts.tries = 0
    attempts.maxBytes = Math.max(attempts.maxBytes, entry.got)
    attempts.tries += 1
    if (anew) attempts.failedTries += 1
    if ((anew ? attempts.failedTries : attempts.tries) >= max) return await this.#fail(entry, failure)
    if (anew) await this.#beginAnew(entry)
    const wait = byChance('download', pauseAfter('download', attempts.tries), this.#random)
    this.#hold(entry, attempts, why, isGivenUp ? 0 : wait)
  }

  async #beginAnew(entry: Entry): Promise<void> {
    const path = partPath(entry)
    if (path !== null) await this.#discard(entry, path)
    entry.got = 0
    await this.#pipeline.list.update(entry, { etag: null })
  }

  /** What may be worth going on with is kept, for as long as the person keeps the download. */
  async #fail(entry: Entry, failure: Failure): Promise<void> {
    const path = partPath(entry)
    const useful = ['offline', 'timed-out', 'server-trouble', 'disk', 'internal'].includes(failure.kind)
    if (path !== null && !useful) await this.#discard(entry, path)
    const { list } = this.#pipeline
    const named = entry.stored.state.kind === 'unpacking'
    const state = { kind: 'failed', failure, named } as const
    await list.update(entry, { ...(!useful && { part: null, etag: null }), state })
    list.live(entry, null)
  }

  async #discard({ stored }: Entry, path: string): Promise<void> {
    await this.#pipeline.looks.run(stored.folder, () => discardPart(path)).catch(() => undefined)
  }

  /** @param wait in milliseconds; null for until something happens */
  #hold(entry: Entry, attempts: Attempts, why: PausedBySelf, wait: number | null): void {
    const { list } = this.#pipeline
    const hold = new AbortController()
    attempts.hold = hold
    list.live(entry, { kind: 'paused', why })
    if (wait === null) return
    this.#clock.wait(wait, hold.signal).then(
      () => {
        if (attempts.hold !== hold) return
        attempts.hold = null
        list.live(entry, null)
        this.pump()
      },
      () => undefined,
    )
  }
}
