import { queryOptions, skipToken } from '@tanstack/svelte-query'
import type { Failure, Outcome } from '#shared/api/failure.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { readAddress, writeAddress } from '#shared/views/address.ts'
import type { Depth, SavedView, SavedViewId, SavedViewState } from '#shared/views/saved-views.ts'
import type { OverviewAddress, ReportAddress, RowsAddress } from '#shared/views/view-address.ts'
import type { DeskBridge } from '#shared/bridge/calls.ts'
import type { App } from '#renderer/stores/app.ts'
import { answerOf, moveIn, readingOf } from './answers.ts'

type Asking = Pick<App, 'bridge' | 'queries' | 'desk'>

type NewView = {
  readonly name: string
  readonly address: string
  readonly pinned: boolean
  /** How many of the last days are kept; the view's own where left out. */
  readonly depth?: Depth
  readonly start: boolean
}

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

/** The saved views of the account that is shown. */
export const savedViews = ({ bridge, desk }: Pick<App, 'bridge' | 'desk'>) => {
  const account = desk.account?.id
  return queryOptions({
    queryKey: ['views', account],
    queryFn: account ? () => answerOf(bridge.call('views/list', { account })) : skipToken,
  })
}

/** The saved view that shows exactly this. */
export const viewAt = (list: readonly SavedViewState[], address: SavableAddress): SavedViewState | null => {
  const text = addressToSave(address)
  return list.find((view) => writeAddress(readAddress(view.address)) === text) ?? null
}

/** A name that no view has yet: the wanted one, or with a number. */
export function freeName(list: readonly SavedViewState[], wanted: string): string {
  const taken = list.map(({ name }) => name)
  let name = wanted
  for (let number = 2; taken.includes(name); number += 1) name = `${wanted} (${number})`
  return name
}

/** What keeping a view offline would take, for each depth: worked out with each opening. */
export const storageEstimate = ({ bridge, desk }: Pick<App, 'bridge' | 'desk'>, address: string) => {
  const account = desk.account?.id
  return queryOptions({
    queryKey: ['keeping', account, address],
    queryFn: account ? () => answerOf(bridge.call('views/estimate', { account, address })) : skipToken,
    gcTime: 0,
    staleTime: 0,
  })
}

/** How it stands with keeping pinned views up to date, over all accounts. `sync/changed` brings it anew (events.ts). */
export const syncState = (bridge: DeskBridge) => readingOf(bridge, ['sync'], 'sync/state')

/** Saves a view; `start` makes it the one that opens first. */
export async function saveView(app: Asking, { start, ...view }: NewView): Promise<Outcome<SavedView>> {
  const saved = await does(app, (account) => app.bridge.call('views/save', { account, ...view }))
  return saved.ok && start ? changeView(app, saved.value.id, { start }) : saved
}

/** Changes a view; what is left out stays. */
export const changeView = (app: Asking, view: SavedViewId, changes: Partial<NewView>) =>
  does(app, (account) => app.bridge.call('views/change', { account, view, ...changes }))

export const duplicateView = (app: Asking, view: SavedViewId) =>
  does(app, (account) => app.bridge.call('views/duplicate', { account, view }))

/** Removes a view; what comes back undoes it. */
export const removeView = (app: Asking, view: SavedViewId): Promise<Outcome<() => Promise<Outcome<null>>>> =>
  does(app, async (account) => {
    const removed = await app.bridge.call('views/remove', { account, view })
    if (!removed.ok) return removed
    return { ok: true, value: () => app.bridge.call('views/restore', { account, ...removed.value }) }
  })

/** Moves a view by so many places, at once on screen; answers why it could not be. */
export const moveView = (
  app: Asking,
  move: { readonly id: SavedViewId; readonly by: number },
): Promise<Failure | null> =>
  moveIn(app.queries, savedViews(app), move, (moved) =>
    does(app, (account) => app.bridge.call('views/order', { account, views: moved.map(({ id }) => id) })),
  )

/** Renews what is kept of a pinned view now. */
export const refreshView = (app: Asking, view: SavedViewId) =>
  does(app, (account) => app.bridge.call('views/refresh', { account, view }))

/** Gives up renewing it; what is kept stays. */
export const stopRenewing = (app: Asking, view: SavedViewId) =>
  does(app, (account) => app.bridge.call('views/stop', { account, view }))

/** Writes all views into a file in the folder of downloads. */
export const viewsToFile = (app: Asking) =>
  does(app, (account) => app.bridge.call('views/export', { account }))

/** Adds the views of a file that the person chooses; null where they thought better of it. */
export const viewsFromFile = (app: Asking) =>
  does(app, (account) => app.bridge.call('views/import', { account }))

/** Does something to the views of the account that is shown. */
async function does<T>(
  { desk }: Asking,
  call: (account: AccountId) => Promise<Outcome<T>>,
): Promise<Outcome<T>> {
  if (desk.account) return call(desk.account.id)
  return { ok: false, failure: { kind: 'invalid', message: 'There is no account to save views for.' } }
}
