import { instantOf } from '#shared/values/ids.ts'
import type { Instant } from '#shared/values/ids.ts'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { DeskFailure, failureOf } from '#shared/api/failure.ts'
import { isOver } from '#shared/app/jobs.ts'
import type { CutCells, Job, JobId, JobKind, JobProgress, JobState } from '#shared/app/jobs.ts'
import type { Failure } from '#shared/api/failure.ts'
import type { AppEvents } from './app-events.ts'
import { cancelled, throwIfCancelled, withSignal } from './async.ts'
import type { Clock } from './async.ts'
import { Lane } from './lanes.ts'
import type { Handlers, Module } from './module.ts'

/** Result of a job. `file` is the name without its folder; null if the job wrote none. */
export type JobResult = {
  readonly file: string | null
  readonly folder: string
  readonly rows: number | null
  /** Cells of a workbook that were truncated; absent if none. */
  readonly cut?: CutCells
}

/** Passed to a job's work. The work must end soon after the signal, and may report progress. */
export type JobContext = {
  readonly signal: AbortSignal
  readonly progress: (progress: JobProgress) => void
  /**
   * Between parts of the work: queues the job again, behind waiting jobs of the kind with a higher priority.
   * @throws DeskFailure `cancelled`
   */
  readonly requeue: (priority: number) => Promise<void>
}

/** State that the user requests of a job. */
export type RequestedState = 'run' | 'pause' | 'cancel'

export type JobOrder = Pick<Job, 'kind' | 'account' | 'subject' | 'title'> & {
  readonly unit: JobProgress['unit']
  /** Identifies repeated work of the kind. `recordOf` returns how the jobs with this key went. */
  readonly key?: string
  /** Higher values run first among waiting jobs of the kind; defaults to 0. */
  readonly priority?: number
  /** Whether the job leaves the list as soon as it ends, because the user did not start it. */
  readonly passing?: boolean
  /** For jobs that survive a restart: stores the requested state, then applies it to the job. */
  readonly onRequest?: (requested: RequestedState) => Promise<unknown>
  /**
   * Runs the job. After a pause or failure it is called again, and either continues or starts over.
   * @throws DeskFailure; TryAgain
   */
  readonly run: (context: JobContext) => Promise<JobResult | null>
}

/** How the jobs of one kind and key went in this session. The record remains when the jobs leave the list. */
export type JobRecord = {
  readonly kind: JobKind
  readonly key: string
  /** The job that has not ended, unless it was withdrawn. */
  readonly active: Job | null
  /** The last job that ended, unless it was withdrawn. */
  readonly last: Job | null
  /** Last failure since a job was done. Cancelled jobs do not change it. */
  readonly failure: Failure | null
  /** Time at which the newest job was started, withdrawn or not. */
  readonly startedAt: Instant
}

/** Thrown by work to be retried after `pause` milliseconds; if null, once the job is resumed. */
export class TryAgain extends Error {
  readonly failure: Failure
  readonly pause: number | null

  constructor(failure: Failure, pause: number | null) {
    super(failure.message)
    this.failure = failure
    this.pause = pause
  }
}

/** Maximum number of concurrent jobs per kind; others wait. Exports are not queued: `Exports` limits them. */
const concurrencyByKind: { readonly [K in JobKind]: number | null } = {
  ...{ download: 3, publish: 1, backup: 1, view: 1, look: 1, import: 1 },
  export: null,
}

/** Maximum number of ended jobs remembered per kind. Active jobs are always remembered. */
const maxRemembered = 20
/** Minimum interval between progress events, in milliseconds. */
const notifyEvery = 200

type Entry = {
  job: Job
  readonly order: JobOrder
  path: string | null
  priority: number
  emittedAt: number
  requested: RequestedState
  /** Replaced and aborted on each change of `requested`. */
  controller: AbortController
  ended: Promise<JobState>
}

/** `entry` is the newest job of the key; null once that job has ended or was withdrawn. */
type StoredRecord = Omit<JobRecord, 'active'> & { readonly entry: Entry | null }

/** All background jobs, with their progress and cancellation. */
export class Jobs implements Module {
  readonly name = 'jobs'
  readonly handlers = {
    'jobs/list': () => this.list(),
    'jobs/cancel': ({ id }) => this.#request(id, 'cancel'),
    'jobs/pause': ({ id }) => this.#request(id, 'pause'),
    'jobs/resume': ({ id }) => this.#request(id, 'run'),
    'jobs/seen': ({ id }) => this.see(id),
    'jobs/dismiss': ({ id }) => this.dismiss(id),
  } satisfies Partial<Handlers>
  readonly #events: AppEvents
  readonly #clock: Clock
  readonly #entries = new Map<JobId, Entry>()
  readonly #lanes = new Map<JobKind, Lane>()
  /** By kind and key, in the order of the last ends. */
  readonly #records = new Map<string, StoredRecord>()
  #stopped = false

  constructor(events: AppEvents, clock: Clock) {
    this.#events = events
    this.#clock = clock
  }

  /** Starts a job and returns at once. After `stop` a new job is cancelled immediately. */
  run(order: JobOrder): { readonly id: JobId } {
    const { kind, account, subject, title, unit, priority = 0 } = order
    const id = randomUUID() as JobId
    const state = concurrencyByKind[kind] === null ? running(unit) : ({ kind: 'queued' } as const)
    const entry: Entry = {
      ...{
        job: { id, kind, account, subject, title, state, endedAt: null, seen: false },
        order,
        ...{ path: null, priority },
        emittedAt: this.#clock.now(),
      },
      ...{ requested: 'run', controller: new AbortController(), ended: Promise.resolve(state) },
    }
    this.#forgetBefore(entry.job)
    this.#recordStart(entry)
    this.#entries.set(id, entry)
    if (this.#stopped) entry.requested = 'cancel'
    else this.#emit(entry)
    entry.ended = this.#work(entry)
    return { id }
  }

  /**
   * Runs work as a job and awaits its result.
   * @param signal also cancels the job
   * @throws DeskFailure the job's failure; `cancelled`
   */
  async finish<T>(
    { run, ...order }: Omit<JobOrder, 'run'> & { readonly run: (context: JobContext) => Promise<T> },
    signal?: AbortSignal,
  ): Promise<T> {
    let finished: { readonly value: T } | null = null
    const work = async (context: JobContext) => {
      finished = { value: await run(context) }
      return null
    }
    const { id } = this.run({ ...order, run: work })
    const cancel = () => this.cancel(id)
    if (signal?.aborted) cancel()
    signal?.addEventListener('abort', cancel, { once: true })
    const state = await this.ended(id).finally(() => signal?.removeEventListener('abort', cancel))
    if (state.kind === 'failed') throw new DeskFailure(state.failure)
    return valueOf(finished)
  }

  list(): readonly Job[] {
    return [...this.#entries.values()].map(({ job }) => job)
  }

  /** Returns the record of a key; null if no job had the key since `forget`. */
  recordOf(kind: JobKind, key: string): JobRecord | null {
    const record = this.#records.get(recordId(kind, key))
    return record ? shownRecord(record) : null
  }

  /** Returns all records of a kind, in the order of their last ends. */
  recordsOf(kind: JobKind): readonly JobRecord[] {
    return [...this.#records.values()].filter((record) => record.kind === kind).map(shownRecord)
  }

  /** Resolves with the final state of a job. @throws DeskFailure `cancelled` if there is no such job */
  async ended(id: JobId): Promise<JobState> {
    const entry = this.#entries.get(id)
    if (!entry) throw cancelled()
    return await entry.ended
  }

  /** Path of the file that a job wrote; null if it wrote none or belongs to an earlier session. */
  fileOf(id: JobId): string | null {
    return this.#entries.get(id)?.path ?? null
  }

  cancel(id: JobId): null {
    return this.#setRequested(id, 'cancel')
  }

  /**
   * Cancels the active job of a key, as if the job had not run: the record keeps the end of the job before.
   * @param failure recorded instead, as the job's own: a failure of another job that this job would share
   */
  withdraw(kind: JobKind, key: string, failure: Failure | null = null): void {
    const id = recordId(kind, key)
    const record = this.#records.get(id)
    if (!record?.entry) return
    const { entry } = record
    const endedAt = instantOf(this.#clock.now())
    if (failure) this.#recordEnd(entry, { ...entry.job, state: { kind: 'failed', failure }, endedAt })
    else this.#records.set(id, { ...record, entry: null })
    this.cancel(entry.job.id)
  }

  /** Withdraws the active job of a key and deletes the key's record. */
  forget(kind: JobKind, key: string): void {
    this.withdraw(kind, key)
    this.#records.delete(recordId(kind, key))
  }

  /** Pauses a job: aborts the current run until `resume`. */
  hold(id: JobId): null {
    return this.#entries.get(id)?.requested === 'run' ? this.#setRequested(id, 'pause') : null
  }

  /** Resumes a paused job, including one that waits for its retry. */
  resume(id: JobId): null {
    const entry = this.#entries.get(id)
    return entry?.requested === 'pause' || entry?.job.state.kind === 'paused'
      ? this.#setRequested(id, 'run')
      : null
  }

  /** Aborts and restarts a running job, or ends its pause before a retry. */
  restart(id: JobId): null {
    return this.#entries.get(id)?.requested === 'run' ? this.#setRequested(id, 'run') : null
  }

  /** Sets the priority among waiting jobs of the kind, now and for later runs. */
  prioritize(id: JobId, priority: number): void {
    const entry = this.#entries.get(id)
    if (!entry || entry.priority === priority) return
    entry.priority = priority
    this.#laneOf(entry.job.kind)?.prioritize(id, priority)
  }

  /** A window has shown how the job ended. The job stays in the list. */
  see(id: JobId): null {
    const entry = this.#entries.get(id)
    if (entry) entry.job = { ...entry.job, seen: true }
    if (entry) this.#emit(entry)
    return null
  }

  /** Removes an ended job from the list. */
  dismiss(id: JobId): null {
    const entry = this.#entries.get(id)
    if (entry && isOver(entry.job.state)) this.#remove([id])
    return null
  }

  /** Cancels all jobs and accepts no more. Resolves when none is running. */
  async stop(): Promise<void> {
    this.#stopped = true
    await this.cancelAll()
  }

  /** Cancels the jobs of a kind, or of all kinds. Resolves when they have ended. */
  async cancelAll(kind?: JobKind): Promise<void> {
    const entries = [...this.#entries.values()].filter(({ job }) => kind === undefined || job.kind === kind)
    for (const { job } of entries) this.cancel(job.id)
    await Promise.all(entries.map(({ ended }) => ended))
  }

  /** For persistent jobs, the owner stores the user's request before it applies. */
  async #request(id: JobId, requested: RequestedState): Promise<null> {
    const { order, job } = this.#entries.get(id) ?? {}
    if (order?.onRequest && job && !isOver(job.state)) await order.onRequest(requested)
    else if (requested === 'run') this.resume(id)
    else if (requested === 'pause') this.hold(id)
    else this.cancel(id)
    return null
  }

  #setRequested(id: JobId, requested: RequestedState): null {
    const entry = this.#entries.get(id)
    if (!entry || isOver(entry.job.state) || entry.requested === 'cancel') return null
    entry.requested = requested
    const { controller } = entry
    entry.controller = new AbortController()
    controller.abort()
    return null
  }

  /** Runs a job to its end, through pauses and retries. Never rejects. */
  async #work(entry: Entry): Promise<JobState> {
    for (;;) {
      if (entry.requested === 'cancel') return this.#set(entry, { kind: 'cancelled' })
      if (entry.requested === 'pause') {
        await this.#paused(entry, null, null)
        continue
      }
      const { signal } = entry.controller
      try {
        const result = await this.#attempt(entry, signal)
        const { file = null, folder = '', rows = null, cut = [] } = result ?? {}
        entry.path = file === null ? null : join(folder, file)
        return this.#set(entry, { kind: 'done', file, rows, ...(cut.length > 0 && { cut }) })
      } catch (error) {
        // The user cancelled, paused or resumed the job: the next iteration applies that.
        if (signal.aborted) continue
        if (!(error instanceof TryAgain)) return this.#set(entry, endedBy(failureOf(error)))
        await this.#paused(entry, error.failure, error.pause)
      }
    }
  }

  async #attempt(entry: Entry, signal: AbortSignal): Promise<JobResult | null> {
    const { job, order } = entry
    const lane = this.#laneOf(job.kind)
    let leave = () => {}
    const enter = async () => {
      if (lane && entry.job.state.kind !== 'queued') this.#set(entry, { kind: 'queued' })
      if (lane) leave = await lane.enter({ id: job.id, signal, priority: entry.priority })
      throwIfCancelled(signal)
      if (entry.job.state.kind !== 'running') this.#set(entry, running(order.unit))
    }
    // Progress of an ended attempt is ignored.
    let isUnderWay = true
    const progress = (progressNow: JobProgress) => {
      if (isUnderWay && !signal.aborted) this.#set(entry, { kind: 'running', ...progressNow })
    }
    const requeue = async (priority: number) => {
      throwIfCancelled(signal)
      entry.priority = priority
      leave()
      await enter()
    }
    try {
      await enter()
      return await order.run({ signal, progress, requeue })
    } finally {
      isUnderWay = false
      leave()
    }
  }

  /** Waits for the next request, or for the given milliseconds. */
  async #paused(entry: Entry, failure: Failure | null, wait: number | null): Promise<void> {
    const { signal } = entry.controller
    this.#set(entry, { kind: 'paused', failure })
    const until = () => (wait === null ? new Promise<void>(() => undefined) : this.#clock.wait(wait, signal))
    await withSignal(signal, until).catch(() => undefined)
  }

  #laneOf(kind: JobKind): Lane | null {
    const count = concurrencyByKind[kind]
    if (count === null) return null
    const lane = this.#lanes.get(kind) ?? new Lane(count)
    this.#lanes.set(kind, lane)
    return lane
  }

  /** Sets the state and emits it. An ended job never changes. */
  #set(entry: Entry, state: JobState): JobState {
    const before = entry.job.state
    if (isOver(before)) return before
    const endedAt = isOver(state) ? instantOf(this.#clock.now()) : null
    entry.job = { ...entry.job, state, endedAt }
    if (isOver(state)) this.#recordEnd(entry, entry.job)
    const isProgress = before.kind === 'running' && state.kind === 'running'
    const isFirst = isProgress && before.total === null && state.total !== null
    const mayWait = isProgress && !isFirst && this.#clock.now() - entry.emittedAt < notifyEvery
    if (!mayWait) this.#emit(entry)
    if (entry.order.passing && isOver(state)) this.#remove([entry.job.id])
    return state
  }

  #recordStart(entry: Entry): void {
    const { job, order } = entry
    if (order.key === undefined) return
    const { kind } = job
    const { last = null, failure = null } = this.#records.get(recordId(kind, order.key)) ?? {}
    const startedAt = instantOf(this.#clock.now())
    this.#records.set(recordId(kind, order.key), { kind, key: order.key, entry, last, failure, startedAt })
  }

  /** Records how a job ended, unless the job was withdrawn or a newer one of its key has started. */
  #recordEnd(entry: Entry, last: Job): void {
    const id = recordId(last.kind, entry.order.key ?? '')
    const record = this.#records.get(id)
    if (record?.entry !== entry) return
    const { state } = last
    const failure = state.kind === 'failed' ? state.failure : state.kind === 'done' ? null : record.failure
    this.#records.delete(id)
    this.#records.set(id, { ...record, entry: null, last, failure })
  }

  #emit(entry: Entry): void {
    entry.emittedAt = this.#clock.now()
    this.#events.emit({ kind: 'jobs/changed', job: entry.job })
  }

  /** Removes the oldest jobs of the kind beyond the limit, and an earlier job of the same subject. */
  #forgetBefore({ kind, account, subject }: Job): void {
    const ended = this.list().filter((job) => job.kind === kind && isOver(job.state))
    const isSame = (job: Job) => kind !== 'export' && job.account === account && job.subject === subject
    const surplus = ended.length - maxRemembered
    this.#remove(ended.filter((job, place) => isSame(job) || place <= surplus).map(({ id }) => id))
  }

  #remove(ids: readonly JobId[]): void {
    if (ids.length === 0) return
    for (const id of ids) this.#entries.delete(id)
    this.#events.emit({ kind: 'jobs/removed', ids })
  }
}

/** @throws DeskFailure `cancelled` if the work did not finish */
function valueOf<T>(finished: { readonly value: T } | null): T {
  if (finished === null) throw cancelled()
  return finished.value
}

const endedBy = (failure: Failure): JobState =>
  failure.kind === 'cancelled' ? { kind: 'cancelled' } : { kind: 'failed', failure }

const running = (unit: JobProgress['unit']) => ({ kind: 'running', done: 0, total: null, unit }) as const

const recordId = (kind: JobKind, key: string) => `${kind} ${key}`

const shownRecord = ({ entry, ...record }: StoredRecord): JobRecord => ({
  ...record,
  active: entry?.job ?? null,
})
