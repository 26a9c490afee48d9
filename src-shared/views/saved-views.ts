import type { Failure } from '../api/failure.ts'
import { rawTypes } from '../api/raw-columns.ts'
import type { Instant, AccountId } from '../values/ids.ts'

/** Id of a saved view; a random UUID, never shown. */
export type SavedViewId = string & { readonly __brand: 'SavedViewId' }

/** Numbers of past days to store for a view, ending yesterday. */
export const depths = [7, 28, 90, 365] as const
/** Null: only the days that the view shows. */
export type Depth = (typeof depths)[number] | null

/** A named view of an account. */
export type SavedView = {
  readonly id: SavedViewId
  readonly name: string
  /** The view's whole state (address.ts), such as `#/reports/script/browsers?period=last-28-days`. */
  readonly address: string
  /** Stored whole for offline use and refreshed in the background. */
  readonly pinned: boolean
  /** Number of days to store while pinned. The days that the view shows are always stored. */
  readonly depth: Depth
  /** Whether the view opens at startup; at most one per account. */
  readonly start: boolean
}

/** Stored part of a pinned view. */
export type StoredView = {
  /** Stored days, out of all days of the view and its comparison. */
  readonly days: number
  readonly total: number
  /** When the oldest stored figures were fetched; null if none are stored. */
  readonly oldest: Instant | null
  readonly bytes: number
}

/** A saved view and its storage state. */
export type SavedViewState = SavedView & {
  /** Null if the view is not pinned. */
  readonly stored: StoredView | null
  readonly syncing: boolean
  /** Why the last refresh ended early; null if it completed. */
  readonly failure: Failure | null
}

/** Estimated cost of storing a view at a depth. */
export type StorageEstimate = {
  readonly depth: Depth
  /** Days of the view, and how many of them must be fetched. */
  readonly total: number
  readonly days: number
  readonly requests: number
  readonly milliseconds: number
  /** Additional disk space. */
  readonly bytes: number
  /** Inputs that had to be assumed: the size of tables, the time of a request. Empty if both are known. */
  readonly assumed: readonly ('size' | 'time')[]
}

/** Result of refreshing pinned views, over all accounts. Running and queued work is listed as jobs. */
export type SyncState = {
  /** When a view was last refreshed in this session. */
  readonly syncedAt: Instant | null
  /** The latest failure; null once it is resolved. */
  readonly trouble: { readonly account: AccountId; readonly view: string; readonly failure: Failure } | null
}

export const nothingSyncs: SyncState = { syncedAt: null, trouble: null }

/** Layout of a report's columns, by header. Columns that it does not name keep their order. */
export type ColumnLayout = {
  readonly order: readonly string[]
  readonly hidden: readonly string[]
  /** Columns that stay visible while the others scroll. */
  readonly pinned?: readonly string[]
  /** Widths in CSS pixels. */
  readonly widths: Readonly<Record<string, number>>
}

/** Layouts by report, such as `script/browsers`. */
export type Layouts = Readonly<Record<string, ColumnLayout>>

/** Layouts of raw rows by type, of groups and of clusters. `plain` is a table that is no raw report. */
export const rowsLayouts = [...rawTypes, 'plain', 'groups', 'groups-by-three', 'clusters'] as const
