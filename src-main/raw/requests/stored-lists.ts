import type { Clock } from '#main/lib/async.ts'
import type { Store } from '#main/database/state/state-store.ts'
import type { ProcessingLimits, RawListRow } from '#shared/api/answers.ts'
import type { AccountId, Instant, RawReportId } from '#shared/values/ids.ts'
import type { RawReports } from '../polling/raw-reports.ts'

/** A list of raw reports, as needed for requests. */
export type KnownList = {
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

/** A report that the service has just created. The next list adds the name of its instance. */
export type AcceptedReport = ReportOf & Pick<RawListRow, 'name' | 'type' | 'instance'>

/** Access to lists for requests. */
export type RawLists = {
  /** The last list; null if there is none. */
  readonly known: (account: AccountId) => Promise<KnownList | null>
  /** Fetches the list. @throws ServiceFailure */
  readonly refresh: (account: AccountId) => Promise<KnownList>
  /** Adds the report of a request, and polls it. */
  readonly accepted: (report: AcceptedReport) => Promise<void>
}

export type ReportOf = { readonly account: AccountId; readonly report: RawReportId }

/** Lists stored by the polling, for requests. */
export class StoredLists implements RawLists {
  readonly #store: Store
  readonly #clock: Clock
  readonly #reports: Pick<RawReports, 'fresh' | 'accepted'>
  /** Facts of the last list fetched for requests. A newer stored list is treated as that list. */
  readonly #fetched = new Map<AccountId, Pick<KnownList, 'requestedAt' | 'complete'>>()

  constructor(store: Store, clock: Clock, reports: Pick<RawReports, 'fresh' | 'accepted'>) {
    this.#store = store
    this.#clock = clock
    this.#reports = reports
  }

  async known(account: AccountId): Promise<KnownList | null> {
    const seen = await this.#store.run('raw-requests/seen-list', account)
    const never = { requestedAt: 0 as Instant, complete: false }
    return seen && { ...seen, ...(this.#fetched.get(account) ?? never) }
  }

  async refresh(account: AccountId): Promise<KnownList> {
    const requestedAt = this.#clock.now() as Instant
    const { complete } = await this.#reports.fresh(account)
    this.#fetched.set(account, { requestedAt, complete })
    const list = await this.known(account)
    if (!list) throw new TypeError('A list that was fetched is kept')
    return list
  }

  accepted(report: AcceptedReport): Promise<void> {
    return this.#reports.accepted(report)
  }
}
