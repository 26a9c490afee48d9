import { createHash } from 'node:crypto'
import { addDays, dayAt, dayToWire } from '#shared/values/day.ts'
import type { Day } from '#shared/values/day.ts'
import type { RawReportId } from '#shared/values/ids.ts'
import type { RawRows, TokenRights } from '../contracts.ts'
import { sees } from '../rights.ts'
import type { RawOrder } from './order.ts'

/** Outcome of a report that is not cancelled. */
export type SandboxOutcome = 'ready' | 'failed' | 'timed_out'

/** A raw report of the sandbox. Times are milliseconds since 1970; the state follows from them and the clock. */
export type SandboxReport = {
  readonly id: RawReportId
  readonly order: RawOrder
  readonly name: string
  readonly fileName: string
  readonly requested: number
  /** Time of the outcome. */
  readonly ends: number
  readonly outcome: SandboxOutcome
  readonly cancelled: number | null
  /** The report does not exist after this time. */
  readonly expires: number
  /** The rows as of the time of the request. */
  readonly source: RawRows
  /** Number of matching rows, counted on first use. */
  readonly rows: () => number
}

/** State of a report at one time (specification: states and transitions). */
export type Life =
  { readonly kind: 'in_progress' } | { readonly kind: SandboxOutcome | 'cancelled'; readonly since: number }

/** Days from the request to the midnight of expiry (field notes: raw reports). */
const EXPIRY_DAYS = 31

/** Rows per processing minute. */
const ROWS_A_MINUTE = 20_000

/** English labels. Those for cancelled and timed out are assumed (field notes: raw reports). */
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

/** Returns a report's processing minutes: at least one, never refunded. */
export function minutesFor(rows: number): number {
  return Math.max(1, Math.ceil(rows / ROWS_A_MINUTE))
}

/** Returns the expiry of a report: a midnight in UTC. */
function expiryOf(requested: number): number {
  return Date.parse(addDays(dayAt(requested, 'UTC'), EXPIRY_DAYS))
}

/** Formats a timestamp as ISO 8601 with an offset, like the service. */
export function timestamp(moment: number): string {
  return `${new Date(moment).toISOString().slice(0, 19)}+00:00`
}

/** Returns a type as in responses (specification: raw report). */
export function capitalised(type: RawOrder['type']): string {
  return type.charAt(0).toUpperCase() + type.slice(1)
}

/** Source, times and outcome of a new report. */
type Making = Pick<SandboxReport, 'source' | 'rows' | 'requested' | 'ends' | 'outcome' | 'cancelled'>

export const everything: TokenRights = { admin: true, instances: null, state: 'valid' }

/** All raw reports of the sandbox's account, and their processing minutes. */
export type SandboxReports = ReturnType<typeof createReports>

/** @param start distinguishes starts, so that ids are unique across them, like a real service's */
export function createReports(seed: number, start = '') {
  const reports = new Map<RawReportId, SandboxReport>()
  /** All requested reports by day, including removed ones, because minutes are not refunded. */
  const requested = new Map<Day, SandboxReport[]>()
  let count = 0

  /** Returns the processing minutes of a day, including removed reports. */
  const minutesOf = (day: Day) =>
    (requested.get(day) ?? []).reduce((sum, report) => sum + minutesFor(report.rows()), 0)
  /** Returns the existing reports that a token sees, oldest first. */
  const visible = (rights: TokenRights, now: number): readonly SandboxReport[] =>
    [...reports.values()].filter(({ expires, order }) => now < expires && sees(rights, order.instance.id))
  return {
    /** @param origin replaces the number of the report in the hash of the id */
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
    /** Returns reports and minutes by day, earliest first. */
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
