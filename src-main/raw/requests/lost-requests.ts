import type { RawContext } from '../raw-context.ts'
import { failureOf } from '#shared/api/failure.ts'
import { failureMeanings } from '#shared/api/failure-meanings.ts'
import type { RawRequestId } from '#shared/raw/requests.ts'
import type { RawReport } from '#shared/api/answers.ts'
import { instantOf } from '#shared/values/ids.ts'
import type { Instant, RawReportId, AccountId } from '#shared/values/ids.ts'
import type { StoredRequest } from '#main/database/state/raw-requests-repository.ts'
import type { RawReportList } from './requests-context.ts'
import { pauseAfter } from '#main/lib/retry.ts'
import { isSearching, wasSent } from './stored-requests.ts'
import type { StoredRequests, Searching, SentRequest } from './stored-requests.ts'
import type { RawDraft } from '#shared/raw/draft.ts'
import { operatorsWithoutValue } from '#shared/api/raw-columns.ts'
import { timeOf } from '#shared/values/timestamp.ts'

/** Minimum time in milliseconds before the final search. */
const pause = pauseAfter('lostRequest', 1)

type Found = {
  readonly reports: ReadonlyMap<RawRequestId, RawReportId>
  readonly doubtful: ReadonlySet<RawRequestId>
}

/** Finds the reports of requests whose responses were lost. */
class LostRequestSearch {
  /** When the first complete list without a request's report was requested. */
  readonly #without = new Map<RawRequestId, Instant>()
  /** Reports that do not match a request, so that they are not fetched again. */
  readonly #others = new Map<RawRequestId, Set<RawReportId>>()

  /** Earliest time at which a list must be requested to be useful; 0 if any list will do. */
  listFrom(requests: readonly StoredRequest[], now: number): number {
    const froms = requests.filter(isSearching).map(({ id, state: { since } }) => {
      const first = this.#without.get(id)
      if (first === undefined) return since
      return now >= since + pause ? Math.max(since + pause, first + 1) : 0
    })
    return Math.max(0, ...froms)
  }

  /** Time of the next search; null if no response is lost. */
  nextAt(requests: readonly StoredRequest[], now: number): number | null {
    const next = requests.filter(isSearching).map(({ state }) => Math.max(state.since + pause, now + pause))
    return next.length > 0 ? Math.min(...next) : null
  }

  /** Whether two complete lists since the lost response do not contain the report. */
  isOver({ id, state: { since } }: Searching, { requestedAt, complete }: RawReportList): boolean {
    if (!complete || requestedAt < since) return false
    if (!this.#without.has(id)) this.#without.set(id, requestedAt)
    return requestedAt >= since + pause && this.#without.get(id) !== requestedAt
  }

  /** Whether the search time is over, for a service that provides no lists. */
  isHopeless({ state: { since } }: Searching, now: number): boolean {
    return now >= since + pause
  }

  forget(id: RawRequestId): void {
    this.#without.delete(id)
    this.#others.delete(id)
  }

  /**
   * Assigns reports in a list to requests, each report to one request. Also returns requests that may match a report
   * with an unreadable record.
   * @param taken reports that belong to other requests
   * @param recordOf fetches a full record
   * @throws temporary failures of `recordOf`
   */
  async find(
    requests: readonly SentRequest[],
    list: RawReportList,
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

/** Whether a report matches the request; null if that can never be determined. @throws temporary failures */
async function isReportOf({ draft }: SentRequest, record: () => Promise<RawReport>): Promise<boolean | null> {
  try {
    return matchesDraft(draft, await record())
  } catch (error) {
    const { kind } = failureOf(error)
    if (kind === 'not-found') return false
    // The content stays unknown: the service refuses it, or would send it malformed again.
    if (failureMeanings[kind].remedy === 'none' || kind === 'malformed') return null
    throw error
  }
}

/**
 * Tolerance between the local and the service's clock, in milliseconds. With a larger error, the requested days would
 * be wrong too.
 */
const clocksDiffer = 36 * 3_600_000

const plain = (name: string) => name.normalize('NFC').replace(/\s+/g, ' ').trim()

/** A given name must match. Otherwise the service chose one. */
const fitsName = (draft: RawDraft, name: string) => draft.name === '' || plain(draft.name) === plain(name)

/**
 * Whether a row may be the request's report: same type and name, not in a complete list before the request was sent,
 * and not much older by the service's clock.
 */
function mayBe(
  { draft, sentAt }: SentRequest,
  { row, firstSeen }: RawReportList['reports'][number],
): boolean {
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

/** Canonical form of filters, without empty operators and unused values. */
const filtersAsText = (filters: readonly AnyFilter[]) =>
  asText(
    filters.map(({ column, operator, value = '' }) => {
      const takesNone = operatorsWithoutValue.some((item) => item === operator)
      return JSON.stringify([column, operator || null, takesNone ? '' : value])
    }),
  )

/** Whether a full record matches the instance, days, columns and filters of a draft. */
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

type SearchOutcome = {
  /** Reports found, by request. */
  readonly reports: Found['reports']
  /** Remaining requests that may be sent; null if not yet known. */
  readonly remaining: readonly StoredRequest[] | null
  /** Whether another list is needed soon, because this one was incomplete. */
  readonly again: boolean
  /** Time of the next search; null if no response is lost. */
  readonly nextAt: number | null
}

const isWaiting = ({ state }: StoredRequest) => state.kind === 'waiting'

/** Searches for requests with lost responses, and marks those that the user must decide about. */
export class LostRequests {
  readonly #context: RawContext
  readonly #account: AccountId
  readonly #queue: StoredRequests
  readonly #signal: AbortSignal
  readonly #search = new LostRequestSearch()

  constructor(context: RawContext, account: AccountId, queue: StoredRequests, signal: AbortSignal) {
    this.#context = context
    this.#account = account
    this.#queue = queue
    this.#signal = signal
  }

  /** Earliest time at which a list must be requested to be useful; 0 if any list will do. */
  listFrom(open: readonly StoredRequest[]): number {
    return this.#search.listFrom(open, this.#context.clock.now())
  }

  forget(id: RawRequestId): void {
    this.#search.forget(id)
  }

  /** @param isDecided whether the user chose to send the request despite doubts */
  async matchAgainstList(
    open: readonly StoredRequest[],
    list: RawReportList,
    isDecided: (id: RawRequestId) => boolean,
  ): Promise<SearchOutcome> {
    const none = { reports: new Map(), nextAt: null }
    const sent = open.filter(wasSent).filter(({ state }) => state.kind !== 'refused')
    if (sent.length === 0) return { ...none, remaining: open, again: false }
    const match = await this.#find(sent, list)
    if (!match) return { ...none, remaining: null, again: true }
    const { reports, doubtful } = match
    const remaining = open.filter(({ id }) => !reports.has(id))
    // The service rejected the request but may have made the report, so only the user may send it again.
    const isDoubtful = (request: StoredRequest) =>
      isWaiting(request) && doubtful.has(request.id) && !isDecided(request.id)
    const since = instantOf(this.#context.clock.now())
    for (const { id } of remaining.filter(isDoubtful))
      await this.#queue.change(id, { kind: 'unclear', since })
    const searched = remaining.filter(isSearching).filter((request) => this.#search.isOver(request, list))
    for (const { id, state } of searched)
      await this.#queue.change(id, { kind: 'unclear', since: state.since })
    const nextAt = this.#search.nextAt(remaining, this.#context.clock.now())
    // Reports of sent requests may be missing from an incomplete list.
    const mayBeSent = remaining.filter((request) =>
      list.complete ? !isDoubtful(request) : !wasSent(request),
    )
    return { reports, remaining: mayBeSent, again: !list.complete, nextAt }
  }

  /**
   * Handles lost responses of a service that provides no lists: the user decides.
   * @param stays requests that the limits rejected, or that the user decided about
   */
  async withoutList(
    open: readonly StoredRequest[],
    stays: (id: RawRequestId) => boolean,
  ): Promise<SearchOutcome> {
    const now = instantOf(this.#context.clock.now())
    const searched = open.filter(isSearching).filter((request) => this.#search.isHopeless(request, now))
    for (const { id, state } of searched)
      await this.#queue.change(id, { kind: 'unclear', since: state.since })
    const mayBeMade = (request: StoredRequest) => isWaiting(request) && wasSent(request) && !stays(request.id)
    for (const { id } of open.filter(mayBeMade)) await this.#queue.change(id, { kind: 'unclear', since: now })
    const remaining = open.filter((request) => !mayBeMade(request))
    return { reports: new Map(), remaining, again: false, nextAt: this.#search.nextAt(open, now) }
  }

  async #find(sent: readonly SentRequest[], list: RawReportList): Promise<Found | null> {
    const taken = await this.#queue.taken()
    const recordOf = async (raw: RawReportId) => {
      const client = await this.#context.accounts.clientFor(this.#account)
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
