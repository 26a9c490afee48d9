import type { StoredTable } from '#main/database/cache/catalogue-repository.ts'
import type { Failure, LookCost } from '#shared/api/failure.ts'
import { limits } from '#shared/api/parameters.ts'
import { DeskFailure } from '#shared/api/failure.ts'
import { maxCallsWithoutConsent } from '#shared/reports/answer.ts'
import { lengthOf } from '#shared/values/day.ts'
import type { Day } from '#shared/values/day.ts'
import type { StorageEstimate } from '#shared/views/saved-views.ts'

/** A subject to store, for an estimate. */
export type ToEstimate = {
  /** Number of days to fetch, and of all days. */
  readonly days: number
  readonly total: number
  /** Whether the subject has rows, which are paged. An overview has none. */
  readonly hasRows: boolean
  /** Number of days per call of a composed table, which takes a call per row. Omitted for tables of the service. */
  readonly composedOver?: number
  /** Stored tables of the subject, of any days. */
  readonly known: readonly StoredTable[]
}

type EstimateBasis = {
  /** Duration of a request including queueing, in milliseconds; null if unknown. */
  readonly request: number | null
  /** Milliseconds per request of recent gathers, including writing; null if unknown. More accurate than `request`. */
  readonly pace: number | null
  /** Number of concurrent requests. */
  readonly concurrency: number
  /** Bytes on disk per row of this history; null if nothing is stored. */
  readonly bytesPerRow: number | null
}

/** Defaults for unknown values. Rows are per day, bytes per row or file, the others milliseconds. */
export const assumed = {
  ...{ rows: 500, composedRows: 50, bytesPerRow: 10, file: 2_500, request: 1_000 },
  ...{ page: 5, write: 12 },
} as const

/** Estimates the cost of storing subjects. A day counts once, even if several subjects include it. */
export function estimateOf(all: readonly ToEstimate[], basis: EstimateBasis): Omit<StorageEstimate, 'depth'> {
  const tables = Math.max(1, all.length)
  const sum = (select: (toEstimate: ToEstimate) => number) =>
    all.reduce((total, toEstimate) => total + select(toEstimate), 0)
  const requests = sum(requestsFor)
  const guessesSize = all.some(({ days, hasRows, known }) => days > 0 && hasRows && known.length === 0)
  return {
    total: Math.ceil(sum(({ total }) => total) / tables),
    days: Math.ceil(sum(({ days }) => days) / tables),
    requests,
    milliseconds: Math.round(sum((toEstimate) => millisecondsOf(toEstimate, basis))),
    bytes: Math.round(sum((toEstimate) => toEstimate.days * bytesOfDay(toEstimate, basis.bytesPerRow))),
    assumed: [
      ...(guessesSize ? (['size'] as const) : []),
      ...(requests > 0 && !isTimeKnown(all, basis) ? (['time'] as const) : []),
    ],
  }
}

function isTimeKnown(all: readonly ToEstimate[], { request, pace }: EstimateBasis): boolean {
  return request !== null || (pace !== null && all.every(({ composedOver }) => composedOver === undefined))
}

/**
 * Requests, reading pages and writing days run concurrently. The time is between that of the slowest and the sum. The mean of
 * both is right within a factor of two.
 */
function millisecondsOf(toEstimate: ToEstimate, { request, pace, concurrency }: EstimateBasis): number {
  const requests = requestsFor(toEstimate)
  const asking = (requests * (request ?? assumed.request)) / concurrency
  if (toEstimate.composedOver !== undefined) return asking
  if (pace !== null) return requests * pace
  const parts = [asking, requests * assumed.page, toEstimate.days * assumed.write]
  return (Math.max(...parts) + parts.reduce((sum, part) => sum + part, 0)) / 2
}

/** The newest table predicts the size of the next one best, preferably a table of one day. */
function newestOf(known: readonly StoredTable[]): StoredTable | undefined {
  const daily = known.filter(({ range }) => lengthOf(range) === 1)
  return (daily.length > 0 ? daily : known).toSorted((one, other) => other.fetchedAt - one.fetchedAt)[0]
}

const rowsOf = ({ hasRows, composedOver, known }: ToEstimate): number =>
  hasRows ? (newestOf(known)?.rows ?? (composedOver === undefined ? assumed.rows : assumed.composedRows)) : 0

/** A composed table takes a call per row and one for the total, for each run of days that a call covers. */
const requestsFor = (toEstimate: ToEstimate): number =>
  toEstimate.composedOver === undefined || toEstimate.days === 0
    ? toEstimate.days * pagesOf(toEstimate)
    : Math.max(1, Math.ceil(toEstimate.days / toEstimate.composedOver)) * (rowsOf(toEstimate) + 1)

const pagesOf = (toEstimate: ToEstimate): number =>
  Math.max(1, Math.ceil(rowsOf(toEstimate) / limits.rowsPerPage))

function bytesOfDay(toEstimate: ToEstimate, perRow: number | null): number {
  const { known } = toEstimate
  const sum = (select: (table: StoredTable) => number) =>
    known.reduce((total, table) => total + select(table), 0)
  const rows = sum((table) => table.rows)
  if (known.length > 0 && rows > 0) return (sum(({ bytes }) => bytes) / rows) * rowsOf(toEstimate)
  if (known.length > 0) return sum(({ bytes }) => bytes) / known.length
  return assumed.file + rowsOf(toEstimate) * (perRow ?? assumed.bytesPerRow)
}

/** Number of concurrent calls. */
export const callConcurrency = 4

/** Whether this number of calls needs no consent. */
export const isCheap = (calls: number): boolean => calls <= maxCallsWithoutConsent

/** Subject and days of a composed view. */
export type Look = { readonly id: string; readonly days: readonly Day[] }

type Agreement = { readonly days: ReadonlySet<Day>; readonly calls: number }

/** Maximum number of agreements to remember per subject. */
const maxRemembered = 50

/** Costs announced in this session, and the user's agreements. Each agreement covers certain days and a number of calls. */
export class Agreements {
  readonly #announced = new Map<string, number>()
  readonly #agreed = new Map<string, readonly Agreement[]>()

  /** Records that the user was shown the number of calls. */
  announce({ id, days }: Look, calls: number): void {
    this.#announced.set(nameOf(id, days), calls)
  }

  /**
   * Records the user's consent, unless the announced number of calls was lower. Consent answers the announcement, which then
   * limits no later one. @returns whether the user has agreed
   */
  agree({ id, days }: Look, calls: number): boolean {
    const name = nameOf(id, days)
    const said = this.#announced.get(name)
    if (said !== undefined && calls > said) return false
    this.#announced.delete(name)
    const before = (this.#agreed.get(id) ?? []).slice(1 - maxRemembered)
    this.#agreed.set(id, [...before, { days: new Set(days), calls }])
    return true
  }

  /** Whether an agreement covers these days and calls. */
  covers({ id, days }: Look, calls: number): boolean {
    const isPart = (agreement: Agreement) =>
      calls <= agreement.calls && days.every((day) => agreement.days.has(day))
    return this.#agreed.get(id)?.some(isPart) ?? false
  }
}

const nameOf = (id: string, days: readonly Day[]): string => `${id} ${days.join(' ')}`

/**
 * Failure that announces the cost of a view before any call.
 * @param request milliseconds per call; null if unknown
 * @param more number of sources or campaigns that exceed the limit of one view
 */
export function costly(calls: number, request: number | null, more: number): DeskFailure {
  const milliseconds = Math.round((calls * (request ?? assumed.request)) / callConcurrency)
  return new DeskFailure(failureOver({ calls, milliseconds, more }))
}

function failureOver(cost: LookCost): Failure {
  const seconds = Math.max(1, Math.round(cost.milliseconds / 1000))
  const message = `${cost.calls} calls, about ${seconds} s.`
  return { kind: 'costly', message, cost }
}

/** The first of several failures of a query. If all of them are costs, the sum of the costs. Null without failures. */
export function firstOrCost(failures: readonly Failure[]): Failure | null {
  const costs = failures.flatMap(({ cost }) => cost ?? [])
  if (costs.length < 2 || costs.length < failures.length) return failures[0] ?? null
  const sum = (select: (cost: LookCost) => number) => costs.reduce((all, cost) => all + select(cost), 0)
  return failureOver({
    calls: sum(({ calls }) => calls),
    milliseconds: sum(({ milliseconds }) => milliseconds),
    more: Math.max(...costs.map(({ more }) => more)),
  })
}
