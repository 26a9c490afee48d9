import type { DeskBridge } from '../../src-shared/bridge/calls.ts'
import type { ExportId, ExportOrder, ExportProgress } from '../../src-shared/exports/order.ts'
import type { Failure } from '../../src-shared/service/failure.ts'
import type { AccountId } from '../../src-shared/values/ids.ts'

/** What is being taken out of the app, and what was: the newest last. */
export class Exports {
  list = $state.raw<readonly ExportProgress[]>([])
  readonly #bridge: DeskBridge
  #dismissed: readonly ExportId[] = []

  constructor(bridge: DeskBridge) {
    this.#bridge = bridge
    bridge.on('exports/changed', (changed) => this.#take(changed))
  }

  /** Asks what runs and what has ended: a window that is opened anew knows of nothing. */
  async read(): Promise<void> {
    const outcome = await this.#bridge.call('exports/list')
    if (outcome.ok) outcome.value.filter(({ id }) => !this.#knows(id)).forEach((each) => this.#take(each))
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
    this.#dismissed = [...this.#dismissed, id]
    this.list = this.list.filter((each) => each.id !== id)
    void this.#bridge.call('exports/dismiss', { id })
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
    if (changed.state.as === 'cancelled') this.dismiss(changed.id)
    else if (this.#knows(changed.id)) {
      this.list = this.list.map((each) => (each.id === changed.id ? changed : each))
    } else this.list = [...this.list, changed]
  }

  readonly #knows = (id: ExportId): boolean => this.list.some((each) => each.id === id)
}
