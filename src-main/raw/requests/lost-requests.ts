import type { RawAccounts } from '../list/fetch-list.ts'
import type { Clock } from '#main/lib/async.ts'
import { failureOf } from '#shared/api/failure.ts'
import type { RawRequestId } from '#shared/raw/requests.ts'
import type { RawReport } from '#shared/api/answers.ts'
import type { Instant, RawReportId, AccountId } from '#shared/values/ids.ts'
import type { StoredRequest } from '#main/database/state/raw-requests-repository.ts'
import type { KnownList } from './known-lists.ts'
import { isSearching, hasLeft } from './queue-rows.ts'
import type { Left, Searching, QueueRows } from './queue-rows.ts'
import type { RawDraft } from '#shared/raw/draft.ts'
import { operatorsWithoutValue } from '#shared/api/raw-columns.ts'
import { timeOf } from '#shared/values/timestamp.ts'

/** How long after its answer was lost a request is looked for at least, in milliseconds: a service may be slow to list. */
const pause = 10_000

type Found = {
  readonly reports: ReadonlyMap<RawRequestId, RawReportId>
  readonly doubtful: ReadonlySet<RawRequestId>
}

/** Looks for the reports of requests whose answers were lost. */
class LostRequestSearch {
  /** When the first complete list without a report was asked for, by the request that it was looked for. */
  readonly #without = new Map<RawRequestId, Instant>()
  /** Reports that turned out to be something else, by what was looked for; nobody asks for them again. */
  readonly #others = new Map<RawRequestId, Set<RawReportId>>()

  /** From when on a list has to be asked for that tells more than those before; 0 where any does. */
  listFrom(requests: readonly StoredRequest[], now: number): number {
    const froms = requests.filter(isSearching).map(({ id, state: { since } }) => {
      const first = this.#without.get(id)
      if (first === undefined) return since
      return now >= since + pause ? Math.max(since + pause, first + 1) : 0
    })
    return Math.max(0, ...froms)
  }

  /** When to look again; null where nothing is looked for. */
  nextAt(requests: readonly StoredRequest[], now: number): number | null {
    const next = requests.filter(isSearching).map(({ state }) => Math.max(state.since + pause, now + pause))
    return next.length > 0 ? Math.min(...next) : null
  }

  /** Whether two complete lists since its answer was lost are without a request's report. */
  isOver({ id, state: { since } }: Searching, { requestedAt, complete }: KnownList): boolean {
    if (!complete || requestedAt < since) return false
    if (!this.#without.has(id)) this.#without.set(id, requestedAt)
    return requestedAt >= since + pause && this.#without.get(id) !== requestedAt
  }

  /** Whether so much time has passed since its answer was lost that no list will be had to look into. */
  isHopeless({ state: { since } }: Searching, now: number): boolean {
    return now >= since + pause
  }

  forget(id: RawRequestId): void {
    this.#without.delete(id)
    this.#others.delete(id)
  }

  /**
   * The reports in a list that requests became, each report for one request; and which requests may have become one
   * whose record cannot be read.
   * @param taken reports that are known to belong to other requests
   * @param recordOf asks for a full record
   * @throws what `recordOf` throws where it may answer later
   */
  async find(
    requests: readonly Left[],
    list: KnownList,
    taken: readonly RawReportId[],
    recordOf: (report: RawReportId) => Promise<RawReport>,
  ): Promise<Found> {
    const reports = new Map<RawRequestId, RawReportId>()
    const doubtful = new Set<RawRequestId>()
    const free = new Set(list.reports.map(({ row }) => row.id))
    for (const report of taken) free.delete(report)
    for (const request of requests.toSorted((a, b) => a.sentAt - b.sentAt)) {
      const others = this.#othersOf(request.id)
      for (const report of list.reports) {
        const { id } = report.row
        if (!free.has(id) || others.has(id) || !mayBe(request, report)) continue
        const isIt = await isReportOf(request, () => recordOf(id))
        if (isIt) {
          free.delete(id)
          reports.set(request.id, id)
          break
        }
        if (isIt === null) doubtful.add(request.id)
        else others.add(id)
      }
    }
    return { reports, doubtful }
  }

  #othersOf(id: RawRequestId): Set<RawReportId> {
    const known = this.#others.get(id) ?? new Set()
    this.#others.set(id, known)
    return known
  }
}

/** Failures that stay, so that what a report holds is never told. */
const permanentFailures = ['no-right', 'bad-request', 'malformed']

/** Whether a report is what was asked for; null where that is never told. @throws where it may be told later */
async function isReportOf({ draft }: Left, record: () => Promise<RawReport>): Promise<boolean | null> {
  try {
    return matchesDraft(draft, await record())
  } catch (error) {
    const { kind } = failureOf(error)
    if (kind === 'not-found') return false
    if (permanentFailures.includes(kind)) return null
    throw error
  }
}

/** Days would not be right either with a clock that is off by more; in milliseconds. */
const clocksDiffer = 36 * 3_600_000

type Sent = { readonly draft: RawDraft; readonly sentAt: Instant }

const plain = (name: string) => name.normalize('NFC').replace(/\s+/g, ' ').trim()

/** A name that was given is the report's; otherwise the service made one up. */
const fitsName = (draft: RawDraft, name: string) => draft.name === '' || plain(draft.name) === plain(name)

/**
 * Whether a row of the list may be what was sent: of its type and name, in no list that was complete before it was sent,
 * and not far older by its own time either, which another clock gave it.
 */
function mayBe({ draft, sentAt }: Sent, { row, firstSeen }: KnownList['reports'][number]): boolean {
  const requested = timeOf(row.requested)
  return (
    firstSeen > sentAt &&
    row.type.toLowerCase() === draft.type &&
    fitsName(draft, row.name) &&
    (requested === null || requested >= sentAt - clocksDiffer)
  )
}

const asText = (values: Iterable<string | number>) => JSON.stringify([...values].map(String).sort())

type AnyFilter = { readonly column: string; readonly operator?: string | null; readonly value?: string }

/** Filters as text, without what means nothing: no operator, and values that are not applied. */
const filtersAsText = (filters: readonly AnyFilter[]) =>
  asText(
    filters.map(({ column, operator, value = '' }) => {
      const takesNone = operatorsWithoutValue.some((item) => item === operator)
      return JSON.stringify([column, operator || null, takesNone ? '' : value])
    }),
  )

/** Whether a full record is the report that a draft asks for: its instance, days, columns and filters. */
function matchesDraft(draft: RawDraft, record: RawReport): boolean {
  return (
    record.type.toLowerCase() === draft.type &&
    fitsName(draft, record.name) &&
    record.instance_id === draft.instance &&
    record.start === draft.start &&
    record.end === draft.end &&
    asText(record.columns.standard) === asText(draft.standard) &&
    asText(record.columns.additional ?? []) === asText(draft.additional) &&
    filtersAsText(record.filters ?? []) === filtersAsText(draft.filters)
  )
}

/** What was found out about the requests that have left. */
type SearchOutcome = {
  /** The reports that requests became. */
  readonly reports: Found['reports']
  /** What is left of the queue, and may be sent as far as anybody knows; null where that cannot be told yet. */
  readonly left: readonly StoredRequest[] | null
  /** Whether to ask for another list soon: this one did not tell everything. */
  readonly again: boolean
  /** When a list tells more of what is looked for; null where nothing is. */
  readonly nextAt: number | null
}

const isWaiting = ({ state }: StoredRequest) => state.kind === 'waiting'

/** Looks for requests whose answers were lost, and writes down those that are for the person to decide. */
export class UnansweredSubmissions {
  readonly #accounts: RawAccounts
  readonly #clock: Clock
  readonly #account: AccountId
  readonly #rows: QueueRows
  readonly #signal: AbortSignal
  readonly #search = new LostRequestSearch()

  constructor(accounts: RawAccounts, clock: Clock, account: AccountId, rows: QueueRows, signal: AbortSignal) {
    this.#accounts = accounts
    this.#clock = clock
    this.#account = account
    this.#rows = rows
    this.#signal = signal
  }

  /** From when on a list has to be asked for that tells more than those before; 0 where any does. */
  listFrom(open: readonly StoredRequest[]): number {
    return this.#search.listFrom(open, this.#clock.now())
  }

  forget(id: RawRequestId): void {
    this.#search.forget(id)
  }

  /** @param isDecided what the person wants sent, whatever is in doubt about it */
  async matchAgainstList(
    open: readonly StoredRequest[],
    list: KnownList,
    isDecided: (id: RawRequestId) => boolean,
  ): Promise<SearchOutcome> {
    const none = { reports: new Map(), nextAt: null }
    const sent = open.filter(hasLeft).filter(({ state }) => state.kind !== 'refused')
    if (sent.length === 0) return { ...none, left: open, again: false }
    const match = await this.#find(sent, list)
    if (!match) return { ...none, left: null, again: true }
    const { reports, doubtful } = match
    const left = open.filter(({ id }) => !reports.has(id))
    // It was turned away, but the service may have made it all the same: then it is not for the desk to send it again.
    const isDoubtful = (request: StoredRequest) =>
      isWaiting(request) && doubtful.has(request.id) && !isDecided(request.id)
    const since = this.#clock.now() as Instant
    for (const { id } of left.filter(isDoubtful)) await this.#rows.change(id, { kind: 'unclear', since })
    for (const { id, state } of left
      .filter(isSearching)
      .filter((searching) => this.#search.isOver(searching, list)))
      await this.#rows.change(id, { kind: 'unclear', since: state.since })
    const nextAt = this.#search.nextAt(left, this.#clock.now())
    if (list.complete)
      return {
        reports,
        left: left.filter((storedRequest) => !isDoubtful(storedRequest)),
        again: false,
        nextAt,
      }
    // What has left once may be among what the list does not tell.
    return { reports, left: left.filter((request) => !hasLeft(request)), again: true, nextAt }
  }

  /**
   * No list can be had from this service: what was lost is for the person to decide.
   * @param stays what was turned away by the limits, or is decided
   */
  async withoutList(
    open: readonly StoredRequest[],
    stays: (id: RawRequestId) => boolean,
  ): Promise<SearchOutcome> {
    const now = this.#clock.now() as Instant
    for (const { id, state } of open
      .filter(isSearching)
      .filter((searching) => this.#search.isHopeless(searching, now)))
      await this.#rows.change(id, { kind: 'unclear', since: state.since })
    const mayBeMade = (request: StoredRequest) => isWaiting(request) && hasLeft(request) && !stays(request.id)
    for (const { id } of open.filter(mayBeMade)) await this.#rows.change(id, { kind: 'unclear', since: now })
    const left = open.filter((request) => !mayBeMade(request))
    return { reports: new Map(), left, again: false, nextAt: this.#search.nextAt(open, now) }
  }

  async #find(sent: Parameters<LostRequestSearch['find']>[0], list: KnownList): Promise<Found | null> {
    const taken = await this.#rows.taken()
    const recordOf = async (raw: RawReportId) => {
      const client = await this.#accounts.clientFor(this.#account)
      const options = { signal: this.#signal, priority: 'background' } as const
      return (await client.call('raw/report', { raw }, options)).answer
    }
    try {
      return await this.#search.find(sent, list, taken, recordOf)
    } catch {
      return null
    }
  }
}
