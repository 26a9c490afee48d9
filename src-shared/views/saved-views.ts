import type { Failure } from '../api/failure.ts'
import { rawTypes } from '../api/raw-columns.ts'
import type { Instant, AccountId } from '../values/ids.ts'

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
  readonly total: number
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

/** What it would take to keep a view offline at a depth, as far as that can be known beforehand. */
export type StorageEstimate = {
  readonly depth: Depth
  /** Days that it covers, of which so many have to be fetched. */
  readonly total: number
  readonly days: number
  readonly requests: number
  readonly milliseconds: number
  /** What it adds on the disk. */
  readonly bytes: number
  /** What had to be assumed: how large its tables are, or how long a request takes. Empty where all is known. */
  readonly assumed: readonly ('size' | 'time')[]
}

/** What came of keeping pinned views up to date, over all accounts; what goes on and waits are jobs. */
export type SyncState = {
  /** When a view was last brought up to date in this session. */
  readonly syncedAt: Instant | null
  /** The last that could not be, as long as that holds. */
  readonly trouble: { readonly account: AccountId; readonly view: string; readonly failure: Failure } | null
}

export const nothingSyncs: SyncState = { syncedAt: null, trouble: null }

/** How the columns of a report are laid out, by header. Columns that it does not name stand as they come. */
export type ColumnLayout = {
  readonly order: readonly string[]
  readonly hidden: readonly string[]
  /** Those that stay beside the label while the others scroll. */
  readonly pinned?: readonly string[]
  /** Widths in CSS pixels. */
  readonly widths: Readonly<Record<string, number>>
}

/** Layouts by report, such as `script/browsers`. */
export type Layouts = Readonly<Record<string, ColumnLayout>>

/** Raw rows are laid out by their type, `plain` is a table that is no raw report; and their groups and clusters. */
export const rowsLayouts = [...rawTypes, 'plain', 'groups', 'clusters'] as const
