import { randomUUID } from 'node:crypto'
import { isLive } from '#shared/accounts/account.ts'
import type { CallArgument, CallName, CallResult } from '#shared/bridge/calls.ts'
import { DeskFailure, failureOf } from '#shared/app/desk-failure.ts'
import type { BeyondLimit } from '#shared/app/disk.ts'
import type { AccountId } from '#shared/values/ids.ts'
import type { SyncState } from '#shared/views/keeping.ts'
import { depths } from '#shared/views/saved.ts'
import type { Depth, SavedView, SavedViewId, SavedViewState } from '#shared/views/saved.ts'
import type { AccountStore } from '#main/accounts/account-store.ts'
import { exportStem } from '#main/exports/export-stem.ts'
import type { Reports } from '#main/reports/figures.ts'
import { saveText } from '#main/files/save-text.ts'
import type { Clock } from '#main/lib/async.ts'
import type { Store } from '#main/database/state/state-store.ts'
import type { AppEvents } from '#main/lib/app-events.ts'
import { checkAddress, checkName } from './check-view.ts'
import { nothingStored, together } from './stored-view.ts'
import { PinnedViews } from './pinned.ts'
import { readViews, readViewsFile, writeViews } from './views-file.ts'

export type ViewsParts = {
  readonly store: Store
  readonly accounts: Pick<AccountStore, 'account' | 'active' | 'list' | 'onChange'>
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

/** The bridge's calls of views, by the name after `views/`. */
type ViewCalls = { [N in CallName as N extends `views/${infer Rest}` ? Rest : never]: N }

/** Saved views: one function for each call of the bridge by the same name. Everything throws `DeskFailure`s. */
export type Views = {
  readonly [Name in keyof ViewCalls]: (
    argument: CallArgument<ViewCalls[Name]>,
  ) => Promise<CallResult<ViewCalls[Name]>>
} & {
  /** The address of the account's start view; null where it has none. */
  readonly startView: (account: AccountId) => Promise<string | null>
  /** The service is there (again), or the machine woke up: renew what is due. */
  readonly retryNow: () => void
  /** The same for the views of one account, for what happened to it alone. */
  readonly wake: (account: AccountId) => void
  /** Renews nothing by itself, or begins to again: the person wants quiet. */
  readonly pause: (paused: boolean) => void
  /** What a limit of so many bytes would remove: days of pinned views stay. */
  readonly beyondLimit: (bytes: number) => Promise<BeyondLimit>
  /** How it stands with keeping pinned views up to date. */
  readonly syncState: () => SyncState
  /** Begins to keep pinned views up to date. */
  readonly begin: () => void
  readonly close: () => Promise<void>
}

export const createViews = (parts: ViewsParts): Views => new SavedViews(parts)

class SavedViews implements Views {
  readonly #parts: ViewsParts
  readonly #pinned: PinnedViews
  readonly #stopFollowing: () => void

  constructor(parts: ViewsParts) {
    this.#parts = parts
    this.#pinned = new PinnedViews(parts)
    this.#stopFollowing = parts.events.on('settings/changed', ({ changed }) => {
      if (changed.includes('keptLimit')) void this.#pinned.limitStorage()
    })
  }

  readonly list: Views['list'] = async ({ account }) => {
    const views = await this.#parts.store.run('views/list', account)
    return await Promise.all(views.map((view) => this.#stateOf(account, view)))
  }

  readonly save: Views['save'] = async ({ account, name, address, pinned, depth = null }) => {
    this.#checkLive(account)
    const checked = { name: checkName(name), address: checkAddress(address) }
    const view: SavedView = { id: newId(), ...checked, pinned, depth, start: false }
    return this.#follow(account, await this.#parts.store.run('views/add', { account, view }))
  }

  readonly change: Views['change'] = async ({ account, view: id, name, address, ...flags }) => {
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

  readonly duplicate: Views['duplicate'] = async ({ account, view: id }) =>
    this.#follow(account, await this.#parts.store.run('views/duplicate', { account, id, as: newId() }))

  readonly remove: Views['remove'] = async ({ account, view: id }) => {
    const removed = await this.#parts.store.run('views/remove', { account, id })
    this.#pinned.drop(id)
    this.#changed(account)
    return removed
  }

  readonly restore: Views['restore'] = async ({ account, view, place }) => {
    const checked = { ...view, name: checkName(view.name), address: checkAddress(view.address) }
    this.#follow(account, await this.#parts.store.run('views/restore', { account, view: checked, place }))
    return null
  }

  readonly order: Views['order'] = async ({ account, views }) => {
    await this.#parts.store.run('views/order', { account, ids: views })
    this.#changed(account)
    return null
  }

  readonly estimate: Views['estimate'] = async ({ account, address }) => {
    const checked = checkAddress(address)
    const estimateOf = async (depth: Depth) => {
      const queries = this.#pinned.queriesOf(account, { address: checked, depth })
      return { ...(await this.#parts.reports.estimate(account, queries)), depth }
    }
    return await Promise.all([null, ...depths].map(estimateOf))
  }

  readonly refresh: Views['refresh'] = async ({ account, view }) => {
    this.#pinned.want({ account, view: await this.#pinnedView(account, view) })
    return null
  }

  readonly stop: Views['stop'] = async ({ account, view }) => {
    this.#pinned.stop({ account, view: await this.#pinnedView(account, view) })
    return null
  }

  readonly export: Views['export'] = async ({ account }) => {
    const { accounts, store, downloads } = this.#parts
    const { name } = accounts.account(account)
    const views = await store.run('views/list', account)
    const stem = exportStem(name, 'Saved views', null)
    return { file: await saveText(await downloads(), stem, 'json', writeViews(views)) }
  }

  readonly import: Views['import'] = async ({ account }) => {
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

  readonly startView: Views['startView'] = async (account) => {
    const views = await this.#parts.store.run('views/list', account)
    return views.find(({ start }) => start)?.address ?? null
  }

  readonly retryNow: Views['retryNow'] = () => this.#pinned.retryNow()
  readonly wake: Views['wake'] = (account) => this.#pinned.wake(account)
  readonly pause: Views['pause'] = (paused) => this.#pinned.pause(paused)
  readonly beyondLimit: Views['beyondLimit'] = (bytes) => this.#pinned.beyondLimit(bytes)
  readonly syncState: Views['syncState'] = () => this.#pinned.state()
  readonly begin: Views['begin'] = () => this.#pinned.begin()
  readonly close: Views['close'] = () => {
    this.#stopFollowing()
    return this.#pinned.close()
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
