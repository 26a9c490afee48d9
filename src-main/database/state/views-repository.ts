import * as v from 'valibot'
import { invalid } from '#shared/api/failure.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { depths } from '#shared/views/saved-views.ts'
import type { SavedView, SavedViewId } from '#shared/views/saved-views.ts'
import { branded } from '#shared/values/schemas.ts'
import { readAddress, writeAddress } from '#shared/views/address.ts'
import { daysRead } from '#shared/watch/alerts.ts'
import type { Reader, Writer } from '../sqlite/database.ts'
import { flag, has, put, remove, table, update } from '../sqlite/database.ts'
import { alertsOfAll } from './alerts-repository.ts'

/** Returns a free name: the name itself, "… copy", "… copy 2" and so on. */
export function freeName(name: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name
  // A copy of a copy is named like another copy of the original.
  const first = name.replace(/ copy(?: \d{1,4})?$/, '') || name
  for (let count = 1; ; count += 1) {
    const candidate = count === 1 ? `${first} copy` : `${first} copy ${count}`
    if (!taken.has(candidate)) return candidate
  }
}

/** Maximum number of views per account, small enough to list all ids when they are reordered. */
const maxViews = 1000

const uuid = v.pipe(v.string(), v.uuid())

const mark = v.fallback(flag, false)

const viewsTable = table(
  'saved_views',
  v.pipe(
    v.object({
      id: branded<SavedViewId>(uuid),
      account: branded<AccountId>(uuid),
      name: v.string(),
      address: v.string(),
      pinned: mark,
      depth: v.fallback(v.nullable(v.picklist(depths)), null),
      start: mark,
    }),
    v.transform(({ account, ...view }): ViewOfAccount => ({ account, view })),
  ),
)

export type ViewOfAccount = { readonly account: AccountId; readonly view: SavedView }
type AView = { readonly account: AccountId; readonly id: SavedViewId }
type ViewChanges = Partial<Omit<SavedView, 'id'>>
type PlacedView = { readonly view: SavedView; readonly place: number }

const viewGone = () => invalid('This view was deleted.', 'view')
const nameTaken = () => invalid('A view with this name already exists. Choose another.', 'name')

/** Lists an account's views in the user's order. Skips invalid rows. */
export const listViews = (from: Reader, account: AccountId): SavedView[] =>
  viewsTable.list(from, 'WHERE account = ? ORDER BY place, rowid', account).map(({ view }) => view)

/** @throws DeskFailure if there is no room for `more` views, or the account was removed */
function checkRoom(from: Reader, account: AccountId, more: number, there: readonly SavedView[]): void {
  if (!has(from, 'accounts', { id: account })) throw invalid('This account has been removed.', 'account')
  if (there.length + more > maxViews) {
    throw invalid(`An account can have ${maxViews.toLocaleString('en')} views. Delete some first.`)
  }
}

/** Stores an account's views in this order; new ones are added. */
function writeAll(into: Writer, account: AccountId, views: readonly SavedView[]): void {
  views.forEach(({ id, name, address, pinned, depth, start }, place) => {
    const values = { id, account, name, address, pinned, depth, start }
    put(into, 'saved_views', ['id'], { ...values, place }, Object.keys(values))
  })
}

/** Returns the taken names, including those of invalid rows, because names are unique in the table. */
function takenNames(from: Reader, account: AccountId, except?: SavedViewId): Set<string> {
  const rows = from.rows('SELECT id, name FROM saved_views WHERE account = ?', account)
  return new Set(rows.filter(({ id }) => id !== except).map(({ name }) => String(name)))
}

/** Adds a view at the end. @throws DeskFailure about `name` if another view has it */
export function addView(into: Writer, { account, view }: ViewOfAccount): SavedView {
  return into.together(() => {
    const there = listViews(into, account)
    if (takenNames(into, account).has(view.name)) throw nameTaken()
    checkRoom(into, account, 1, there)
    writeAll(into, account, [...there, view])
    return view
  })
}

/** Adds views at the end under free names; all of them or none. */
export function addViews(
  into: Writer,
  account: AccountId,
  views: readonly SavedView[],
): readonly SavedView[] {
  return into.together(() => {
    const there = listViews(into, account)
    checkRoom(into, account, views.length, there)
    const taken = takenNames(into, account)
    const named = views.map((view) => {
      const name = freeName(view.name, taken)
      taken.add(name)
      return { ...view, name }
    })
    writeAll(into, account, [...there, ...named])
    return named
  })
}

/** Changes the given fields. A new start view replaces the previous one. */
export function changeView(
  into: Writer,
  { account, id, changes }: AView & { readonly changes: ViewChanges },
): SavedView {
  return into.together(() => {
    const there = listViews(into, account)
    const before = there.find((savedView) => savedView.id === id)
    if (!before) throw viewGone()
    const view = { ...before, ...changes }
    if (takenNames(into, account, id).has(view.name)) throw nameTaken()
    if (view.start) into.write('UPDATE saved_views SET start = 0 WHERE account = ? AND id <> ?', account, id)
    const { name, address, pinned, depth, start } = view
    update(into, 'saved_views', { id }, { name, address, pinned, depth, start })
    return view
  })
}

/** Duplicates a view after the original, under a free name. The copy is neither pinned nor the start view. */
function duplicateView(
  into: Writer,
  { account, id, copyId }: AView & { readonly copyId: SavedViewId },
): SavedView {
  return into.together(() => {
    const there = listViews(into, account)
    const place = there.findIndex((savedView) => savedView.id === id)
    const original = there[place]
    if (!original) throw viewGone()
    checkRoom(into, account, 1, there)
    const name = freeName(original.name, takenNames(into, account))
    const copy: SavedView = { ...original, id: copyId, name, pinned: false, start: false }
    writeAll(into, account, there.toSpliced(place + 1, 0, copy))
    return copy
  })
}

/** Removes a view. @returns the view and its place, for `restoreView` */
export function removeView(from: Writer, { account, id }: AView): PlacedView {
  return from.together(() => {
    const there = listViews(from, account)
    const place = there.findIndex((savedView) => savedView.id === id)
    const view = there[place]
    if (!view) throw viewGone()
    remove(from, 'saved_views', { id })
    writeAll(from, account, there.toSpliced(place, 1))
    return { view, place }
  })
}

/**
 * Restores a removed view at its place. If its name is taken, it gets a free name; if there is another start view, it is none.
 * An existing view remains unchanged.
 */
function restoreView(into: Writer, { account, view, place }: ViewOfAccount & PlacedView): SavedView {
  return into.together(() => {
    const there = listViews(into, account)
    const known = there.find((savedView) => savedView.id === view.id)
    if (known) return known
    if (has(into, 'saved_views', { id: view.id })) throw viewGone()
    checkRoom(into, account, 1, there)
    const name = freeName(view.name, takenNames(into, account))
    const back = { ...view, name, start: view.start && !there.some((savedView) => savedView.start) }
    writeAll(into, account, there.toSpliced(place, 0, back))
    return back
  })
}

/** Stores a new order. Unknown ids are ignored; views that are not listed come last. */
function orderViews(
  into: Writer,
  { account, ids }: { readonly account: AccountId; readonly ids: readonly SavedViewId[] },
): void {
  into.together(() => {
    const there = new Map(listViews(into, account).map((view) => [view.id, view]))
    const named = [...new Set(ids)].flatMap((id) => there.get(id) ?? [])
    for (const { id } of named) there.delete(id)
    writeAll(into, account, [...named, ...there.values()])
  })
}

/** Lists the watched figures of all accounts as pinned views, each once. A view has the id of its oldest alert. */
function watchedViews(from: Reader): readonly ViewOfAccount[] {
  const views = new Map<string, ViewOfAccount>()
  for (const { account, alert } of alertsOfAll(from)) {
    const { id, view: watched, measure } = alert
    const read = measure === 'rule-mix' ? readAddress(watched) : null
    const address = read?.kind === 'reports' ? writeAddress({ ...read, rules: true }) : watched
    const key = `${account} ${address}`
    if (views.has(key)) continue
    const view = { address, name: 'Watched figures', pinned: true, depth: daysRead, start: false } as const
    views.set(key, { account, view: { ...view, id: id as string as SavedViewId } })
  }
  return [...views.values()]
}

export const viewOperations = {
  'views/list': listViews,
  /** Lists the pinned views of all accounts, and the figures that alerts watch. */
  'views/pinned': (from: Reader): readonly ViewOfAccount[] => [
    ...viewsTable.list(from, 'WHERE pinned = 1 ORDER BY account, place, rowid'),
    ...watchedViews(from),
  ],
  'views/add': addView,
  'views/add-all': (
    into: Writer,
    { account, views }: { readonly account: AccountId; readonly views: readonly SavedView[] },
  ): readonly SavedView[] => addViews(into, account, views),
  'views/change': changeView,
  'views/duplicate': duplicateView,
  'views/remove': removeView,
  'views/restore': restoreView,
  'views/order': orderViews,
} as const
