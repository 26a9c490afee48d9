import { queryOptions, skipToken } from '@tanstack/svelte-query'
import type { Failure, Outcome } from '#shared/api/failure.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { readAddress, writeAddress } from '#shared/views/address.ts'
import type { Depth, SavedView, SavedViewId, SavedViewState } from '#shared/views/saved-views.ts'
import type { OverviewAddress, ReportAddress, RowsAddress } from '#shared/views/view-address.ts'
import type { DeskBridge } from '#shared/bridge/calls.ts'
import type { WindowApp } from '#renderer/stores/app.ts'
import { answerOf, moveIn, readingOf } from './answers.ts'

type Asking = Pick<WindowApp, 'bridge' | 'queries' | 'desk'>

type NewView = {
  readonly name: string
  readonly address: string
  readonly pinned: boolean
  /** Number of days that are stored offline; if left out, the days of the view. */
  readonly depth?: Depth
  readonly start: boolean
}

/** Addresses that can be saved as views. */
export type SavableAddress = OverviewAddress | ReportAddress | RowsAddress

/** Address to save: the first page, because rows move between pages with the days, and without a recount. */
export function addressToSave(address: SavableAddress): string {
  if (address.kind === 'rows') return writeAddress({ ...address, recount: false })
  return writeAddress(address.kind === 'reports' ? { ...address, page: 1 } : address)
}

/** Saved views of the active account. */
export const savedViews = ({ bridge, desk }: Pick<WindowApp, 'bridge' | 'desk'>) => {
  const account = desk.account?.id
  return queryOptions({
    queryKey: ['views', account],
    queryFn: account ? () => answerOf(bridge.call('views/list', { account })) : skipToken,
  })
}

/** Cached saved views. The list is current, because the side bar observes its query. */
export const savedNow = (app: Asking): readonly SavedViewState[] =>
  app.queries.getQueryData(savedViews(app).queryKey) ?? []

/** Saved view with exactly this address. */
export const viewAt = (list: readonly SavedViewState[], address: SavableAddress): SavedViewState | null => {
  const text = addressToSave(address)
  return list.find((view) => writeAddress(readAddress(view.address)) === text) ?? null
}

/** Returns an unused name: the wanted one, else with what the view covers, else with a number appended to that. */
export function freeName(list: readonly SavedViewState[], wanted: string, coverage: string): string {
  const taken = list.map(({ name }) => name)
  if (!taken.includes(wanted)) return wanted
  const longer = coverage === '' ? wanted : `${wanted}, ${coverage}`
  let name = longer
  for (let number = 2; taken.includes(name); number += 1) name = `${longer} (${number})`
  return name
}

/** Estimated size of a view offline, per depth. Computed on every mount. */
export const storageEstimate = ({ bridge, desk }: Pick<WindowApp, 'bridge' | 'desk'>, address: string) => {
  const account = desk.account?.id
  return queryOptions({
    queryKey: ['keeping', account, address],
    queryFn: account ? () => answerOf(bridge.call('views/estimate', { account, address })) : skipToken,
    gcTime: 0,
    staleTime: 0,
  })
}

/** State of the background refresh of pinned views, over all accounts. `sync/changed` carries the changes (events.ts). */
export const syncState = (bridge: DeskBridge) => readingOf(bridge, ['sync'], 'sync/state')

/** Saves a view; `start` makes it the start view. */
export async function saveView(app: Asking, { start, ...view }: NewView): Promise<Outcome<SavedView>> {
  const saved = await does(app, (account) => app.bridge.call('views/save', { account, ...view }))
  return saved.ok && start ? changeView(app, saved.value.id, { start }) : saved
}

/** Changes the given fields of a view. */
export const changeView = (app: Asking, view: SavedViewId, changes: Partial<NewView>) =>
  does(app, (account) => app.bridge.call('views/change', { account, view, ...changes }))

export const duplicateView = (app: Asking, view: SavedViewId) =>
  does(app, (account) => app.bridge.call('views/duplicate', { account, view }))

/** Removes a view. The result restores it. */
export const removeView = (app: Asking, view: SavedViewId): Promise<Outcome<() => Promise<Outcome<null>>>> =>
  does(app, async (account) => {
    const removed = await app.bridge.call('views/remove', { account, view })
    if (!removed.ok) return removed
    return { ok: true, value: () => app.bridge.call('views/restore', { account, ...removed.value }) }
  })

/** Moves a view in the list, on screen at once. Returns the failure, or null. */
export const moveView = (
  app: Asking,
  move: { readonly id: SavedViewId; readonly by: number },
): Promise<Failure | null> =>
  moveIn(app.queries, savedViews(app), move, (moved) =>
    does(app, (account) => app.bridge.call('views/order', { account, views: moved.map(({ id }) => id) })),
  )

/** Refreshes a pinned view now. */
export const refreshView = (app: Asking, view: SavedViewId) =>
  does(app, (account) => app.bridge.call('views/refresh', { account, view }))

/** Stops the refresh; stored data stays. */
export const stopRenewing = (app: Asking, view: SavedViewId) =>
  does(app, (account) => app.bridge.call('views/stop', { account, view }))

/** Exports all views to a file in the downloads folder. */
export const viewsToFile = (app: Asking) =>
  does(app, (account) => app.bridge.call('views/export', { account }))

/** Imports views from a file that the user chooses; null if the user cancels. */
export const viewsFromFile = (app: Asking) =>
  does(app, (account) => app.bridge.call('views/import', { account }))

/** Makes a call for the active account. */
async function does<T>(
  { desk }: Asking,
  call: (account: AccountId) => Promise<Outcome<T>>,
): Promise<Outcome<T>> {
  if (desk.account) return call(desk.account.id)
  return { ok: false, failure: { kind: 'invalid', message: 'There is no account to save views for.' } }
}
