import type { Clock } from '#main/lib/async.ts'
import type { Store } from '#main/database/state/state-store.ts'
import type { ProcessingLimits, RawListRow } from '#shared/api/answers.ts'
import type { AccountId, Instant, RawReportId } from '#shared/values/ids.ts'
import type { RawReports } from '../polling/raw-reports.ts'
import { failureOf } from '#shared/api/failure.ts'
import { lifeOf } from '#shared/raw/list.ts'

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

/** A list (null if the token may never see one), or the condition for fetching one. */
export type Listed =
  | { readonly kind: 'listed'; readonly list: KnownList | null }
  | { readonly kind: 'missing'; readonly for: 'connection' | 'token' }

/** Maximum age in milliseconds of a list from which free limits are read. */
const freshFor = 60_000

/** Lists of one account, fetched again when they are too old. */
export class RecentLists {
  readonly #lists: RawLists
  readonly #clock: Clock
  readonly #account: AccountId
  /** Arrival of the last list. Not its request, so that a slow service is not queried again at once. */
  #listedAt = 0

  constructor(lists: RawLists, clock: Clock, account: AccountId) {
    this.#lists = lists
    this.#clock = clock
    this.#account = account
  }

  /**
   * Returns a list requested at or after `moment`; 0 accepts any list, or none.
   * @param forLimits whether the list must show the current limits
   */
  async from(moment: number, forLimits: boolean): Promise<Listed> {
    const now = this.#clock.now()
    const known = await this.#lists.known(this.#account)
    const isRecent = [this.#listedAt, known?.requestedAt ?? 0].some(
      (time) => time <= now && now - time <= freshFor,
    )
    // An incomplete list also becomes outdated.
    const isOld = (forLimits || (moment > 0 && known?.complete === false)) && !isRecent
    if (moment === 0 && !isOld) return { kind: 'listed', list: known }
    if (known && !isOld && known.requestedAt >= moment && known.requestedAt <= now)
      return { kind: 'listed', list: known }
    return await this.#refreshed(moment)
  }

  async #refreshed(moment: number): Promise<Listed> {
    try {
      const list = await this.#lists.refresh(this.#account)
      // The first list may have been requested before `moment`.
      const later = list.requestedAt >= moment ? list : await this.#lists.refresh(this.#account)
      this.#listedAt = this.#clock.now()
      return { kind: 'listed', list: later }
    } catch (error) {
      return withoutList(error)
    }
  }
}

/** Meaning of a failed fetch. A list that the token may never see blocks no request. */
function withoutList(error: unknown): Listed {
  const { kind } = failureOf(error)
  switch (kind) {
    case 'refused-token':
    case 'no-token':
    case 'no-keychain':
      return { kind: 'missing', for: 'token' }
    case 'no-right':
    case 'bad-request':
    case 'out-of-window':
    case 'not-found':
      return { kind: 'listed', list: null }
    case 'offline':
    case 'timed-out':
    case 'server-trouble':
    case 'resting':
    case 'proxy-sign-in':
    // A captive portal responds with a web page.
    case 'malformed':
    case 'cancelled':
    case 'costly':
    case 'invalid':
    case 'disk':
    case 'internal':
      return { kind: 'missing', for: 'connection' }
  }
}

/** Limit of the service that holds a request back. */
export type Limit = 'concurrent' | 'minutes'

/** A request rejected by a limit that the list did not show, with that list. */
export type Held = { readonly by: Limit; readonly time: number; readonly list: KnownList | null }

const minute = 60_000
/** How long a rejected request waits if the list shows no free capacity, in milliseconds. */
const rests: Readonly<Record<Limit, number>> = { concurrent: minute, minutes: 60 * minute }

const running = ({ reports }: KnownList) =>
  // An unknown state may be final, so it does not count as running.
  reports.filter(({ row }) => lifeOf(row).state === 'in-progress').length

/** Limit that a list shows as reached; null if there is capacity, or no limit is stated. */
export function limitReached(list: KnownList): Limit | null {
  const { api_concurrent: atOnce, minutes_available: minutes } = list.limits
  if (atOnce !== null && running(list) >= atOnce) return 'concurrent'
  // A report costs at least one minute (field notes: raw reports).
  return minutes !== null && minutes < 1 ? 'minutes' : null
}

/** Latest time until which a rejected request waits, by the local clock. */
export const heldUntil = ({ by, time }: Held): number => time + rests[by]

/** Whether a rejected request still waits: until the list shows more capacity than at its rejection. */
export function isHeld(held: Held, list: KnownList | null, now: number): boolean {
  if (now >= heldUntil(held) || now < held.time) return false
  if (!list || !held.list) return true
  switch (held.by) {
    case 'concurrent':
      return running(list) >= running(held.list)
    case 'minutes':
      return (list.limits.minutes_available ?? 0) <= (held.list.limits.minutes_available ?? 0)
  }
}
