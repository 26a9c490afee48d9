import { dayToWire } from '#shared/values/day.ts'
import { encoded } from '../contracts/handler.ts'
import type { Behaviour } from '../contracts/behaviour.ts'
import type { EncodedText, SandboxRequest } from '../contracts/handler.ts'
import { wireId } from '../request/wire-id.ts'
import { capitalised, lifeAt, minutesFor, statusLabels, timestamp } from './report.ts'
import type { Life, SandboxReport } from './report.ts'

/** What a list row and a full record share, in plain text; moments as the service writes them. */
export type Told = {
  readonly id: string
  readonly name: string
  readonly instance: string
  readonly type: string
  readonly requested: string
  readonly created: string | null
  readonly failed: string | null
  readonly timed_out: string | null
  readonly cancelled: string | null
  readonly status: string
  readonly expires: string
}

/** A report's members in the order of a list row (specification: raw report list row), which sorts count by. */
export function told(report: SandboxReport, now: number): Told {
  const life = lifeAt(report, now)
  const at = (state: Life['kind']) => (life.kind === state && 'at' in life ? timestamp(life.at) : null)
  return {
    id: report.id,
    name: report.name,
    instance: report.order.instance.name,
    type: capitalised(report.order.type),
    requested: timestamp(report.requested),
    created: at('ready'),
    failed: at('failed'),
    timed_out: at('timed_out'),
    cancelled: at('cancelled'),
    status: statusLabels[life.kind],
    expires: timestamp(report.expires),
  }
}

/** What a list shows of a report. */
export function listRow(row: Told, { raw }: Behaviour): Record<keyof Told, string | null | EncodedText> {
  return { ...row, name: encoded(row.name), instance: encoded(row.instance), status: label(row, raw.labels) }
}

/** The same report while it was being made. */
export const asItWas = (row: Told): Told => ({
  ...row,
  ...{ created: null, failed: null, timed_out: null, cancelled: null, status: statusLabels.in_progress },
})

const label = ({ status }: Told, labels: Behaviour['raw']['labels']): EncodedText =>
  encoded(labels === 'known' ? status : `Zustand ${status.length} / é`)

/**
 * The full record (specification: raw report).
 * @param size of the archive in bytes; used only where the report is ready
 */
export async function fullRecord(
  report: SandboxReport,
  request: SandboxRequest,
  size: () => Promise<number>,
): Promise<Record<string, unknown>> {
  const { order } = report
  const row = told(report, request.now)
  const { instance, ...rest } = row
  const ready = row.created !== null
  return {
    ...rest,
    name: encoded(row.name),
    status: label(row, request.behaviour.raw.labels),
    start: dayToWire(order.range.start),
    end: dayToWire(order.range.end),
    instance_id: wireId(order.instance.id, request),
    instance_name: encoded(instance),
    columns: { standard: order.standard, additional: order.additional },
    filters:
      order.filters?.map(({ value, ...filter }) =>
        value === undefined ? filter : { ...filter, value: encoded(value) },
      ) ?? null,
    send_email: order.sendEmail,
    file_name: ready ? report.fileName : null,
    file_size: ready ? await size() : null,
    rows: ready ? report.rows() : null,
    alerted: order.sendEmail ? row.created : null,
    processing_minutes: minutesFor(report.rows()),
  }
}
