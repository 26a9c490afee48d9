import type { StoredTable } from '#main/database/cache/catalogue-repository.ts'
import type { Failure, LookCost } from '#shared/api/failure.ts'
import { limits } from '#shared/api/parameters.ts'
import { DeskFailure } from '#shared/api/failure.ts'
import { handful } from '#shared/reports/answer.ts'
import { lengthOf } from '#shared/values/day.ts'
import type { Day } from '#shared/values/day.ts'
import type { StorageEstimate } from '#shared/views/saved-views.ts'

/** What is to be kept of one subject, and what is known of it. */
export type ToEstimate = {
  /** Days that have to be fetched, of so many. */
  readonly days: number
  readonly total: number
  /** Whether it has rows, which come in pages; an overview has none. */
  readonly hasRows: boolean
  /** Of how many days one call tells where the desk composes the table, a call for each row; left out where the service has it. */
  readonly composedOver?: number
  /** Tables that are kept of it, of any days. */
  readonly known: readonly StoredTable[]
}

type EstimateBasis = {
  /** How long a request takes, with what it waits for others, in milliseconds; null where nobody knows. */
  readonly request: number | null
  /**
   * How long gathering took lately, with all that belongs to it, in milliseconds for each of its requests; null where nothing was gathered. It
   * says more than how long a request takes.
   */
  readonly pace: number | null
  /** How many run at the same time. */
  readonly concurrency: number
  /** What a row of this history takes on the disk, in bytes; null where nothing is kept. */
  readonly bytesPerRow: number | null
}

/**
 * Taken where nothing is known: rows of a day, also of a composed table, bytes of a row and of a file without rows, milliseconds of a request, and
 * of the work on this machine: for a page that is read and for a day that is written.
 */
export const assumed = {
  ...{ rows: 500, composedRows: 50, bytesPerRow: 10, file: 2_500, request: 1_000 },
  ...{ page: 5, write: 12 },
} as const

/** What keeping these subjects would take. A day counts once, however many tables are kept of it. */
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
 * Requests wait for the service, pages for this machine, and days for the disk, all of them at the same time: it takes as long as the slowest
 * where that is far slower, and up to all of them together where they are alike. The mean of both is right within a factor of two.
 */
function millisecondsOf(toEstimate: ToEstimate, { request, pace, concurrency }: EstimateBasis): number {
  const requests = requestsFor(toEstimate)
  const asking = (requests * (request ?? assumed.request)) / concurrency
  if (toEstimate.composedOver !== undefined) return asking
  if (pace !== null) return requests * pace
  const parts = [asking, requests * assumed.page, toEstimate.days * assumed.write]
  return (Math.max(...parts) + parts.reduce((sum, part) => sum + part, 0)) / 2
}

/** The newest table tells best how large the next one is; of one day alone where there is one. */
function newestOf(known: readonly StoredTable[]): StoredTable | undefined {
  const daily = known.filter(({ range }) => lengthOf(range) === 1)
  return (daily.length > 0 ? daily : known).toSorted((one, other) => other.fetchedAt - one.fetchedAt)[0]
}

const rowsOf = ({ hasRows, composedOver, known }: ToEstimate): number =>
  hasRows ? (newestOf(known)?.rows ?? (composedOver === undefined ? assumed.rows : assumed.composedRows)) : 0

/** A composed table takes a call for each row and one for the total, of as many days as a call tells of. */
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

/** So many calls run at the same time. */
export const callConcurrency = 4

/** Whether so many calls are made without asking the person. */
export const isCheap = (calls: number): boolean => calls <= handful

/**
 * Who agreed to what a look costs: nobody; a person who asks by hand, and was told before what it takes, if it is much; or a
 * person who wants it kept, to whatever it takes.
 */
export type Agreed = 'not' | 'by-hand' | 'to-all'

/** A look as far as its cost goes: at which subject of whom, and at which of its days. */
export type Look = { readonly id: string; readonly days: readonly Day[] }

type Agreement = { readonly days: ReadonlySet<Day>; readonly calls: number }

/** So many agreements are remembered for a subject. */
const maxRemembered = 50

/** What persons were told of costs in this session, and have agreed to: each agreement holds for these days and so many calls. */
export class Agreements {
  readonly #said = new Map<string, number>()
  readonly #agreed = new Map<string, readonly Agreement[]>()

  /** A person is told that a look takes so many calls. */
  announce({ id, days }: Look, calls: number): void {
    this.#said.set(nameOf(id, days), calls)
  }

  /**
   * A person asks by hand: that agrees to so many calls, unless fewer were said.
   * @returns whether it does
   */
  agree({ id, days }: Look, calls: number): boolean {
    const said = this.#said.get(nameOf(id, days))
    if (said !== undefined && calls > said) return false
    const before = (this.#agreed.get(id) ?? []).slice(1 - maxRemembered)
    this.#agreed.set(id, [...before, { days: new Set(days), calls }])
    return true
  }

  /** Whether a look is part of one that was agreed to. */
  covers({ id, days }: Look, calls: number): boolean {
    const isPart = (agreement: Agreement) =>
      calls <= agreement.calls && days.every((day) => agreement.days.has(day))
    return this.#agreed.get(id)?.some(isPart) ?? false
  }
}

const nameOf = (id: string, days: readonly Day[]): string => `${id} ${days.join(' ')}`

/**
 * Says what a look would cost, before it is spent.
 * @param request how long a call takes, in milliseconds; null where nobody knows
 * @param more how many sources or campaigns would be left for another look
 */
export function costly(calls: number, request: number | null, more: number): DeskFailure {
  const milliseconds = Math.round((calls * (request ?? assumed.request)) / callConcurrency)
  return new DeskFailure(failureOver({ calls, milliseconds, more }))
}

function failureOver(cost: LookCost): Failure {
  const seconds = Math.max(1, Math.round(cost.milliseconds / 1000))
  const message = `${cost.calls} requests, about ${seconds} s.`
  return { kind: 'costly', message, cost }
}

/** The first of several failures of one question; where all of them are costs, what it costs together. Null where none is. */
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
