import type { Failure } from '../api/failure.ts'
import type { Instant } from '../values/ids.ts'

/** A saved view's id; a random UUID, never shown. */
export type SavedViewId = string & { readonly __brand: 'SavedViewId' }

/** How many of the last days can be kept of a view, ending with yesterday. */
export const depths = [7, 28, 90, 365] as const
/** Null for the days that the view shows by itself. */
export type Depth = (typeof depths)[number] | null

/** A view under a name, at one account. */
export type SavedView = {
  readonly id: SavedViewId
  readonly name: string
  /** All of its state (address.ts), such as `#/reports/script/browsers?period=last-28-days`. */
  readonly address: string
  /** Kept whole for reading offline, and kept up to date. */
  readonly pinned: boolean
  /** How many days are kept while it is pinned; those that it shows always are. */
  readonly depth: Depth
  /** Opened when the app starts; at most one view of an account. */
  readonly start: boolean
}

/** What is kept of a pinned view. */
export type StoredView = {
  /** Days that are kept whole, of so many that the view covers, comparison included. */
  readonly days: number
  readonly of: number
  /** When the oldest of them was fetched; null where none is kept. */
  readonly oldest: Instant | null
  readonly bytes: number
}

/** A saved view and how it stands with it. */
export type SavedViewState = SavedView & {
  /** Null where it is not pinned. */
  readonly stored: StoredView | null
  readonly syncing: boolean
  /** Why the last attempt to renew it ended early. */
  readonly failure: Failure | null
}
