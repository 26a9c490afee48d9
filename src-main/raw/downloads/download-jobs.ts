import type { DownloadsContext } from './downloads-context.ts'
import type { JobContext, JobResult, RequestedState } from '#main/lib/jobs.ts'
import type { Failure } from '#shared/api/failure.ts'
import { failureMeanings } from '#shared/api/failure-meanings.ts'
import type { JobId } from '#shared/app/jobs.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { DeskFailure } from '#shared/api/failure.ts'
import { within } from '#main/lib/async.ts'
import { TryAgain } from '#main/lib/jobs.ts'
import { byChance, pauseAfter } from '#main/lib/retry.ts'
import { discardPart } from './part-file.ts'
import { partPath } from './pipeline.ts'
import type { Pipeline } from './pipeline.ts'
import { WorkerEnded, classifyError } from './trouble.ts'
import type { DownloadItem } from './download-list.ts'
import type { ErrorClass } from './trouble.ts'

/**
 * Time without data after which a connection is replaced when the computer wakes up or its network changes, in
 * milliseconds.
 */
const STILL = 5000

/** Maximum wait for an aborted attempt, in milliseconds. */
const STOPPING = 5000

type Run = {
  readonly id: JobId
  /** Paused by the user, individually or by the request for quiet. */
  held: boolean
  /** Settles when the last attempt has ended. */
  attempt: Promise<unknown>
  /** Consecutive attempts without progress. */
  tries: number
  /** Attempts whose data was useless. */
  uselessTries: number
  /** Maximum of bytes ever present. Only more than this counts as progress. */
  maxBytes: number
}

const isWaiting = ({ stored }: DownloadItem) =>
  ['waiting', 'publishing', 'unpacking'].includes(stored.state.kind)

/** Runs waiting downloads as jobs in the user's order, and reacts to errors. */
export class DownloadJobs {
  readonly #context: DownloadsContext
  readonly #pipeline: Pipeline
  readonly #onRequest: (requested: RequestedState, entry: DownloadItem) => Promise<unknown>
  readonly #runs = new Map<DownloadItem, Run>()
  /** Downloads that must not resume before `allow`. */
  readonly #halted = new Set<DownloadItem>()
  #open = false

  /** @param onRequest stores a pause, resume or cancel request from the list of jobs */
  constructor(
    context: DownloadsContext,
    pipeline: Pipeline,
    onRequest: (requested: RequestedState, entry: DownloadItem) => Promise<unknown>,
  ) {
    this.#context = context
    this.#pipeline = pipeline
    this.#onRequest = onRequest
  }

  open(): void {
    this.#open = true
    this.goOn()
  }

  /** Starts or resumes waiting downloads in the user's order. */
  goOn(): void {
    if (!this.#open) return
    for (const [place, entry] of this.#pipeline.list.entries.entries()) {
      if (!isWaiting(entry) || this.#halted.has(entry)) continue
      const run = this.#runs.get(entry) ?? this.#begin(entry, -place)
      if (run.held) this.#context.jobs.resume(run.id)
      run.held = false
      this.#context.jobs.prioritize(run.id, -place)
    }
  }

  /** Aborts a download and waits until it has ended. Its part remains; it does not resume before `allow`. */
  async halt(entry: DownloadItem): Promise<void> {
    this.#halted.add(entry)
    const run = this.#runs.get(entry)
    if (!run) return
    run.held = true
    this.#context.jobs.hold(run.id)
    // An attempt in a hanging folder ends when the folder responds, and is not restarted before.
    await within(STOPPING, run.attempt)
    this.#pipeline.list.live(entry, null)
  }

  /** Lets halted downloads run again. */
  allow(): void {
    this.#halted.clear()
    this.goOn()
  }

  drop(entry: DownloadItem): void {
    const run = this.#runs.get(entry)
    if (run) this.#context.jobs.cancel(run.id)
  }

  /** Ends all automatic pauses, and replaces connections without data for 5 s. */
  retryNow(): void {
    this.#retry(() => true)
  }

  /** Same as `retryNow` for one account. */
  wake(account: AccountId): void {
    this.#retry((entry) => entry.stored.account === account)
  }

  #retry(isMeant: (entry: DownloadItem) => boolean): void {
    const now = this.#context.clock.now()
    for (const [entry, run] of this.#runs) {
      if (!isMeant(entry)) continue
      // A clock that was set back does not measure the time without data.
      const still = entry.live?.kind === 'running' && Math.abs(now - entry.movedAt) > STILL
      if (entry.live?.kind === 'paused') this.#pipeline.list.live(entry, null)
      else if (!still) continue
      this.#context.jobs.restart(run.id)
    }
    this.goOn()
  }

  /** Aborts all downloads until `open`. */
  async close(): Promise<void> {
    this.#open = false
    await Promise.all([...this.#runs.keys()].map((entry) => this.halt(entry)))
  }

  #begin(entry: DownloadItem, priority: number): Run {
    const { account, name } = entry.stored
    const { id } = this.#context.jobs.run({
      ...{ kind: 'download', account, subject: entry.id, title: name === '' ? 'Raw report' : name },
      ...{ unit: 'bytes', priority, onRequest: (requested) => this.#onRequest(requested, entry) },
      run: (context) => {
        const attempt = this.#attempt(entry, run, context)
        run.attempt = attempt.catch(() => undefined)
        return attempt
      },
    })
    const run: Run = {
      ...{ id, held: false, attempt: Promise.resolve() },
      ...{ tries: 0, uselessTries: 0, maxBytes: 0 },
    }
    this.#runs.set(entry, run)
    void this.#context.jobs.ended(id).then(() => this.#runs.delete(entry))
    return run
  }

  async #attempt(entry: DownloadItem, run: Run, context: JobContext): Promise<JobResult> {
    const { list } = this.#pipeline
    list.live(entry, { kind: 'running', got: entry.got })
    try {
      await this.#pipeline.run(entry, context)
      list.live(entry, null)
      const { folder, file } = entry.stored
      return { folder, file, rows: null }
    } catch (error) {
      if (!context.signal.aborted) throw await this.#trouble(entry, run, error)
      run.tries = 0
      run.uselessTries = 0
      list.live(entry, null)
      throw error
    }
  }

  /** @returns the error for the job */
  async #trouble(entry: DownloadItem, run: Run, error: unknown): Promise<Error> {
    if (error instanceof WorkerEnded)
      this.#context.events.emit({ kind: 'worker/ended', worker: 'archives', cause: error.cause })
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
    entry: DownloadItem,
    run: Run,
    { max, anew, failure, why }: Extract<ErrorClass, { kind: 'again' }>,
  ): Promise<Error> {
    if (entry.got > run.maxBytes && !anew) run.tries = 0
    run.maxBytes = Math.max(run.maxBytes, entry.got)
    run.tries += 1
    if (anew) run.uselessTries += 1
    if ((anew ? run.uselessTries : run.tries) >= max) return await this.#fail(entry, failure)
    if (anew) await this.#beginAnew(entry)
    this.#pipeline.list.live(entry, { kind: 'paused', why })
    return new TryAgain(
      failure,
      byChance('download', pauseAfter('download', run.tries), this.#context.random),
    )
  }

  async #beginAnew(entry: DownloadItem): Promise<void> {
    const path = partPath(entry)
    if (path !== null) await this.#discard(entry, path)
    entry.got = 0
    await this.#pipeline.list.update(entry, { etag: null, size: null })
  }

  /** Fails a download. A part that may be continued remains. */
  async #fail(entry: DownloadItem, failure: Failure): Promise<DeskFailure> {
    const path = partPath(entry)
    // The disk and the app's own errors do not make the part useless.
    const useful =
      failureMeanings[failure.kind].remedy === 'retry' || ['disk', 'internal'].includes(failure.kind)
    if (path !== null && !useful) await this.#discard(entry, path)
    const { list } = this.#pipeline
    const named = entry.stored.state.kind === 'unpacking'
    const state = { kind: 'failed', failure, named } as const
    await list.update(entry, { ...(!useful && { part: null, etag: null }), state })
    list.live(entry, null)
    return new DeskFailure(failure)
  }

  async #discard({ stored }: DownloadItem, path: string): Promise<void> {
    await this.#context.folderGuard.run(stored.folder, () => discardPart(path)).catch(() => undefined)
  }
}
