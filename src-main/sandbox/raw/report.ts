import { createHash } from 'node:crypto'
import { addDays, dayAt, dayToWire } from '#shared/values/day.ts'
import type { Day } from '#shared/values/day.ts'
import type { RawReportId } from '#shared/values/ids.ts'
import type { RawRows, TokenRights } from '../contracts.ts'
import { sees } from '../rights.ts'
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
  { readonly kind: 'in_progress' } | { readonly kind: Outcome | 'cancelled'; readonly since: number }

/** Days from the request to the midnight at which a report goes (field notes: raw reports). */
const EXPIRY_DAYS = 31

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
  if (report.cancelled !== null) return { kind: 'cancelled', since: report.cancelled }
  return now < report.ends ? { kind: 'in_progress' } : { kind: report.outcome, since: report.ends }
}

/** What a report takes off the day's processing minutes: one at least. It is not given back. */
export function minutesFor(rows: number): number {
  return Math.max(1, Math.ceil(rows / ROWS_A_MINUTE))
}

/** Midnight, UTC, of the day on which a report requested then goes. */
function expiryOf(requested: number): number {
  return Date.parse(addDays(dayAt(requested, 'UTC'), EXPIRY_DAYS))
}

/** ISO 8601 with an offset, as the service writes moments. */
export function timestamp(moment: number): string {
  return `${new Date(moment).toISOString().slice(0, 19)}+00:00`
}

/** As types are written in output (specification: raw report). */
export function capitalised(type: RawOrder['type']): string {
  return type.charAt(0).toUpperCase() + type.slice(1)
}

/** What a report is made from, when it was requested, when and how it ends. */
type Making = Pick<SandboxReport, 'source' | 'rows' | 'requested' | 'ends' | 'outcome' | 'cancelled'>

export const everything: TokenRights = { admin: true, instances: null, state: 'valid' }

/** All raw reports of the sandbox's one account, and what their making cost. */
export type SandboxReports = ReturnType<typeof createReports>

/** @param start tells this start from others: reports requested in two of them have different ids, as those of a real service have */
export function createReports(seed: number, start = '') {
  const reports = new Map<RawReportId, SandboxReport>()
  /** Every report ever requested, by the day: removing one gives no minutes back. */
  const requested = new Map<Day, SandboxReport[]>()
  let count = 0

  /** Processing minutes of the reports requested on a day, removed ones included. */
  const minutesOf = (day: Day) =>
    (requested.get(day) ?? []).reduce((sum, report) => sum + minutesFor(report.rows()), 0)
  /** The reports that exist and that a token may see, oldest first. */
  const visible = (rights: TokenRights, now: number): readonly SandboxReport[] =>
    [...reports.values()].filter(({ expires, order }) => now < expires && sees(rights, order.instance.id))
  return {
    /** @param origin what the id is made from, where it is not the order in which reports are requested */
    add: (order: RawOrder, making: Making, origin?: string): SandboxReport => {
      const id = reportId(`${seed} ${origin ?? `${start} report ${count}`}`)
      count += 1
      const { type, range } = order
      const days = `${dayToWire(range.start)}-${dayToWire(range.end)}`
      const report = {
        ...making,
        id,
        order,
        name: order.name ?? `${capitalised(type)} ${range.start} to ${range.end}`,
        fileName: `${type}-${days}-${id}.zip`,
        expires: expiryOf(making.requested),
      }
      const day = dayAt(making.requested, 'UTC')
      requested.set(day, [...(requested.get(day) ?? []), report])
      reports.set(id, report)
      return report
    },
    visible,
    find: (id: string, rights: TokenRights, now: number): SandboxReport | undefined =>
      visible(rights, now).find((sandboxReport) => sandboxReport.id === id),
    cancel: (report: SandboxReport, now: number) => reports.set(report.id, { ...report, cancelled: now }),
    remove: (report: SandboxReport) => reports.delete(report.id),
    inProgress: (now: number): number =>
      visible(everything, now).filter((report) => lifeAt(report, now).kind === 'in_progress').length,
    minutesOf,
    /** The same for every day on which any report was requested, earliest first. */
    usage: () =>
      [...requested].sort().map(([day, { length }]) => ({
        date: dayToWire(day),
        reports: length,
        minutes: minutesOf(day),
      })),
  }
}

function reportId(origin: string): RawReportId {
  return createHash('sha256').update(origin).digest('hex').slice(0, 16) as RawReportId
}
