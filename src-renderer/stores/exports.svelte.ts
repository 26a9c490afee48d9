import { QueryObserver } from '@tanstack/svelte-query'
import type { ExportId, ExportProgress } from '#shared/exports/order.ts'
import type { Asking } from '#renderer/queries/answers.ts'
import { exportList } from '#renderer/queries/exports.ts'
import { Stays } from './stays.ts'
import type { HeldFor, Timers } from './stays.ts'

/** What went well asks nothing, and goes by itself after so long. In milliseconds. */
const STAYS = 10_000

/** What is being taken out of the app, and what was, as long as it is on screen: the newest last. */
export class Exports {
  list = $state.raw<readonly ExportProgress[]>([])
  readonly #app: Asking
  readonly #stays: Stays<ExportId>
  readonly #ended: (progress: ExportProgress) => void
  #dismissed: readonly ExportId[] = []

  /** @param ended hears of each that is saved or has failed */
  constructor(app: Asking, timers: Timers, ended: (progress: ExportProgress) => void) {
    this.#app = app
    this.#stays = new Stays(timers, (id) => this.dismiss(id))
    this.#ended = ended
    new QueryObserver(app.queries, exportList(app.bridge)).subscribe(({ data = [] }) => this.#take(data))
  }

  /** Takes one that has ended off the list. */
  dismiss(id: ExportId): void {
    this.#stays.end(id)
    this.#dismissed = [...this.#dismissed, id]
    this.list = this.list.filter((progress) => progress.id !== id)
    void this.#app.bridge.call('exports/dismiss', { id })
  }

  /** While somebody looks at them, or nobody can, none goes by itself. */
  hold(why: HeldFor, held: boolean): void {
    this.#stays.hold(why, held)
  }

  /** The newest, at most so many: what asks for something before what went well. */
  newest(max: number): readonly ExportProgress[] {
    const asking = this.list.filter(({ state }) => state.kind !== 'done').slice(-max)
    const done = this.list.filter(({ state }) => state.kind === 'done').slice(asking.length - max)
    return this.list.filter((one) => asking.includes(one) || (asking.length < max && done.includes(one)))
  }

  /** What was cancelled needs no more words. */
  #take(data: readonly ExportProgress[]): void {
    const before = this.list
    const shown = data.filter(({ id }) => !this.#dismissed.includes(id))
    this.list = shown.filter(({ state }) => state.kind !== 'cancelled')
    for (const progress of shown) {
      const { id, state } = progress
      if (state.kind === before.find((known) => known.id === id)?.state.kind) continue
      if (state.kind === 'cancelled') this.dismiss(id)
      if (state.kind === 'done') this.#stays.begin(id, STAYS)
      if (state.kind === 'done' || state.kind === 'failed') this.#ended(progress)
    }
  }
}
