import * as v from 'valibot'
import type { StorageEstimate, SyncState, SavedView, SavedViewState } from '#shared/views/saved-views.ts'
import { anAccount, call, nothing } from '../call.ts'
import { accountId, depth, savedView, savedViewId, shortText, viewAddress } from '../schemas.ts'

const aView = v.strictObject({ account: accountId, view: savedViewId })

/** Saved views, in the person's order. Each change is followed by `views/changed`. */
export const viewCalls = {
  'views/list': call(anAccount)<readonly SavedViewState[]>(),
  /** Saves a view under a name that no other view of the account has. */
  'views/save': call(
    v.strictObject({
      account: accountId,
      name: shortText,
      address: viewAddress,
      pinned: v.boolean(),
      depth: v.exactOptional(depth),
    }),
  )<SavedView>(),
  /** Changes what is given. `start` takes it from the view that had it. */
  'views/change': call(
    v.strictObject({
      account: accountId,
      view: savedViewId,
      name: v.exactOptional(shortText),
      address: v.exactOptional(viewAddress),
      pinned: v.exactOptional(v.boolean()),
      depth: v.exactOptional(depth),
      start: v.exactOptional(v.boolean()),
    }),
  )<SavedView>(),
  'views/duplicate': call(aView)<SavedView>(),
  /** Removes a view; what comes back is what `views/restore` takes to undo it. */
  'views/remove': call(aView)<{ readonly view: SavedView; readonly place: number }>(),
  'views/restore': call(
    v.strictObject({
      account: accountId,
      view: savedView,
      place: v.pipe(v.number(), v.integer(), v.minValue(0)),
    }),
  )<null>(),
  /** The ids of all views in their new order. */
  'views/order': call(
    v.strictObject({ account: accountId, views: v.pipe(v.array(savedViewId), v.maxLength(1000)) }),
  )<null>(),
  /** What keeping a view offline would take, for each depth, its own days first. Nothing is fetched for it. */
  'views/estimate': call(v.strictObject({ account: accountId, address: viewAddress }))<
    readonly StorageEstimate[]
  >(),
  /** How it stands with keeping pinned views up to date; `sync/changed` tells of each change. */
  'sync/state': call(nothing)<SyncState>(),
  /** Renews what is kept of a pinned view now. */
  'views/refresh': call(aView)<null>(),
  /** Gives up renewing it; what is kept stays. */
  'views/stop': call(aView)<null>(),
  /** Writes the account's views into a file in the folder of downloads; its name. */
  'views/export': call(anAccount)<{ readonly file: string }>(),
  /** Lets the person choose a file of views and adds them; how many, or null where they thought better of it. */
  'views/import': call(anAccount)<{ readonly added: number } | null>(),
} as const
