import type { DeskBridge } from '#shared/bridge/calls.ts'
import type { ExportId, ExportOrder, ExportProgress } from '#shared/exports/order.ts'
import type { Failure } from '#shared/api/failure.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { Stays } from './stays.ts'
import type { HeldFor, Timers } from './stays.ts'

/** What went well asks nothing, and goes by itself after so long. In milliseconds. */
const STAYS = 10_000

/** What is being taken out of the app, and what was: the newest last. */
export class Exports {
  list = $state.raw<readonly ExportProgress[]>([])
  readonly #bridge: DeskBridge
  readonly #stays: Stays<ExportId>
  readonly #ended: (progress: ExportProgress) => void
  #dismissed: readonly ExportId[] = []

  /** @param ended hears of each that is saved or has failed */
  constructor(bridge: DeskBridge, timers: Timers, ended: (progress: ExportProgress) => void) {
    this.#bridge = bridge
    this.#stays = new Stays(timers, (id) => this.dismiss(id))
    this.#ended = ended
    bridge.on('exports/changed', (changed) => this.#take(changed))
  }

  /** Asks what runs and what has ended: a window that is opened anew knows of nothing. */
  async read(): Promise<void> {
    const outcome = await this.#bridge.call('exports/list')
    if (outcome.ok)
      outcome.value
        .filter(({ id }) => !this.#knows(id))
        .forEach((exportProgress) => this.#take(exportProgress))
  }

  /** Begins an export; answers why not, where it cannot even begin. */
  async start(account: AccountId, order: ExportOrder): Promise<Failure | null> {
    const outcome = await this.#bridge.call('exports/start', { account, order })
    return outcome.ok ? null : outcome.failure
  }

  cancel(id: ExportId): void {
    void this.#bridge.call('exports/cancel', { id })
  }

  /** Takes one that has ended off the list. */
  dismiss(id: ExportId): void {
    this.#stays.end(id)
    this.#dismissed = [...this.#dismissed, id]
    this.list = this.list.filter((exportProgress) => exportProgress.id !== id)
    void this.#bridge.call('exports/dismiss', { id })
  }

  /** While somebody looks at them, or nobody can, none goes by itself. */
  hold(why: HeldFor, held: boolean): void {
    this.#stays.hold(why, held)
  }

  /** The newest, at most so many: what asks for something before what went well. */
  newest(max: number): readonly ExportProgress[] {
    const asking = this.list.filter(({ state }) => state.kind !== 'done').slice(-max)
    const done = this.list.filter(({ state }) => state.kind === 'done').slice(asking.length - max)
    return this.list.filter(
      (exportProgress) =>
        asking.includes(exportProgress) || (asking.length < max && done.includes(exportProgress)),
    )
  }

  /** Shows the file where it lies; answers why not. */
  async show(id: ExportId): Promise<Failure | null> {
    const outcome = await this.#bridge.call('exports/show', { id })
    return outcome.ok ? null : outcome.failure
  }

  async open(id: ExportId): Promise<Failure | null> {
    const outcome = await this.#bridge.call('exports/open', { id })
    return outcome.ok ? null : outcome.failure
  }

  /** One keeps its place while it goes on; what was cancelled needs no more words. */
  #take(changed: ExportProgress): void {
    if (this.#dismissed.includes(changed.id)) return
    if (changed.state.kind === 'cancelled') this.dismiss(changed.id)
    else if (this.#knows(changed.id)) {
      this.list = this.list.map((exportProgress) =>
        exportProgress.id === changed.id ? changed : exportProgress,
      )
    } else this.list = [...this.list, changed]
    const { id, state } = changed
    if (state.kind === 'done') this.#stays.begin(id, STAYS)
    if (state.kind === 'done' || state.kind === 'failed') this.#ended(changed)
  }

  readonly #knows = (id: ExportId): boolean => this.list.some((exportProgress) => exportProgress.id === id)
}
