import type { StuckRequest } from '#shared/raw/asking.ts'
import type { RawSettings } from '#shared/raw/settings.ts'
import type { ProcessingLimits, RawListRow } from '#shared/api/answers.ts'
import type { AccountId, Instant, RawReportId } from '#shared/values/ids.ts'
import type { AccountStore } from '#main/accounts/account-store.ts'
import type { Clock } from '#main/lib/async.ts'
import type { Store } from '#main/database/state/state-store.ts'
import type { AppEvents } from '#main/lib/app-events.ts'

/** A list of an account's raw reports, as far as it says what was asked for. */
export type KnownList = {
  readonly limits: ProcessingLimits
  /** When it began to be asked for: what the service did before then is in it. */
  readonly askedAt: Instant
  /** Whether a report that is not in it is not in the service's list. */
  readonly complete: boolean
  readonly reports: readonly {
    readonly row: RawListRow
    /** When the first list with it was complete. */
    readonly firstSeen: Instant
  }[]
}

/** A report that the service made just now. Its instance has no name here: the next list tells it. */
export type AcceptedReport = ReportOf & Pick<RawListRow, 'name' | 'type' | 'instance'>

/** What asking needs of whoever keeps the lists. */
export type RawLists = {
  /** The last list; null before there is any. */
  readonly known: (account: AccountId) => Promise<KnownList | null>
  /** Asks for all of it anew. @throws ServiceFailure where it cannot be had */
  readonly refresh: (account: AccountId) => Promise<KnownList>
  /** A request became this report, just now: it is to be watched. */
  readonly accepted: (report: AcceptedReport) => Promise<void>
}

export type RawAskingParts = {
  readonly store: Store
  readonly accounts: Pick<AccountStore, 'account' | 'clientFor' | 'list'>
  readonly lists: RawLists
  readonly settings: () => Promise<Pick<RawSettings, 'additionalColumns'>>
  readonly events: AppEvents
  /** Hears of a request that does not go on by itself any more, where nobody waits for it in a form. */
  readonly stuck: (request: StuckRequest) => void
  readonly clock: Clock
}

/** What a report is known by. */
export type ReportOf = { readonly account: AccountId; readonly report: RawReportId }
