import type { SortKey } from '#shared/api/parameters.ts'
import { dayToWire } from '#shared/values/day.ts'
import { wireId } from '../encoding.ts'
import { encodedText, argumentsOf, Refusal } from '../contracts.ts'
import type { Behaviour, EncodedText, SandboxRequest, SandboxHandler } from '../contracts.ts'
import { nameOfInstance } from '../events/catalogue.ts'
import { byCodePoints } from '#shared/values/text.ts'
import { matcher, pageOf } from '../paging.ts'
import type { ArchiveSizes } from './archive.ts'
import { capitalised, lifeAt, minutesFor, statusLabels, timestamp } from './report.ts'
import type { Life, SandboxReport, SandboxReports } from './report.ts'

/**
 * Common members of list rows and records, as plain text and timestamps. Their order is that of a list row
 * (specification: raw report list row), to which sorts refer.
 */
function reportRow(report: SandboxReport, now: number, { oneName }: Behaviour) {
  const life = lifeAt(report, now)
  const momentOf = (state: Life['kind']) =>
    life.kind === state && 'since' in life ? timestamp(life.since) : null
  return {
    id: report.id,
    name: report.name,
    instance: nameOfInstance(report.order.instance, oneName),
    type: capitalised(report.order.type),
    requested: timestamp(report.requested),
    created: momentOf('ready'),
    failed: momentOf('failed'),
    timed_out: momentOf('timed_out'),
    cancelled: momentOf('cancelled'),
    status: statusLabels[life.kind],
    expires: timestamp(report.expires),
  }
}

type ReportRow = Readonly<ReturnType<typeof reportRow>>

/** Returns the list row of a report. */
function listRow(row: ReportRow, { raw }: Behaviour): Record<keyof ReportRow, string | null | EncodedText> {
  const texts = {
    name: encodedText(row.name),
    instance: encodedText(row.instance),
    status: label(row, raw.labels),
  }
  return { ...row, ...texts, ...timestampsOf(row, raw) }
}

const moments = ['requested', 'created', 'failed', 'timed_out', 'cancelled', 'expires'] as const

/** Returns a report's timestamps in the behaviour's form, including those that have not happened. */
const timestampsOf = (row: ReportRow, raw: Behaviour['raw']) => ({
  ...endingsOf(row, raw),
  ...happened(row, raw.moments),
})

const happened = (row: ReportRow, form: Behaviour['raw']['moments']) =>
  Object.fromEntries(
    moments.filter((name) => row[name] !== null).map((name) => [name, writtenMoment(row[name], form)]),
  )

function writtenMoment(moment: string | null, form: Behaviour['raw']['moments']): string | null {
  switch (form) {
    case 'offset':
      return moment
    case 'iso-without-offset':
      return moment?.slice(0, 19) ?? null
    case 'space-without-offset':
      return moment?.slice(0, 19).replace('T', ' ') ?? null
  }
}

/** Timestamps of which at most one is set. */
const endings = ['created', 'failed', 'timed_out', 'cancelled'] as const

/** Returns these timestamps, with the behaviour's value for those that have not happened. */
const endingsOf = (row: ReportRow, { notHappened }: Behaviour['raw']) =>
  Object.fromEntries(
    endings.map((name) => [name, row[name] ?? (notHappened === 'null' ? null : notHappened)]),
  ) as Record<(typeof endings)[number], string | null>

/** Returns a report's row while it was in progress. */
const asItWas = (row: ReportRow): ReportRow => ({
  ...row,
  ...{ created: null, failed: null, timed_out: null, cancelled: null, status: statusLabels.in_progress },
})

const label = ({ status }: ReportRow, labels: Behaviour['raw']['labels']): EncodedText =>
  encodedText(labels === 'known' ? status : `Zustand ${status.length} / é`)

/** Returns `file_size` of a record. */
function fileSize({ packed, unpacked }: ArchiveSizes, what: Behaviour['raw']['fileSizes']): number | string {
  switch (what) {
    case 'bytes':
      return packed
    case 'kilobytes':
      return Math.round(packed / 1000)
    case 'megabytes':
      return Number((packed / 1e6).toFixed(2))
    case 'unpacked':
      return unpacked
    case 'zero':
      return 0
    case 'negative':
      return -1
    case 'text':
      return `${(packed / 1e6).toFixed(1)} MB`
  }
}

/**
 * Returns the full record (specification: raw report).
 * @param sizes of the archive; only used if the report is ready
 */
export async function fullRecord(
  report: SandboxReport,
  request: SandboxRequest,
  sizes: () => Promise<ArchiveSizes>,
): Promise<Record<string, unknown>> {
  const { order } = report
  const row = reportRow(report, request.now, request.behaviour)
  const { instance, ...rest } = row
  const ready = row.created !== null
  const { fileSizes, moments: form } = request.behaviour.raw
  return {
    ...rest,
    ...timestampsOf(row, request.behaviour.raw),
    name: encodedText(row.name),
    status: label(row, request.behaviour.raw.labels),
    start: dayToWire(order.range.start),
    end: dayToWire(order.range.end),
    instance_id: wireId(order.instance.id, request),
    instance_name: encodedText(instance),
    columns: { standard: order.standard, additional: order.additional },
    filters:
      order.filters?.map(({ value, ...filter }) =>
        value === undefined ? filter : { ...filter, value: encodedText(value) },
      ) ?? null,
    send_email: order.sendEmail,
    file_name: ready ? report.fileName : null,
    file_size: ready ? fileSize(await sizes(), fileSizes) : null,
    rows: ready ? report.rows() : null,
    alerted: order.sendEmail ? writtenMoment(row.created, form) : null,
    processing_minutes: minutesFor(report.rows()),
  }
}

/** Specification: raw/table. */
const DEFAULT_SORT: readonly SortKey[] = [{ column: 3, direction: 'desc' }]

/**
 * Handles raw/table. Sorts refer to the columns of a list row without its id. Ties are sorted newest first. The usage
 * breakdown, which the specification leaves open, is an array by day.
 */
export function rawTable(reports: SandboxReports): SandboxHandler {
  return (request) => {
    const given = argumentsOf('raw/table', request)
    const { rights, now, behaviour } = request
    const wrong = behaviour.raw.list
    const usage = given.processing_usage ?? false
    if (usage && !rights.admin) throw new Refusal(403, 'Processing usage is for admin users only')
    const isMet = matcher(given.search, given.startswith ?? false)
    const found = reports
      .visible(rights, now)
      .filter((_, place) => wrong !== 'reports-hidden' || !isThird(place))
      .map((report) => reportRow(report, now, behaviour))
      .filter((row) => isMet(row.name))
      .sort(byKeys(given.sort ?? DEFAULT_SORT, behaviour.sortColumnsFrom))
    const { items, counts } = pageOf(found, given)
    return {
      processing: {
        limits: processingLimits(request, reports),
        ...(usage ? { usage: reports.usage() } : {}),
      },
      table: { rows: rowsOf(items, wrong).map((row) => listRow(row, behaviour)) },
      query: { ...echo(request), ...counts },
    }
  }
}

const isThird = (place: number) => place % 3 === 2

/** Applies the behaviour's fault to a page's rows. */
function rowsOf(page: readonly ReportRow[], wrong: Behaviour['raw']['list']): readonly ReportRow[] {
  if (wrong === 'rows-left-out') return page.filter((_, place) => !isThird(place))
  if (wrong === 'rows-twice')
    return page.flatMap((row, place) => (isThird(place) ? [row, asItWas(row)] : row))
  return page
}

function processingLimits({ behaviour, today }: SandboxRequest, reports: SandboxReports) {
  return {
    minutes_total: behaviour.raw.minutes,
    api_concurrent: behaviour.raw.concurrency,
    dashboard_concurrent: 2,
    minutes_available: minutesLeft(reports, today, behaviour.raw.minutes),
  }
}

/** Returns the echo. The specification's echo of raw/table has no startswith. */
function echo(request: SandboxRequest) {
  return Object.fromEntries(Object.entries(request.echo).filter(([name]) => name !== 'startswith'))
}

/** Returns the processing minutes that remain today. */
export function minutesLeft(reports: SandboxReports, today: SandboxRequest['today'], total: number): number {
  return Math.max(0, total - reports.minutesOf(today))
}

const columns: readonly (keyof ReportRow)[] = [
  ...(['name', 'instance', 'type', 'requested'] as const),
  ...(['created', 'failed', 'timed_out', 'cancelled', 'status', 'expires'] as const),
]

function byKeys(sort: readonly SortKey[], from: 0 | 1): (a: ReportRow, b: ReportRow) => number {
  const keys = sort.map(({ column, direction }) => {
    const name = columns[column - from]
    if (!name) throw new Refusal(400, `There is no column ${column} to sort by`)
    return { name, sign: direction === 'asc' ? 1 : -1 }
  })
  return (a, b) => {
    for (const { name, sign } of keys) {
      const order = byCodePoints(a[name] ?? '', b[name] ?? '') * sign
      if (order !== 0) return order
    }
    return byCodePoints(b.requested, a.requested) || byCodePoints(a.id, b.id)
  }
}
