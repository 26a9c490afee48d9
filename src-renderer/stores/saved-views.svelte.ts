import type { DeskBridge } from '#shared/bridge/calls.ts'
import type { Failure, Outcome } from '#shared/api/failure.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { readAddress, writeAddress } from '#shared/views/address.ts'
import type { OverviewAddress, ReportAddress, RowsAddress } from '#shared/views/view-address.ts'
import type { StorageEstimate } from '#shared/views/keeping.ts'
import type { Depth, SavedView, SavedViewId, SavedViewState } from '#shared/views/saved.ts'

export type NewView = {
  readonly name: string
  readonly address: string
  readonly pinned: boolean
  /** How many of the last days are kept; the view's own where left out. */
  readonly depth?: Depth
  readonly start: boolean
}

/** What can be changed of a view; what is left out stays. */
export type ViewChanges = Partial<NewView>

/** What can be saved under a name. */
export type SavableAddress = OverviewAddress | ReportAddress | RowsAddress

/**
 * The address under which a view is saved: its first page, since rows move from page to page with the days. A recount is opened
 * by whoever wants one.
 */
export function addressToSave(address: SavableAddress): string {
  if (address.kind === 'rows') return writeAddress({ ...address, recount: false })
  return writeAddress(address.kind === 'reports' ? { ...address, page: 1 } : address)
}

/** The saved views of the account that is shown, and what is done with them. */
export class SavedViews {
  list = $state.raw<readonly SavedViewState[]>([])
  /** Why the list could not be read. */
  failure = $state.raw<Failure | null>(null)
  readonly #bridge: DeskBridge
  #account: AccountId | null = null
  #turn = 0

  constructor(bridge: DeskBridge) {
    this.#bridge = bridge
    bridge.on('views/changed', ({ account }) => {
      if (account === this.#account) void this.read(account)
    })
  }

  /** Reads the views of an account, and follows them from now on. */
  async read(account: AccountId): Promise<void> {
    if (account !== this.#account) this.list = []
    this.#account = account
    this.#turn += 1
    const turn = this.#turn
    const outcome = await this.#bridge.call('views/list', { account })
    if (turn !== this.#turn) return
    this.failure = outcome.ok ? null : outcome.failure
    if (outcome.ok) this.list = outcome.value
  }

  /** The saved view that shows exactly this. */
  at(address: SavableAddress): SavedViewState | null {
    const text = addressToSave(address)
    return this.list.find((view) => writeAddress(readAddress(view.address)) === text) ?? null
  }

  /** A name that no view has yet: the wanted one, or with a number. */
  freeName(wanted: string): string {
    const taken = this.list.map(({ name }) => name)
    let name = wanted
    for (let number = 2; taken.includes(name); number += 1) name = `${wanted} (${number})`
    return name
  }

  /** Saves a view; `start` makes it the one that opens first. */
  async save({ start, ...view }: NewView): Promise<Outcome<SavedView>> {
    const saved = await this.#does((account) => this.#bridge.call('views/save', { account, ...view }))
    return saved.ok && start ? this.change(saved.value.id, { start }) : saved
  }

  async change(view: SavedViewId, changes: ViewChanges): Promise<Outcome<SavedView>> {
    return this.#does((account) => this.#bridge.call('views/change', { account, view, ...changes }))
  }

  async duplicate(view: SavedViewId): Promise<Outcome<SavedView>> {
    return this.#does((account) => this.#bridge.call('views/duplicate', { account, view }))
  }

  /** Removes a view; what comes back undoes it. */
  async remove(view: SavedViewId): Promise<Outcome<() => Promise<Outcome<null>>>> {
    const account = this.#account
    const removed = await this.#does((whose) => this.#bridge.call('views/remove', { account: whose, view }))
    if (!removed.ok) return removed
    const { value } = removed
    const undo = () =>
      this.#does((whose) => this.#bridge.call('views/restore', { account: account ?? whose, ...value }))
    return { ok: true, value: undo }
  }

  /** Moves a view by so many places, at once on screen. */
  async move(view: SavedViewId, by: number): Promise<Outcome<null>> {
    const from = this.list.findIndex(({ id }) => id === view)
    const to = Math.min(Math.max(from + by, 0), this.list.length - 1)
    const before = this.list
    const moved = before[from]
    if (!moved || to === from) return { ok: true, value: null }
    const others = before.filter(({ id }) => id !== view)
    this.list = [...others.slice(0, to), moved, ...others.slice(to)]
    const views = this.list.map(({ id }) => id)
    const done = await this.#does((account) => this.#bridge.call('views/order', { account, views }))
    if (!done.ok) this.list = before
    return done
  }

  /** What keeping a view offline would take, for each depth. */
  async estimate(address: string): Promise<Outcome<readonly StorageEstimate[]>> {
    return this.#does((account) => this.#bridge.call('views/estimate', { account, address }))
  }

  /** Renews what is kept of a pinned view now. */
  async refresh(view: SavedViewId): Promise<Outcome<null>> {
    return this.#does((account) => this.#bridge.call('views/refresh', { account, view }))
  }

  /** Gives up renewing it; what is kept stays. */
  async stop(view: SavedViewId): Promise<Outcome<null>> {
    return this.#does((account) => this.#bridge.call('views/stop', { account, view }))
  }

  /** Writes all views into a file in the folder of downloads. */
  async toFile(): Promise<Outcome<{ readonly file: string }>> {
    return this.#does((account) => this.#bridge.call('views/export', { account }))
  }

  /** Adds the views of a file that the person chooses; null where they thought better of it. */
  async fromFile(): Promise<Outcome<{ readonly added: number } | null>> {
    return this.#does((account) => this.#bridge.call('views/import', { account }))
  }

  async #does<T>(call: (account: AccountId) => Promise<Outcome<T>>): Promise<Outcome<T>> {
    if (this.#account === null) {
      return { ok: false, failure: { kind: 'invalid', message: 'There is no account to save views for.' } }
    }
    return call(this.#account)
  }
}
