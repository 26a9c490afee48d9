import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { DeskFailure, failureOf } from '#shared/api/failure.ts'
import { isOver } from '#shared/app/jobs.ts'
import type { CutCells, Job, JobId, JobKind, JobProgress, JobState } from '#shared/app/jobs.ts'
import type { Failure } from '#shared/api/failure.ts'
import type { Instant } from '#shared/values/ids.ts'
import type { Emitter } from './app-events.ts'
import { cancelled, throwIfCancelled, withSignal } from './async.ts'
import type { Clock } from './async.ts'
import { Lane } from './lanes.ts'
import type { Handlers, Module } from './module.ts'

/** What a job made: `file` is the name alone; null where it wrote none. */
export type JobResult = {
  readonly file: string | null
  readonly folder: string
  readonly rows: number | null
  /** Cells of a workbook that were cut; absent where none was. */
  readonly cut?: CutCells
}

/** What a job's work is given: it ends soon after the signal, and says now and then how far it is. */
export type JobContext = {
  readonly signal: AbortSignal
  readonly progress: (progress: JobProgress) => void
}

/** What a person wants of a job. */
export type Wish = 'run' | 'pause' | 'cancel'

export type JobOrder = Pick<Job, 'kind' | 'account' | 'subject' | 'title'> & {
  readonly unit: JobProgress['unit']
  /** The highest in its lane goes first; nought where left out. */
  readonly priority?: number
  /** Whether it leaves the list as soon as it is over: nobody asked for it. */
  readonly passing?: boolean
  /** Where it outlives this session: stores what a person wishes of it, and then wishes it of the job. */
  readonly wished?: (wish: Wish) => Promise<unknown>
  /** @throws DeskFailure; TryAgain. It may be called again after a pause or a failure: it goes on from what it left, or begins anew. */
  readonly run: (context: JobContext) => Promise<JobResult | null>
}

/** Thrown by work that is run again after a pause in milliseconds, or once it is resumed where there is none. */
export class TryAgain extends Error {
  readonly failure: Failure
  readonly pause: number | null

  constructor(failure: Failure, pause: number | null) {
    super(failure.message)
    this.failure = failure
    this.pause = pause
  }
}

/**
 * Jobs of a kind that run at once; the others of it wait. Exports have no lane: who asks for too many is refused. Updates
 * come one at a time.
 */
const places: { readonly [K in JobKind]: number | null } = {
  ...{ download: 3, publish: 1, backup: 1, view: 1, look: 1, import: 1 },
  ...{ export: null, update: null },
}

/** So many of a kind are remembered; those that are not over always are. */
const maxRemembered = 20
/** How far one is, is told about five times a second once it is known how much there is. In milliseconds. */
const notifyEvery = 200

type Entry = {
  job: Job
  readonly order: JobOrder
  path: string | null
  priority: number
  emittedAt: number
  wish: Wish
  /** Aborted with every other wish. */
  turn: AbortController
  ended: Promise<JobState>
}

/** Everything that goes on behind the window, in one list, with one way to be stopped. */
export class Jobs implements Module {
  readonly name = 'jobs'
  readonly handlers = {
    'jobs/list': () => this.list(),
    'jobs/cancel': ({ id }) => this.#wished(id, 'cancel'),
    'jobs/pause': ({ id }) => this.#wished(id, 'pause'),
    'jobs/resume': ({ id }) => this.#wished(id, 'run'),
    'jobs/seen': ({ id }) => this.see(id),
    'jobs/dismiss': ({ id }) => this.dismiss(id),
  } satisfies Partial<Handlers>
  readonly #events: Emitter
  readonly #clock: Clock
  readonly #entries = new Map<JobId, Entry>()
  readonly #lanes = new Map<JobKind, Lane>()
  #stopped = false

  constructor(events: Emitter, clock: Clock) {
    this.#events = events
    this.#clock = clock
  }

  /** Begins a job, and comes back at once. Once all were stopped, it is cancelled as it begins. */
  run(order: JobOrder): { readonly id: JobId } {
    const { kind, account, subject, title, unit, priority = 0 } = order
    const id = randomUUID() as JobId
    const state = places[kind] === null ? running(unit) : ({ kind: 'queued' } as const)
    const entry: Entry = {
      ...{
        job: { id, kind, account, subject, title, state, endedAt: null, seen: false },
        order,
        ...{ path: null, priority },
        emittedAt: this.#clock.now(),
      },
      ...{ wish: 'run', turn: new AbortController(), ended: Promise.resolve(state) },
    }
    this.#forgetBefore(entry.job)
    this.#entries.set(id, entry)
    if (this.#stopped) entry.wish = 'cancel'
    else this.#emit(entry)
    entry.ended = this.#work(entry)
    return { id }
  }

  /** Runs work as a job to its end. @param signal cancels it, too. @throws DeskFailure why it failed; `cancelled` */
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

  /** How a job ended, once it has. @throws DeskFailure `cancelled` where there is none */
  async ended(id: JobId): Promise<JobState> {
    const entry = this.#entries.get(id)
    if (!entry) throw cancelled()
    return await entry.ended
  }

  /** The file that a job wrote; null where it wrote none, or is not of this session. */
  fileOf(id: JobId): string | null {
    return this.#entries.get(id)?.path ?? null
  }

  cancel(id: JobId): null {
    return this.#wish(id, 'cancel')
  }

  /** It ends as soon as it can, and goes on when it is resumed. */
  hold(id: JobId): null {
    return this.#entries.get(id)?.wish === 'run' ? this.#wish(id, 'pause') : null
  }

  /** Goes on with one that is paused, also automatically. */
  resume(id: JobId): null {
    const entry = this.#entries.get(id)
    return entry?.wish === 'pause' || entry?.job.state.kind === 'paused' ? this.#wish(id, 'run') : null
  }

  /** Begins anew what runs, and ends the pause of what is to be tried again. */
  restart(id: JobId): null {
    return this.#entries.get(id)?.wish === 'run' ? this.#wish(id, 'run') : null
  }

  /** Gives it another place among those that wait in its lane, now and later. */
  prioritize(id: JobId, priority: number): void {
    const entry = this.#entries.get(id)
    if (!entry || entry.priority === priority) return
    entry.priority = priority
    this.#laneOf(entry.job.kind)?.prioritize(id, priority)
  }

  /** A window has said how it ended: it stays in the list. */
  see(id: JobId): null {
    const entry = this.#entries.get(id)
    if (entry) entry.job = { ...entry.job, seen: true }
    if (entry) this.#emit(entry)
    return null
  }

  /** Takes one that is over off the list. */
  dismiss(id: JobId): null {
    const entry = this.#entries.get(id)
    if (entry && isOver(entry.job.state)) this.#remove([id])
    return null
  }

  /** Cancels all of them, and takes no more; done when none runs. */
  async stop(): Promise<void> {
    this.#stopped = true
    for (const id of this.#entries.keys()) this.cancel(id)
    await Promise.all([...this.#entries.values()].map(({ ended }) => ended))
  }

  /** Who stored the job hears first of what a person wishes of it. */
  async #wished(id: JobId, wish: Wish): Promise<null> {
    const { order, job } = this.#entries.get(id) ?? {}
    if (order?.wished && job && !isOver(job.state)) await order.wished(wish)
    else if (wish === 'run') this.resume(id)
    else if (wish === 'pause') this.hold(id)
    else this.cancel(id)
    return null
  }

  #wish(id: JobId, wish: Wish): null {
    const entry = this.#entries.get(id)
    if (!entry || isOver(entry.job.state) || entry.wish === 'cancel') return null
    entry.wish = wish
    const { turn } = entry
    entry.turn = new AbortController()
    turn.abort()
    return null
  }

  /** From its first turn to its end. Never rejects. */
  async #work(entry: Entry): Promise<JobState> {
    for (;;) {
      if (entry.wish === 'cancel') return this.#set(entry, { kind: 'cancelled' })
      if (entry.wish === 'pause') {
        await this.#paused(entry, null, null)
        continue
      }
      const { signal } = entry.turn
      try {
        const result = await this.#attempt(entry, signal)
        const { file = null, folder = '', rows = null, cut = [] } = result ?? {}
        entry.path = file === null ? null : join(folder, file)
        return this.#set(entry, { kind: 'done', file, rows, ...(cut.length > 0 && { cut }) })
      } catch (error) {
        // A person cancelled, paused or resumed it: the next turn does that.
        if (signal.aborted) continue
        if (!(error instanceof TryAgain)) return this.#set(entry, endedBy(failureOf(error)))
        await this.#paused(entry, error.failure, error.pause)
      }
    }
  }

  async #attempt(entry: Entry, signal: AbortSignal): Promise<JobResult | null> {
    const { kind, unit, run } = entry.order
    const work = async () => {
      throwIfCancelled(signal)
      if (entry.job.state.kind !== 'running') this.#set(entry, running(unit))
      // What comes of an attempt that is over says nothing any more.
      let isUnderWay = true
      const progress = (progressNow: JobProgress) => {
        if (isUnderWay && !signal.aborted) this.#set(entry, { kind: 'running', ...progressNow })
      }
      try {
        return await run({ signal, progress })
      } finally {
        isUnderWay = false
      }
    }
    const lane = this.#laneOf(kind)
    if (lane === null) return await work()
    if (entry.job.state.kind !== 'queued') this.#set(entry, { kind: 'queued' })
    return await lane.run(work, { id: entry.job.id, signal, priority: entry.priority })
  }

  /** Waits until another wish, or for so many milliseconds. */
  async #paused(entry: Entry, failure: Failure | null, wait: number | null): Promise<void> {
    const { signal } = entry.turn
    this.#set(entry, { kind: 'paused', failure })
    const until = () => (wait === null ? new Promise<void>(() => undefined) : this.#clock.wait(wait, signal))
    await withSignal(signal, until).catch(() => undefined)
  }

  #laneOf(kind: JobKind): Lane | null {
    const count = places[kind]
    if (count === null) return null
    const lane = this.#lanes.get(kind) ?? new Lane(count)
    this.#lanes.set(kind, lane)
    return lane
  }

  /** Says how one stands now. What is over stays so. */
  #set(entry: Entry, state: JobState): JobState {
    const before = entry.job.state
    if (isOver(before)) return before
    const endedAt = isOver(state) ? (this.#clock.now() as Instant) : null
    entry.job = { ...entry.job, state, endedAt }
    const isProgress = before.kind === 'running' && state.kind === 'running'
    const isFirst = isProgress && before.total === null && state.total !== null
    const mayWait = isProgress && !isFirst && this.#clock.now() - entry.emittedAt < notifyEvery
    if (!mayWait) this.#emit(entry)
    if (entry.order.passing && isOver(state)) this.#remove([entry.job.id])
    return state
  }

  #emit(entry: Entry): void {
    entry.emittedAt = this.#clock.now()
    this.#events.emit({ kind: 'jobs/changed', job: entry.job })
  }

  /** Forgets the oldest of a kind, and what came before of the same. */
  #forgetBefore({ kind, account, subject }: Job): void {
    const ended = this.list().filter((job) => job.kind === kind && isOver(job.state))
    const isSame = (job: Job) => kind !== 'export' && job.account === account && job.subject === subject
    const rest = ended.length - maxRemembered
    this.#remove(ended.filter((job, place) => isSame(job) || place <= rest).map(({ id }) => id))
  }

  #remove(ids: readonly JobId[]): void {
    if (ids.length === 0) return
    for (const id of ids) this.#entries.delete(id)
    this.#events.emit({ kind: 'jobs/removed', ids })
  }
}

/** What came of work that is done. @throws DeskFailure `cancelled` where it is not */
function valueOf<T>(finished: { readonly value: T } | null): T {
  if (finished === null) throw cancelled()
  return finished.value
}

const endedBy = (failure: Failure): JobState =>
  failure.kind === 'cancelled' ? { kind: 'cancelled' } : { kind: 'failed', failure }

const running = (unit: JobProgress['unit']) => ({ kind: 'running', done: 0, total: null, unit }) as const
