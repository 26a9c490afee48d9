import type { AccountId, Instant } from '../values/ids.ts'
import type { Failure } from '../api/failure.ts'
import type { Depth } from './saved.ts'

/** What it would take to keep a view offline at a depth, as far as that can be known beforehand. */
export type StorageEstimate = {
  readonly depth: Depth
  /** Days that it covers, of which so many have to be fetched. */
  readonly of: number
  readonly days: number
  readonly requests: number
  readonly milliseconds: number
  /** What it adds on the disk. */
  readonly bytes: number
  /** What had to be assumed: how large its tables are, or how long a request takes. Empty where all is known. */
  readonly assumed: readonly ('size' | 'time')[]
}

/** A view that is being kept up to date, and how many of its days are there. */
export type Syncing = {
  readonly account: AccountId
  readonly view: string
  readonly done: number
  readonly of: number
}

/** How it stands with keeping pinned views up to date, over all accounts. */
export type SyncState = {
  readonly syncing: Syncing | null
  /** How many views wait for their turn besides. */
  readonly waiting: number
  /** When a view was last brought up to date in this session. */
  readonly syncedAt: Instant | null
  /** The last that could not be, as long as that holds. */
  readonly trouble: { readonly account: AccountId; readonly view: string; readonly failure: Failure } | null
}

export const nothingSyncs: SyncState = { syncing: null, waiting: 0, syncedAt: null, trouble: null }
