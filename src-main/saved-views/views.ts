import { randomUUID } from 'node:crypto'
import { isLive } from '#shared/accounts/account.ts'
import { DeskFailure, failureOf } from '#shared/api/failure.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { depths } from '#shared/views/saved-views.ts'
import type { Depth, SavedView, SavedViewId, SavedViewState } from '#shared/views/saved-views.ts'
import type { AccountStore } from '#main/accounts/account-store.ts'
import { exportStem } from '#main/exports/export-stem.ts'
import type { Reports } from '#main/reports/figures.ts'
import { saveText } from '#main/files/draft.ts'
import type { Clock } from '#main/lib/async.ts'
import type { Store } from '#main/database/state/state-store.ts'
import type { AppEvents } from '#main/lib/app-events.ts'
import type { Handler, Handlers, Module } from '#main/lib/module.ts'
import { checkAddress, checkName } from './check-view.ts'
import { nothingStored, together } from './stored-view.ts'
import { PinnedViews } from './pinned.ts'
import { readViews, readViewsFile, writeViews } from './views-file.ts'

/** In bytes. */
const MEGABYTE = 1_000_000

export type ViewsParts = {
  readonly store: Store
  readonly accounts: Pick<AccountStore, 'account' | 'list'>
  readonly reports: Pick<Reports, 'storeWhole' | 'storedOf' | 'limitStorage' | 'beyondLimit' | 'estimate'>
  readonly events: AppEvents
  readonly clock: Clock
  /** The folder of downloads, as it is set at this moment. */
  readonly downloads: () => Promise<string>
  /** Lets the person choose a file of views. */
  readonly chooseFile: () => Promise<string | null>
  /** How much disk kept figures may take, in bytes, as it is set at this moment. */
  readonly keptLimit: () => Promise<number>
}

/** Saved views: what each call does is said where it is declared. Everything throws `DeskFailure`s. */
export class Views implements Module {
  readonly name = 'views'
  readonly #parts: ViewsParts
  readonly #pinned: PinnedViews

  constructor(parts: ViewsParts) {
    this.#parts = parts
    this.#pinned = new PinnedViews(parts)
  }

  readonly list: Handler<'views/list'> = async ({ account }) => {
    const views = await this.#parts.store.run('views/list', account)
    return await Promise.all(views.map((view) => this.#stateOf(account, view)))
  }

  readonly save: Handler<'views/save'> = async ({ account, name, address, pinned, depth = null }) => {
    this.#checkLive(account)
    const checked = { name: checkName(name), address: checkAddress(address) }
    const view: SavedView = { id: newId(), ...checked, pinned, depth, start: false }
    return this.#follow(account, await this.#parts.store.run('views/add', { account, view }))
  }

  readonly change: Handler<'views/change'> = async ({ account, view: id, name, address, ...flags }) => {
    const changes = {
      ...flags,
      ...(name !== undefined && { name: checkName(name) }),
      ...(address !== undefined && { address: checkAddress(address) }),
    }
    const view = await this.#parts.store.run('views/change', { account, id, changes })
    // A new name, or the start, is nothing to fetch anything for.
    if (flags.pinned !== undefined || flags.depth !== undefined || address !== undefined)
      return this.#follow(account, view)
    this.#changed(account)
    return view
  }

  readonly duplicate: Handler<'views/duplicate'> = async ({ account, view: id }) =>
    this.#follow(account, await this.#parts.store.run('views/duplicate', { account, id, as: newId() }))

  readonly remove: Handler<'views/remove'> = async ({ account, view: id }) => {
    const removed = await this.#parts.store.run('views/remove', { account, id })
    this.#pinned.drop(id)
    this.#changed(account)
    return removed
  }

  readonly restore: Handler<'views/restore'> = async ({ account, view, place }) => {
    const checked = { ...view, name: checkName(view.name), address: checkAddress(view.address) }
    this.#follow(account, await this.#parts.store.run('views/restore', { account, view: checked, place }))
    return null
  }

  readonly order: Handler<'views/order'> = async ({ account, views }) => {
    await this.#parts.store.run('views/order', { account, ids: views })
    this.#changed(account)
    return null
  }

  readonly estimate: Handler<'views/estimate'> = async ({ account, address }) => {
    const checked = checkAddress(address)
    const estimateOf = async (depth: Depth) => {
      const queries = this.#pinned.queriesOf(account, { address: checked, depth })
      return { ...(await this.#parts.reports.estimate(account, queries)), depth }
    }
    return await Promise.all([null, ...depths].map(estimateOf))
  }

  readonly refresh: Handler<'views/refresh'> = async ({ account, view }) => {
    this.#pinned.want({ account, view: await this.#pinnedView(account, view) })
    return null
  }

  readonly stopRefreshing: Handler<'views/stop'> = async ({ account, view }) => {
    this.#pinned.stopRefreshing({ account, view: await this.#pinnedView(account, view) })
    return null
  }

  readonly export: Handler<'views/export'> = async ({ account }) => {
    const { accounts, store, downloads } = this.#parts
    const { name } = accounts.account(account)
    const views = await store.run('views/list', account)
    const stem = exportStem(name, 'Saved views', null)
    return { file: await saveText(await downloads(), stem, 'json', writeViews(views)) }
  }

  readonly import: Handler<'views/import'> = async ({ account }) => {
    this.#parts.accounts.account(account)
    this.#checkLive(account)
    const path = await this.#parts.chooseFile()
    if (path === null) return null
    const read = readViews(await readViewsFile(path))
    const views = read.map((view): SavedView => ({ ...view, id: newId(), start: false }))
    const added = await this.#parts.store.run('views/add-all', { account, views })
    for (const view of added.filter(({ pinned }) => pinned).reverse()) this.#pinned.want({ account, view })
    this.#changed(account)
    return { added: added.length }
  }

  readonly handlers = {
    'sync/state': () => this.#pinned.state(),
    'settings/beyond-limit': ({ keptLimit }) => this.#pinned.beyondLimit(keptLimit * MEGABYTE),
    'views/estimate': this.estimate,
    'views/list': this.list,
    'views/save': this.save,
    'views/change': this.change,
    'views/duplicate': this.duplicate,
    'views/remove': this.remove,
    'views/restore': this.restore,
    'views/order': this.order,
    'views/refresh': this.refresh,
    'views/stop': this.stopRefreshing,
    'views/export': this.export,
    'views/import': this.import,
  } satisfies Partial<Handlers>

  /** The address of the account's start view; null where it has none. */
  async startView(account: AccountId): Promise<string | null> {
    const views = await this.#parts.store.run('views/list', account)
    return views.find(({ start }) => start)?.address ?? null
  }

  /** Begins to keep pinned views up to date. */
  start(): void {
    this.#pinned.start()
  }

  wake(account?: AccountId): void {
    this.#pinned.wake(account)
  }

  pause(paused: boolean): void {
    this.#pinned.pause(paused)
  }

  stop(): Promise<void> {
    return this.#pinned.stop()
  }

  #changed(account: AccountId): void {
    this.#parts.events.emit({ kind: 'views/changed', account })
  }

  /** Views are of accounts that are asked. @throws DeskFailure where this one can only be read */
  #checkLive(account: AccountId): void {
    if (this.#parts.accounts.list().every((listed) => listed.id !== account || isLive(listed))) return
    const message = 'Views are saved for the account itself, not for its earlier figures.'
    throw new DeskFailure({ kind: 'invalid', message, field: 'account' })
  }

  async #stateOf(account: AccountId, view: SavedView): Promise<SavedViewState> {
    const pinned = this.#pinned
    const state = { ...view, syncing: pinned.isSyncing(view.id), failure: pinned.failureOf(view.id) }
    if (!view.pinned) return { ...state, stored: null }
    try {
      const queries = pinned.queriesOf(account, view)
      const stored = await Promise.all(queries.map((query) => this.#parts.reports.storedOf(account, query)))
      return { ...state, stored: together(queries, stored) }
    } catch (error) {
      return { ...state, stored: nothingStored, failure: state.failure ?? failureOf(error) }
    }
  }

  /** A view that is there now: what is pinned is fetched, and what is not any more is let be. */
  #follow(account: AccountId, view: SavedView): SavedView {
    if (view.pinned) this.#pinned.want({ account, view })
    else this.#pinned.drop(view.id)
    this.#changed(account)
    return view
  }

  async #pinnedView(account: AccountId, id: SavedViewId): Promise<SavedView> {
    const views = await this.#parts.store.run('views/list', account)
    const view = views.find((listed) => listed.id === id)
    if (view?.pinned) return view
    throw new DeskFailure({ kind: 'invalid', message: 'This view is not kept offline.', field: 'view' })
  }
}

const newId = () => randomUUID() as SavedViewId
