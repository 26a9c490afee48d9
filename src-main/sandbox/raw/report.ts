import { addDays, dayAt } from '#shared/values/day.ts'
import type { RawReportId } from '#shared/values/ids.ts'
import type { RawRows } from '../contracts/events.ts'
import type { RawOrder } from './order.ts'

/** How a report ends when nobody cancels it. */
export type Outcome = 'ready' | 'failed' | 'timed_out'

/** A raw report as the sandbox keeps it. Moments are milliseconds since 1970; its state is read off them and the clock. */
export type SandboxReport = {
  readonly id: RawReportId
  readonly order: RawOrder
  readonly name: string
  readonly fileName: string
  readonly requested: number
  /** When the outcome comes about. */
  readonly ends: number
  readonly outcome: Outcome
  readonly cancelled: number | null
  /** From then on it does not exist. */
  readonly expires: number
  /** The rows that it is made from: those of the time at which it was requested. */
  readonly source: RawRows
  /** How many of them it holds; counted when first asked for. */
  readonly rows: () => number
}

/** Where a report stands at one moment (specification: states and transitions). */
export type Life =
  { readonly kind: 'in_progress' } | { readonly kind: Outcome | 'cancelled'; readonly at: number }

/** Days from the request to the midnight at which a report goes (field notes: raw reports). */
const KEPT_DAYS = 31

/** Rows that one processing minute gets through. */
const ROWS_A_MINUTE = 20_000

/** In English words; those after cancelling and timing out are the sandbox's own guess (field notes: raw reports). */
export const statusLabels: Readonly<Record<Life['kind'], string>> = {
  in_progress: 'In Progress',
  ready: 'Ready',
  failed: 'Failed',
  timed_out: 'Timed Out',
  cancelled: 'Cancelled',
}

export function lifeAt(report: SandboxReport, now: number): Life {
  if (report.cancelled !== null) return { kind: 'cancelled', at: report.cancelled }
  return now < report.ends ? { kind: 'in_progress' } : { kind: report.outcome, at: report.ends }
}

/** What a report takes off the day's processing minutes: one at least. It is not given back. */
export function minutesFor(rows: number): number {
  return Math.max(1, Math.ceil(rows / ROWS_A_MINUTE))
}

/** Midnight, UTC, of the day on which a report requested then goes. */
export function expiryOf(requested: number): number {
  return Date.parse(addDays(dayAt(requested, 'UTC'), KEPT_DAYS))
}

/** ISO 8601 with an offset, as the service writes moments. */
export function timestamp(moment: number): string {
  return `${new Date(moment).toISOString().slice(0, 19)}+00:00`
}

/** As types are written in output (specification: raw report). */
export function capitalised(type: RawOrder['type']): string {
  return type.charAt(0).toUpperCase() + type.slice(1)
}
