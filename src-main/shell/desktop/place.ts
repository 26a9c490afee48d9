import type { AccountId, RawReportId } from '#shared/values/ids.ts'

/** Where in the desk something is that is told of outside its window. */
export type Place =
  | { readonly kind: 'raw'; readonly account: AccountId; readonly report: RawReportId | null }
  | { readonly kind: 'downloads' }
  /** What Help says of the app itself. */
  | { readonly kind: 'about' }
