import type { Day } from '../values/day.ts'
import type { AccountId } from '../values/ids.ts'

/** What is kept of an account on the disk, by kind; in bytes. */
export type AccountDisk = {
  readonly account: AccountId
  /** Whole days of tables, and the first of them; null where there is none. */
  readonly history: { readonly bytes: number; readonly days: number; readonly since: Day | null }
  /** Answers of what was opened: pages of reports, and lists for filters. */
  readonly answers: { readonly pages: number; readonly lookups: number }
  /** Saved archives of raw reports, as large as they were when they were saved. */
  readonly downloads: { readonly files: number; readonly bytes: number }
}

export type DiskUse = {
  readonly accounts: readonly AccountDisk[]
  /** Whole days of tables that belong to no account as it is now. */
  readonly others: { readonly bytes: number; readonly days: number }
}

/** What a limit of the disk would remove. */
export type BeyondLimit = { readonly bytes: number; readonly days: number }
