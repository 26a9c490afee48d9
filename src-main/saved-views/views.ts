import { randomUUID } from 'node:crypto'
import { isLive } from '#shared/accounts/account.ts'
import { failureOf, invalid } from '#shared/api/failure.ts'
import { subjectOf } from '#shared/reports/query.ts'
import type { ReportQuery } from '#shared/reports/query.ts'
import { instantOf } from '#shared/values/ids.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { depths } from '#shared/views/saved-views.ts'
import type {
  Depth,
  SavedView,
  SavedViewId,
  SavedViewState,
  StoredView,
  SyncState,
} from '#shared/views/saved-views.ts'
import { exportStem } from '#main/exports/export-stem.ts'
import { saveText } from '#main/files/draft.ts'
import type { Handler, Handlers, Module } from '#main/lib/module.ts'
import { Looks } from './looks.ts'
import { MEGABYTE, PinnedViews } from './pinned.ts'
import type { ViewsContext } from './views-context.ts'
import { checkViewAddress, checkName, readViews, readViewsFile, writeViews } from './views-file.ts'

/** Saved views. The `views/…` calls are documented where they are declared. All methods throw `DeskFailure`. */
export class Views implements Module {
  readonly name = 'views'
  readonly #context: ViewsContext
  readonly #pinned: PinnedViews
  readonly #looks: Looks

  constructor(context: ViewsContext) {
    this.#context = context
    this.#pinned = new PinnedViews(context)
    this.#looks = new Looks(context, this.#pinned)
  }

  readonly list: Handler<'views/list'> = async ({ account }) => {
    const views = await this.#context.store.run('views/list', account)
    return await Promise.all(views.map((view) => this.#stateOf(account, view)))
  }

  readonly save: Handler<'views/save'> = async ({ account, name, address, pinned, depth = null }) => {
    this.#checkLive(account)
    const checked = { name: checkName(name), address: checkViewAddress(address) }
    const view: SavedView = { id: newId(), ...checked, pinned, depth, start: false }
    return this.#follow(account, await this.#context.store.run('views/add', { account, view }))
  }

  readonly change: Handler<'views/change'> = async ({ account, view: id, name, address, ...flags }) => {
    const changes = {
      ...flags,
      ...(name !== undefined && { name: checkName(name) }),
      ...(address !== undefined && { address: checkViewAddress(address) }),
    }
    const view = await this.#context.store.run('views/change', { account, id, changes })
    // A new name or start view needs no fetch.
    if (flags.pinned !== undefined || flags.depth !== undefined || address !== undefined)
      return this.#follow(account, view)
    this.#changed(account)
    return view
  }

  readonly duplicate: Handler<'views/duplicate'> = async ({ account, view: id }) =>
    this.#follow(account, await this.#context.store.run('views/duplicate', { account, id, copyId: newId() }))

  readonly remove: Handler<'views/remove'> = async ({ account, view: id }) => {
    const removed = await this.#context.store.run('views/remove', { account, id })
    this.#pinned.drop(id)
    this.#changed(account)
    return removed
  }

  readonly restore: Handler<'views/restore'> = async ({ account, view, place }) => {
    const checked = { ...view, name: checkName(view.name), address: checkViewAddress(view.address) }
    this.#follow(account, await this.#context.store.run('views/restore', { account, view: checked, place }))
    return null
  }

  readonly order: Handler<'views/order'> = async ({ account, views }) => {
    await this.#context.store.run('views/order', { account, ids: views })
    this.#changed(account)
    return null
  }

  readonly estimate: Handler<'views/estimate'> = async ({ account, address }) => {
    const checked = checkViewAddress(address)
    const estimateOf = async (depth: Depth) => {
      const queries = this.#pinned.queriesOf(account, { address: checked, depth })
      return { ...(await this.#context.reports.estimate(account, queries)), depth }
    }
    return await Promise.all([null, ...depths].map(estimateOf))
  }

  readonly refresh: Handler<'views/refresh'> = async ({ account, view }) => {
    this.#pinned.want({ account, view: await this.#pinnedView(account, view) })
    return null
  }

  readonly stopRefreshing: Handler<'views/stop'> = async ({ account, view }) => {
    this.#pinned.stopRefreshing((await this.#pinnedView(account, view)).id)
    return null
  }

  readonly export: Handler<'views/export'> = async ({ account }) => {
    const { accounts, store, settings } = this.#context
    const { name } = accounts.account(account)
    const views = await store.run('views/list', account)
    const stem = exportStem(name, 'Saved views', null)
    return { file: await saveText(await settings.downloadFolder(), stem, 'json', writeViews(views)) }
  }

  readonly import: Handler<'views/import'> = async ({ account }) => {
    this.#context.accounts.account(account)
    this.#checkLive(account)
    const path = await this.#context.shell.chooseViewsFile()
    if (path === null) return null
    const read = readViews(await readViewsFile(path))
    const views = read.map((view): SavedView => ({ ...view, id: newId(), start: false }))
    const added = await this.#context.store.run('views/add-all', { account, views })
    for (const view of added.filter(({ pinned }) => pinned).reverse()) this.#pinned.want({ account, view })
    this.#changed(account)
    return { added: added.length }
  }

  readonly handlers = {
    'sync/state': () => this.syncState(),
    'settings/beyond-limit': ({ storageLimit }) => this.#pinned.beyondLimit(storageLimit * MEGABYTE),
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

  /** Returns the state of the pinned views of all accounts. */
  syncState(): SyncState {
    return this.#pinned.state()
  }

  /** Returns the address of the account's start view; null if there is none. */
  async startView(account: AccountId): Promise<string | null> {
    const views = await this.#context.store.run('views/list', account)
    return views.find(({ start }) => start)?.address ?? null
  }

  /** Called when a window shows the view at this address, whose days are then saved unless the setting is off. */
  look(address: string): void {
    this.#looks.look(address)
  }

  /** Starts refreshing pinned views and saving looks. */
  start(): void {
    this.#pinned.start()
    this.#looks.start()
  }

  wake(account?: AccountId): void {
    this.#pinned.wake(account)
    this.#looks.wake()
  }

  pause(paused: boolean): void {
    this.#pinned.pause(paused)
    this.#looks.pause(paused)
  }

  stop(): Promise<void> {
    this.#pinned.stop()
    this.#looks.stop()
    return Promise.resolve()
  }

  #changed(account: AccountId): void {
    this.#context.events.emit({ kind: 'views/changed', account })
  }

  /** Views need an account that sends requests. @throws DeskFailure if this account is read-only */
  #checkLive(account: AccountId): void {
    if (this.#context.accounts.list().every((listed) => listed.id !== account || isLive(listed))) return
    const message = 'Views are saved for the account itself, not for its earlier figures.'
    throw invalid(message, 'account')
  }

  async #stateOf(account: AccountId, view: SavedView): Promise<SavedViewState> {
    const pinned = this.#pinned
    const state = { ...view, syncing: pinned.isSyncing(view.id), failure: pinned.failureOf(view.id) }
    if (!view.pinned) return { ...state, stored: null }
    try {
      const queries = pinned.queriesOf(account, view)
      const stored = await Promise.all(queries.map((query) => this.#context.reports.storedOf(account, query)))
      return { ...state, stored: together(queries, stored) }
    } catch (error) {
      return { ...state, stored: nothingStored, failure: state.failure ?? failureOf(error) }
    }
  }

  /** Refreshes a view that is pinned; otherwise stops refreshing it. */
  #follow(account: AccountId, view: SavedView): SavedView {
    if (view.pinned) this.#pinned.want({ account, view })
    else this.#pinned.drop(view.id)
    this.#changed(account)
    return view
  }

  async #pinnedView(account: AccountId, id: SavedViewId): Promise<SavedView> {
    const views = await this.#context.store.run('views/list', account)
    const view = views.find((listed) => listed.id === id)
    if (view?.pinned) return view
    throw invalid('This view is not saved offline.', 'view')
  }
}

const newId = () => randomUUID() as SavedViewId

const nothingStored: StoredView = { days: 0, total: 0, oldest: null, bytes: 0 }

/**
 * Sums the stored figures of a view. A day counts once for all its tables, and as a fraction while some of them are missing: all days are
 * stored only if every table is.
 * @param stored stored figures of each query, in their order
 */
function together(queries: readonly ReportQuery[], stored: readonly StoredView[]): StoredView {
  const tables = Math.max(1, new Set(queries.map(subjectOf)).size)
  const sum = (select: (storedView: StoredView) => number) =>
    stored.reduce((total, storedView) => total + select(storedView), 0)
  const times = stored.map(({ oldest }) => oldest).filter((item) => item !== null)
  return {
    days: Math.floor(sum(({ days }) => days) / tables),
    total: Math.ceil(sum(({ total }) => total) / tables),
    oldest: times.length === 0 ? null : instantOf(Math.min(...times)),
    bytes: sum(({ bytes }) => bytes),
  }
}
