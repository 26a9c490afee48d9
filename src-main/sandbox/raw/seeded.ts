import { addDays } from '#shared/values/day.ts'
import type { Day } from '#shared/values/day.ts'
import type { RawRows } from '../contracts/events.ts'
import type { ReportBook } from './book.ts'
import type { NamedInstance, RawOrder } from './order.ts'
import type { SandboxReport } from './report.ts'
import { rowCounter } from './rows.ts'

const MINUTE = 60_000

type Seeded = Pick<RawOrder, 'type' | 'standard' | 'additional' | 'filters' | 'name' | 'sendEmail'> & {
  /** Which of the instances, counted round. */
  readonly instance: number
  /** Days before today: when it was requested, and the first and last of its range. */
  readonly requested: number
  readonly from: number
  readonly to: number
  /** Time of day of the request, UTC. */
  readonly at: string
  readonly end: SandboxReport['outcome'] | 'cancelled'
}

/** The reports that are there from the start: one of each end, and one that goes at the next midnight. */
const seeded: readonly Seeded[] = [
  {
    ...{ name: 'Monthly check', type: 'response', instance: 0, sendEmail: true, end: 'ready' },
    ...{ requested: 30, at: '07:45', from: 37, to: 31 },
    standard: ['source', 'campaign', 'result', 'rule_sets', 'country'],
    ...{ additional: null, filters: null },
  },
  {
    ...{ name: 'Devices by day', type: 'direct', instance: 1, sendEmail: false, end: 'timed_out' },
    ...{ requested: 12, at: '16:20', from: 40, to: 12 },
    standard: ['result', 'device_type', 'app_id', 'device_id'],
    additional: [1, 2],
    filters: [{ column: 'device_id', operator: 'not_empty' }],
  },
  {
    ...{ name: 'Networks, wide', type: 'direct', instance: 0, sendEmail: false, end: 'failed' },
    ...{ requested: 5, at: '13:05', from: 11, to: 5 },
    standard: ['network', 'country', 'result'],
    ...{ additional: null, filters: null },
  },
  {
    ...{ name: null, type: 'request', instance: 1, sendEmail: true, end: 'cancelled' },
    ...{ requested: 3, at: '09:30', from: 9, to: 3 },
    standard: ['source', 'exid', 'location'],
    additional: [3],
    filters: [{ column: 'result', value: 'drops' }],
  },
  {
    ...{ name: 'Bad at 50%+ / "é 中"', type: 'response', instance: 0, sendEmail: false, end: 'ready' },
    ...{ requested: 2, at: '08:15', from: 8, to: 2 },
    standard: ['source', 'result', 'invalid_traffic_type', 'user_agent', 'page', 'referrer'],
    additional: [1, 3, 5],
    filters: [{ column: 'result', operator: 'equals', value: 'bad' }],
  },
  {
    ...{ name: 'Requests of yesterday', type: 'request', instance: 2, sendEmail: true, end: 'ready' },
    ...{ requested: 1, at: '22:10', from: 1, to: 1 },
    standard: ['source', 'campaign', 'exid', 'country', 'browser_name', 'os_name', 'location'],
    ...{ additional: null, filters: null },
  },
]

/** Puts the first reports into a book, so that a list is never empty; the same ones for the same day and instances. */
export function addSeededReports(
  book: ReportBook,
  { today, instances, rows: source }: { today: Day; instances: readonly NamedInstance[]; rows: RawRows },
): void {
  for (const [place, each] of seeded.entries()) {
    const instance = instances[each.instance % instances.length]
    if (!instance) return
    const requested = Date.parse(`${addDays(today, -each.requested)}T${each.at}:00Z`)
    const range = { start: addDays(today, -each.from), end: addDays(today, -each.to) }
    const ends = requested + 3 * MINUTE
    const course =
      each.end === 'cancelled'
        ? { outcome: 'ready' as const, cancelled: requested + MINUTE }
        : { outcome: each.end, cancelled: null }
    const { type, standard, additional, filters, name, sendEmail } = each
    const order = { type, standard, additional, filters, name, sendEmail, instance, range }
    const made = { ...course, source, rows: rowCounter(order, source), requested, ends }
    // Tomorrow's is another report.
    book.add(order, made, `${today} ${place}`)
  }
}
