import type { ProcessingLimits, RawListRow } from '#shared/api/answers.ts'
import type { AccountId, Instant } from '#shared/values/ids.ts'
import type { AcceptedReport } from '../polling/raw-reports.ts'
import type { RawContext } from '../raw-context.ts'

/** Services that raw requests need. */
export type RequestsContext = RawContext & { readonly lists: RawLists }

/** Access to lists for requests. */
export type RawLists = {
  /** The last list; null if there is none. */
  readonly known: (account: AccountId) => Promise<RawReportList | null>
  /** Fetches the list. @throws ServiceFailure */
  readonly refresh: (account: AccountId) => Promise<RawReportList>
  /** Adds the report of a request, and polls it. The next list adds the name of the report's instance. */
  readonly accepted: (report: AcceptedReport) => Promise<void>
}

/** A list of raw reports, as needed for requests. */
export type RawReportList = {
  readonly limits: ProcessingLimits
  /** Start of the fetch. Includes everything that the service did before. */
  readonly requestedAt: Instant
  /** Whether a report that is not in it does not exist at the service. */
  readonly complete: boolean
  readonly reports: readonly {
    readonly row: RawListRow
    /** When the report first appeared in a complete list. */
    readonly firstSeen: Instant
  }[]
}
