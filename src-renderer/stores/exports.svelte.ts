import { QueryObserver } from '@tanstack/svelte-query'
import type { Job, JobId } from '#shared/app/jobs.ts'
import type { Asking } from '#renderer/queries/answers.ts'
import { jobList, onJob } from '#renderer/queries/jobs.ts'
import { Stays } from './stays.ts'
import type { HeldFor, Timers } from './stays.ts'

/** A successful export disappears after this time, in ms. */
const STAYS = 10_000

/** Exports on screen, running and ended, the newest last. */
export class ShownExports {
  list = $state.raw<readonly Job[]>([])
  readonly #app: Asking
  readonly #stays: Stays<JobId>
  readonly #onEnd: (job: Job) => void
  #hiddenJobs: readonly JobId[] = []

  /** @param ended called with each export that was saved or failed */
  constructor(app: Asking, timers: Timers, ended: (job: Job) => void) {
    this.#app = app
    this.#stays = new Stays(timers, (id) => this.#hide(id, 'jobs/seen'))
    this.#onEnd = ended
    new QueryObserver(app.queries, jobList(app.bridge)).subscribe(({ data = [] }) =>
      this.#take(data.filter(({ kind }) => kind === 'export')),
    )
  }

  /** Removes an ended export from the list. */
  dismiss(id: JobId): void {
    this.#hide(id, 'jobs/dismiss')
  }

  #hide(id: JobId, call: 'jobs/seen' | 'jobs/dismiss'): void {
    this.#stays.end(id)
    this.#hiddenJobs = [...this.#hiddenJobs, id]
    this.list = this.list.filter((job) => job.id !== id)
    onJob(this.#app, call, id)
  }

  /** While held, no export disappears. */
  hold(reason: HeldFor, held: boolean): void {
    this.#stays.hold(reason, held)
  }

  /** Returns at most `max` of the newest exports. Unfinished and failed exports come before successful ones. */
  newest(max: number): readonly Job[] {
    const asking = this.list.filter(({ state }) => state.kind !== 'done').slice(-max)
    const done = this.list.filter(({ state }) => state.kind === 'done').slice(asking.length - max)
    return this.list.filter((job) => asking.includes(job) || (asking.length < max && done.includes(job)))
  }

  /** Cancelled exports are dismissed at once. */
  #take(data: readonly Job[]): void {
    const before = this.list
    const shown = data.filter(({ id, seen }) => !seen && !this.#hiddenJobs.includes(id))
    this.list = shown.filter(({ state }) => state.kind !== 'cancelled')
    for (const job of shown) {
      const { id, state } = job
      if (state.kind === before.find((known) => known.id === id)?.state.kind) continue
      if (state.kind === 'cancelled') this.dismiss(id)
      if (state.kind === 'done') this.#stays.begin(id, STAYS)
      if (state.kind === 'done' || state.kind === 'failed') this.#onEnd(job)
    }
  }
}
