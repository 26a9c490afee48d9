import type { ReportQuery } from '#shared/reports/query.ts'
import type { AccountId } from '#shared/values/ids.ts'

/** A whole table that is to be kept. */
export type StoreParams = {
  readonly account: AccountId
  readonly query: ReportQuery
  readonly signal: AbortSignal
  /** Hears how many of the days are there. */
  readonly progress: (done: number, total: number) => void
}

/** What a pinned view shows. */
export type PinnedQuery = { readonly account: AccountId; readonly query: ReportQuery }
