import type { Clock } from '#main/lib/async.ts'
import type { Emitter } from '#main/lib/app-events.ts'
import type { JobContext, JobResult, Jobs, Wish } from '#main/lib/jobs.ts'
import type { Failure } from '#shared/api/failure.ts'
import type { JobId } from '#shared/app/jobs.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { DeskFailure } from '#shared/api/failure.ts'
import { within } from '#main/lib/async.ts'
import { TryAgain } from '#main/lib/jobs.ts'
import { byChance, pauseAfter } from '#main/lib/retry.ts'
import { discardPart } from './part-file.ts'
import { partPath } from './pipeline.ts'
import type { Pipeline } from './pipeline.ts'
import { ThreadEnded, classifyError } from './trouble.ts'
import type { Entry } from './download-list.ts'
import type { ErrorClass } from './trouble.ts'

/** A connection on which nothing came for so long is given up when the machine woke up or its network changed. */
const STILL = 5000

/** How long what is broken off may take to end. */
const STOPPING = 5000

/** A download under way: its job, and what it has been through in it. */
type Run = {
  readonly id: JobId
  /** Paused by hand, or since the person wants quiet. */
  held: boolean
  /** Done when nothing of the last attempt runs any more. */
  attempt: Promise<unknown>
  /** Attempts in a row in which nothing more arrived. */
  tries: number
  /** Those in which what arrived was of no use. */
  failedTries: number
  /** The most that ever was there: only what goes beyond it counts as getting anywhere. */
  maxBytes: number
}

const wants = ({ stored }: Entry) => ['waiting', 'publishing', 'unpacking'].includes(stored.state.kind)

/** Runs what waits as jobs, in the person's order; says what follows from trouble. */
export class DownloadJobs {
  readonly #pipeline: Pipeline
  readonly #jobs: Jobs
  readonly #events: Emitter
  readonly #clock: Clock
  readonly #random: (() => number) | undefined
  readonly #wished: (wish: Wish, entry: Entry) => Promise<unknown>
  readonly #runs = new Map<Entry, Run>()
  /** Not to go on before what follows is settled. */
  readonly #halted = new Set<Entry>()
  #open = false

  /** @param wished what stores a wish of a person's that came by the list of jobs */
  constructor(
    pipeline: Pipeline,
    jobs: Jobs,
    events: Emitter,
    clock: Clock,
    random: (() => number) | undefined,
    wished: (wish: Wish, entry: Entry) => Promise<unknown>,
  ) {
    this.#pipeline = pipeline
    this.#jobs = jobs
    this.#events = events
    this.#clock = clock
    this.#random = random
    this.#wished = wished
  }

  open(): void {
    this.#open = true
    this.goOn()
  }

  /** Begins what waits, or goes on with it, in the person's order. */
  goOn(): void {
    if (!this.#open) return
    for (const [place, entry] of this.#pipeline.list.entries.entries()) {
      if (!wants(entry) || this.#halted.has(entry)) continue
      const run = this.#runs.get(entry) ?? this.#begin(entry, -place)
      if (run.held) this.#jobs.resume(run.id)
      run.held = false
      this.#jobs.prioritize(run.id, -place)
    }
  }

  /** Breaks a download off, and waits until nothing of it runs; what is there stays. It goes on no more until `allow`. */
  async halt(entry: Entry): Promise<void> {
    this.#halted.add(entry)
    const run = this.#runs.get(entry)
    if (!run) return
    run.held = true
    this.#jobs.hold(run.id)
    // What waits for a folder that hangs ends when the folder responds; until then it is not begun anew.
    await within(STOPPING, run.attempt)
    this.#pipeline.list.live(entry, null)
  }

  /** What was broken off is as it should be now: whatever waits may run. */
  allow(): void {
    this.#halted.clear()
    this.goOn()
  }

  /** It is off the list. */
  drop(entry: Entry): void {
    const run = this.#runs.get(entry)
    if (run) this.#jobs.cancel(run.id)
  }

  /** Ends all automatic pauses, and makes connections without data for 5 s anew. */
  retryNow(): void {
    this.#retry(() => true)
  }

  /** The same for the files of one account. */
  wake(account: AccountId): void {
    this.#retry((entry) => entry.stored.account === account)
  }

  #retry(isMeant: (entry: Entry) => boolean): void {
    const now = this.#clock.now()
    for (const [entry, run] of this.#runs) {
      if (!isMeant(entry)) continue
      // A clock that was put back says nothing about how long it has been.
      const still = entry.live?.kind === 'running' && Math.abs(now - entry.movedAt) > STILL
      if (entry.live?.kind === 'paused') this.#pipeline.list.live(entry, null)
      else if (!still) continue
      this.#jobs.restart(run.id)
    }
    this.goOn()
  }

  /** Breaks off all that runs, until it is opened again. */
  async close(): Promise<void> {
    this.#open = false
    await Promise.all([...this.#runs.keys()].map((entry) => this.halt(entry)))
  }

  #begin(entry: Entry, priority: number): Run {
    const { account, name } = entry.stored
    const { id } = this.#jobs.run({
      ...{ kind: 'download', account, subject: entry.id, title: name === '' ? 'Raw report' : name },
      ...{ unit: 'bytes', priority, wished: (wish) => this.#wished(wish, entry) },
      run: (context) => {
        const attempt = this.#attempt(entry, run, context)
        run.attempt = attempt.catch(() => undefined)
        return attempt
      },
    })
    const run: Run = {
      ...{ id, held: false, attempt: Promise.resolve() },
      ...{ tries: 0, failedTries: 0, maxBytes: 0 },
    }
    this.#runs.set(entry, run)
    void this.#jobs.ended(id).then(() => this.#runs.delete(entry))
    return run
  }

  async #attempt(entry: Entry, run: Run, context: JobContext): Promise<JobResult> {
    const { list } = this.#pipeline
    list.live(entry, { kind: 'running', got: entry.got })
    try {
      await this.#pipeline.run(entry, context)
      list.live(entry, null)
      const { folder, file } = entry.stored
      return { folder, file, rows: null }
    } catch (error) {
      if (!context.signal.aborted) throw await this.#trouble(entry, run, error)
      Object.assign(run, { tries: 0, failedTries: 0 })
      list.live(entry, null)
      throw error
    }
  }

  /** @returns what its job is told of it */
  async #trouble(entry: Entry, run: Run, error: unknown): Promise<Error> {
    if (error instanceof ThreadEnded)
      this.#events.emit({ kind: 'worker/ended', worker: 'archives', cause: error.cause })
    const errorClass = classifyError(error, entry.stored.host)
    switch (errorClass.kind) {
      case 'fail':
        return await this.#fail(entry, errorClass.failure)
      case 'pause': {
        const { failure, why } = errorClass
        this.#pipeline.list.live(entry, { kind: 'paused', why })
        return new TryAgain(failure, why === 'disk' ? pauseAfter('disk', 1) : null)
      }
      case 'again':
        return await this.#again(entry, run, errorClass)
    }
  }

  async #again(
    entry: Entry,
    run: Run,
    { max, anew, failure, why }: Extract<ErrorClass, { kind: 'again' }>,
  ): Promise<Error> {
    if (entry.got > run.maxBytes && !anew) run.tries = 0
    run.maxBytes = Math.max(run.maxBytes, entry.got)
    run.tries += 1
    if (anew) run.failedTries += 1
    if ((anew ? run.failedTries : run.tries) >= max) return await this.#fail(entry, failure)
    if (anew) await this.#beginAnew(entry)
    this.#pipeline.list.live(entry, { kind: 'paused', why })
    return new TryAgain(failure, byChance('download', pauseAfter('download', run.tries), this.#random))
  }

  async #beginAnew(entry: Entry): Promise<void> {
    const path = partPath(entry)
    if (path !== null) await this.#discard(entry, path)
    entry.got = 0
    await this.#pipeline.list.update(entry, { etag: null, size: null })
  }

  /** What may be worth going on with is kept, for as long as the person keeps the download. */
  async #fail(entry: Entry, failure: Failure): Promise<DeskFailure> {
    const path = partPath(entry)
    const useful = ['offline', 'timed-out', 'server-trouble', 'disk', 'internal'].includes(failure.kind)
    if (path !== null && !useful) await this.#discard(entry, path)
    const { list } = this.#pipeline
    const named = entry.stored.state.kind === 'unpacking'
    const state = { kind: 'failed', failure, named } as const
    await list.update(entry, { ...(!useful && { part: null, etag: null }), state })
    list.live(entry, null)
    return new DeskFailure(failure)
  }

  async #discard({ stored }: Entry, path: string): Promise<void> {
    await this.#pipeline.looks.run(stored.folder, () => discardPart(path)).catch(() => undefined)
  }
}
