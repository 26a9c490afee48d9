import { failureOf } from '#shared/app/desk-failure.ts'
import type { RawRequestId } from '#shared/raw/asking.ts'
import type { RawReport } from '#shared/api/answers.ts'
import type { Instant, RawReportId } from '#shared/values/ids.ts'
import type { StoredRequest } from '#main/database/state/raw-requests-repository.ts'
import type { KnownList } from './raw-asking-parts.ts'
import { isWhatWasAsked, mayBe } from './same-report.ts'

/** How long after its answer was lost a request is looked for at least, in milliseconds: a service may be slow to list. */
const pause = 10_000

type Sent = StoredRequest & { readonly sentAt: Instant }
type Searching = StoredRequest & { readonly state: { readonly kind: 'looking'; readonly since: Instant } }

export type Found = {
  readonly found: ReadonlyMap<RawRequestId, RawReportId>
  readonly doubtful: ReadonlySet<RawRequestId>
}

/** A request that has left at least once: the service may have its report. */
export const hasLeft = (request: StoredRequest): request is Sent => request.sentAt !== null

/** A request whose answer was lost, and that the list has not told of yet. */
export const isSearching = (request: StoredRequest): request is Searching => request.state.kind === 'looking'

/** Looks for the reports of requests whose answers were lost. */
export class LostRequestSearch {
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
  isOver({ id, state: { since } }: Searching, { askedAt, complete }: KnownList): boolean {
    if (!complete || askedAt < since) return false
    if (!this.#without.has(id)) this.#without.set(id, askedAt)
    return askedAt >= since + pause && this.#without.get(id) !== askedAt
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
    requests: readonly Sent[],
    list: KnownList,
    taken: readonly RawReportId[],
    recordOf: (report: RawReportId) => Promise<RawReport>,
  ): Promise<Found> {
    const found = new Map<RawRequestId, RawReportId>()
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
          found.set(request.id, id)
          break
        }
        if (isIt === null) doubtful.add(request.id)
        else others.add(id)
      }
    }
    return { found, doubtful }
  }

  #othersOf(id: RawRequestId): Set<RawReportId> {
    const known = this.#others.get(id) ?? new Set()
    this.#others.set(id, known)
    return known
  }
}

/** Failures that stay, so that what a report holds is never told. */
const neverTold = ['no-right', 'bad-request', 'malformed']

/** Whether a report is what was asked for; null where that is never told. @throws where it may be told later */
async function isReportOf({ draft }: Sent, record: () => Promise<RawReport>): Promise<boolean | null> {
  try {
    return isWhatWasAsked(draft, await record())
  } catch (error) {
    const { kind } = failureOf(error)
    if (kind === 'not-found') return false
    if (neverTold.includes(kind)) return null
    throw error
  }
}
