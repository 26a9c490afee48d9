import type { Clock } from '#main/lib/async.ts'
import type { Store } from '#main/database/state/state-store.ts'
import type { ProcessingLimits, RawListRow } from '#shared/api/answers.ts'
import type { AccountId, Instant, RawReportId } from '#shared/values/ids.ts'
import type { RawReports } from '../polling/raw-reports.ts'
import { failureOf } from '#shared/api/failure.ts'
import { lifeOf } from '#shared/raw/list.ts'

/** A list of an account's raw reports, as far as it says what was asked for. */
export type KnownList = {
  readonly limits: ProcessingLimits
  /** When it began to be asked for: what the service did before then is in it. */
  readonly requestedAt: Instant
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

/** What a report is known by. */
export type ReportOf = { readonly account: AccountId; readonly report: RawReportId }

/** The lists that the watcher keeps, as asking needs them. */
export class StoredLists implements RawLists {
  readonly #store: Store
  readonly #clock: Clock
  readonly #reports: Pick<RawReports, 'fresh' | 'accepted'>
  /** What is known of the last list that was fetched for asking. A list that came since then is newer, and is taken for it. */
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

/** A list (null where this token is never given one), or what has to come back before one can be had. */
export type Listed =
  | { readonly kind: 'listed'; readonly list: KnownList | null }
  | { readonly kind: 'missing'; readonly for: 'connection' | 'token' }

/** What the limits leave is taken from a list that is not older, in milliseconds. */
const freshFor = 60_000

/** The lists of one account, asked for anew where they are too old for what they have to tell. */
export class RecentLists {
  readonly #lists: RawLists
  readonly #clock: Clock
  readonly #account: AccountId
  /** When the last one was there. A slow service takes long for each, and is not asked again for that. */
  #listedAt = 0

  constructor(lists: RawLists, clock: Clock, account: AccountId) {
    this.#lists = lists
    this.#clock = clock
    this.#account = account
  }

  /**
   * A list that was asked for at this moment or later; 0 where any list will do, or none.
   * @param forLimits whether it has to tell what the limits leave now
   */
  async from(moment: number, forLimits: boolean): Promise<Listed> {
    const now = this.#clock.now()
    const known = await this.#lists.known(this.#account)
    const isRecent = [this.#listedAt, known?.requestedAt ?? 0].some(
      (time) => time <= now && now - time <= freshFor,
    )
    // One that does not tell of everything is soon asked for again, too.
    const isOld = (forLimits || (moment > 0 && known?.complete === false)) && !isRecent
    if (moment === 0 && !isOld) return { kind: 'listed', list: known }
    if (known && !isOld && known.requestedAt >= moment && known.requestedAt <= now)
      return { kind: 'listed', list: known }
    return await this.#refreshed(moment)
  }

  async #refreshed(moment: number): Promise<Listed> {
    try {
      const list = await this.#lists.refresh(this.#account)
      // It may have been on its way before.
      const later = list.requestedAt >= moment ? list : await this.#lists.refresh(this.#account)
      this.#listedAt = this.#clock.now()
      return { kind: 'listed', list: later }
    } catch (error) {
      return withoutList(error)
    }
  }
}

/** What a list that could not be had means: one that this token is never given holds nobody back. */
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
    // A network that wants a person to sign in answers with a page.
    case 'malformed':
    case 'cancelled':
    case 'costly':
    case 'invalid':
    case 'disk':
    case 'internal':
      return { kind: 'missing', for: 'connection' }
  }
}

/** What a request waits for that the service's limits hold back. */
export type Limit = 'concurrent' | 'minutes'

/** A request that the limits turned away though there seemed to be room, and what the list said then. */
export type Held = { readonly by: Limit; readonly time: number; readonly list: KnownList | null }

const minute = 60_000
/** How long a request that was turned away stays back where the list does not tell when there is room again. */
const rests: Readonly<Record<Limit, number>> = { concurrent: minute, minutes: 60 * minute }

const running = ({ reports }: KnownList) =>
  // A label that nobody knows may be an end: it must not hold back everything else for good.
  reports.filter(({ row }) => lifeOf(row).state === 'in-progress').length

/** What there is no room for, by a complete list; null where there is room, or none is told of. */
export function limitReached(list: KnownList): Limit | null {
  const { api_concurrent: atOnce, minutes_available: minutes } = list.limits
  if (atOnce !== null && running(list) >= atOnce) return 'concurrent'
  // A report costs at least one minute (field notes: raw reports).
  return minutes !== null && minutes < 1 ? 'minutes' : null
}

/** Until when a request that was turned away stays back at most, by this machine's clock. */
export const heldUntil = ({ by, time }: Held): number => time + rests[by]

/** Whether a request that was turned away still stays back: until the list shows more room than there was. */
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
