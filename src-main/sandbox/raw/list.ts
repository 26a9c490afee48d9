import { limits } from '#shared/api/limits.ts'
import type { SortKey } from '#shared/api/parameters.ts'
import { dayToWire } from '#shared/values/day.ts'
import { wireId } from '../answer.ts'
import { encoded, argumentsOf, Refusal } from '../contracts.ts'
import type { Behaviour, EncodedText, SandboxRequest, Handler } from '../contracts.ts'
import { byCodePoints } from '../lists.ts'
import { capitalised, lifeAt, minutesFor, statusLabels, timestamp } from './report.ts'
import type { Life, SandboxReport, ReportBook } from './report.ts'

/** What a list row and a full record share, in plain text; moments as the service writes them. */
type Told = {
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
function told(report: SandboxReport, now: number): Told {
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
function listRow(row: Told, { raw }: Behaviour): Record<keyof Told, string | null | EncodedText> {
  return { ...row, name: encoded(row.name), instance: encoded(row.instance), status: label(row, raw.labels) }
}

/** The same report while it was being made. */
const asItWas = (row: Told): Told => ({
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

/** Specification: raw/table. */
const DEFAULT_SORT: readonly SortKey[] = [{ column: 3, direction: 'desc' }]

/**
 * Answers raw/table. A sort's columns are those of a list row without its id, in their order; rows that a sort leaves
 * level stand newest first. The usage breakdown is an array by day, which the specification leaves open.
 */
export function rawTable(book: ReportBook): Handler {
  return (request) => {
    const given = argumentsOf('raw/table', request)
    const { rights, now, behaviour } = request
    const wrong = behaviour.raw.list
    const usage = given.processing_usage ?? false
    if (usage && !rights.admin) throw new Refusal(403, 'Processing usage is for admin users only')
    const { search = '', startswith = false, page = 1, limit = limits.rowsPerPageByDefault } = given
    const found = book
      .visible(rights, now)
      .filter((_, place) => wrong !== 'reports-hidden' || !isThird(place))
      .map((report) => told(report, now))
      .filter((row) => matches(row.name, search, startswith))
      .sort(byKeys(given.sort ?? DEFAULT_SORT, behaviour.sortColumnsFrom))
    const asListed = (row: Told) => listRow(row, behaviour)
    return {
      processing: { limits: processingLimits(request, book), ...(usage ? { usage: book.usage() } : {}) },
      table: { rows: rowsOf(found.slice((page - 1) * limit, page * limit), wrong).map(asListed) },
      query: { ...echo(request), results: found.length, pages: Math.ceil(found.length / limit) },
    }
  }
}

const isThird = (place: number) => place % 3 === 2

/** A page's rows, with what is wrong with them. */
function rowsOf(page: readonly Told[], wrong: Behaviour['raw']['list']): readonly Told[] {
  if (wrong === 'rows-left-out') return page.filter((_, place) => !isThird(place))
  if (wrong === 'rows-twice')
    return page.flatMap((row, place) => (isThird(place) ? [row, asItWas(row)] : row))
  return page
}

function processingLimits({ behaviour, today }: SandboxRequest, book: ReportBook) {
  return {
    minutes_total: behaviour.raw.minutes,
    api_concurrent: behaviour.raw.atOnce,
    dashboard_concurrent: 2,
    minutes_available: minutesLeft(book, today, behaviour.raw.minutes),
  }
}

/** What was asked; the specification's echo of raw/table has no startswith. */
function echo(request: SandboxRequest) {
  return Object.fromEntries(Object.entries(request.echo).filter(([name]) => name !== 'startswith'))
}

/** What is left of the day's processing minutes. */
export function minutesLeft(book: ReportBook, today: SandboxRequest['today'], total: number): number {
  return Math.max(0, total - book.minutesOf(today))
}

/** Broad match on the name, in any case. */
function matches(name: string, search: string, startsWith: boolean): boolean {
  const place = name.toLowerCase().indexOf(search.toLowerCase())
  return startsWith ? place === 0 : place >= 0
}

const columns: readonly (keyof Told)[] = [
  ...(['name', 'instance', 'type', 'requested'] as const),
  ...(['created', 'failed', 'timed_out', 'cancelled', 'status', 'expires'] as const),
]

function byKeys(sort: readonly SortKey[], from: 0 | 1): (a: Told, b: Told) => number {
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
