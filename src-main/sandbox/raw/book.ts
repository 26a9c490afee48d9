import { createHash } from 'node:crypto'
import { dayAt, dayToWire } from '#shared/values/day.ts'
import type { Day } from '#shared/values/day.ts'
import type { RawReportId } from '#shared/values/ids.ts'
import type { TokenRights } from '../contracts/handler.ts'
import type { RawOrder } from './order.ts'
import { capitalised, expiryOf, lifeAt, minutesFor } from './report.ts'
import type { SandboxReport } from './report.ts'

/** What a report is made from, when it was requested, when and how it ends. */
export type Course = Pick<SandboxReport, 'source' | 'rows' | 'requested' | 'ends' | 'outcome' | 'cancelled'>

/** All raw reports of the sandbox's one account, and what their making cost. */
export type ReportBook = {
  /** @param origin what the id is made from, where it is not the order in which reports are requested */
  readonly add: (order: RawOrder, course: Course, origin?: string) => SandboxReport
  /** The reports that exist and that a token may see, oldest first. */
  readonly visible: (rights: TokenRights, now: number) => readonly SandboxReport[]
  readonly find: (id: string, rights: TokenRights, now: number) => SandboxReport | undefined
  readonly cancel: (report: SandboxReport, now: number) => void
  readonly remove: (report: SandboxReport) => void
  readonly inProgress: (now: number) => number
  /** Processing minutes of the reports requested on a day, removed ones included. */
  readonly minutesOf: (day: Day) => number
  /** The same for every day on which any report was requested, earliest first. */
  readonly usage: () => readonly { date: number; reports: number; minutes: number }[]
}

export const everything: TokenRights = { admin: true, instances: null, state: 'valid' }

/** @param start tells this start from others: reports requested in two of them have different ids, as those of a real service have */
export function createReportBook(seed: number, start = ''): ReportBook {
  const reports = new Map<RawReportId, SandboxReport>()
  /** Every report ever requested, by the day: removing one gives no minutes back. */
  const requested = new Map<Day, SandboxReport[]>()
  let count = 0

  const minutesOf = (day: Day) =>
    (requested.get(day) ?? []).reduce((sum, report) => sum + minutesFor(report.rows()), 0)
  const visible: ReportBook['visible'] = (rights, now) =>
    [...reports.values()].filter(
      ({ expires, order }) =>
        now < expires && (rights.instances === null || rights.instances.includes(order.instance.id)),
    )
  return {
    add: (order, course, origin) => {
      const id = reportId(`${seed} ${origin ?? `${start} report ${count}`}`)
      count += 1
      const { type, range } = order
      const days = `${dayToWire(range.start)}-${dayToWire(range.end)}`
      const report = {
        ...course,
        id,
        order,
        name: order.name ?? `${capitalised(type)} ${range.start} to ${range.end}`,
        fileName: `${type}-${days}-${id}.zip`,
        expires: expiryOf(course.requested),
      }
      const day = dayAt(course.requested, 'UTC')
      requested.set(day, [...(requested.get(day) ?? []), report])
      reports.set(id, report)
      return report
    },
    visible,
    find: (id, rights, now) => visible(rights, now).find((sandboxReport) => sandboxReport.id === id),
    cancel: (report, now) => reports.set(report.id, { ...report, cancelled: now }),
    remove: (report) => reports.delete(report.id),
    inProgress: (now) =>
      visible(everything, now).filter((sandboxReport) => lifeAt(sandboxReport, now).kind === 'in_progress')
        .length,
    minutesOf,
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
