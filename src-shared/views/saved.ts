import type { Failure } from '../service/failure.ts'
import type { Instant } from '../values/ids.ts'

/** A saved view's id; a random UUID, never shown. */
export type SavedViewId = string & { readonly __brand: 'SavedViewId' }

/** A view under a name, at one account. */
export type SavedView = {
  readonly id: SavedViewId
  readonly name: string
  /** All of its state (address.ts), such as `#/reports/script/browsers?period=last-28-days`. */
  readonly address: string
  /** Kept whole for reading offline, and kept up to date. */
  readonly pinned: boolean
  /** Opened when the app starts; at most one view of an account. */
  readonly start: boolean
}

/** What is kept of a pinned view. */
export type KeptView = {
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
  readonly kept: KeptView | null
  readonly syncing: boolean
  /** Why the last attempt to renew it ended early. */
  readonly failure: Failure | null
}
