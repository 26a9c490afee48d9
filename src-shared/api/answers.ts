import type { Day } from '../values/day.ts'
import type { InstanceId, RawReportId } from '../values/ids.ts'
import type { TotalName } from './dimensions.ts'
import type { NamedInstance } from './instance-names.ts'
import type { RawFilter } from './parameters.ts'

/** Members that the specification does not name, decoded but otherwise unchanged. */
export type Unknown = Readonly<Record<string, unknown>>

/** A count; null if the service has none (detection off). Null is not zero. */
export type Count = number | null

/** Members of `total`, including unspecified ones. A value that is no count remains text. */
export type Totals = Readonly<Partial<Record<TotalName, Cell>>> & Readonly<Record<string, Cell>>

/** Label of a row: text, or an instance. `all` is the aggregate row. */
export type Label =
  | { readonly kind: 'all'; readonly name: string | null }
  | { readonly kind: 'text'; readonly text: string }
  | ({ readonly kind: 'instance' } & NamedInstance)

/** A cell after the label: a count, a rate, or any text that the service sent instead. */
export type Cell = number | string | null

export type TableRow = { readonly label: Label; readonly cells: readonly Cell[] }

/** A decoded table. `headers[0]` is the label's; `cells[i]` belongs to `headers[i + 1]`. */
export type Table = {
  readonly headers: readonly string[]
  readonly all: TableRow | null
  readonly rows: readonly TableRow[]
}

/** Daily figures: `series` by header, one value for each of `days`. A chart in an unknown form is null. */
export type Chart = {
  readonly days: readonly Day[]
  readonly series: readonly { readonly header: string; readonly values: readonly Count[] }[]
}

/** Decoded echo of the request. Members that were `false` are absent, and the token is always removed. */
export type Echo = Readonly<Record<string, unknown>>

/** Echo of a paged request. */
export type PagedEcho = { readonly results: number; readonly pages: number; readonly echo: Echo }

/** Unreadable parts of a table: the number of rows that were dropped, and the headers with unknown cells. */
export type Unreadable = { readonly rows: number; readonly headers: readonly string[] }

export type OverviewAnswer = {
  readonly total: Totals
  readonly chart: Chart | null
  readonly query: Echo
  readonly unknown: Unknown
}

export type TableAnswer = {
  readonly total: Totals
  readonly table: Table
  readonly chart: Chart | null
  readonly query: PagedEcho
  readonly unknown: Unknown
  /** Absent if every row was read. */
  readonly unreadable?: Unreadable
}

export type Instance = NamedInstance & {
  readonly status: number | null
  /** Whether this is the aggregate entry "All Instances". */
  readonly all: boolean
  readonly unknown: Unknown
}

/** A list; `unreadable` counts the entries that were dropped, and is absent if there are none. */
type Listed = { readonly query: PagedEcho; readonly unreadable?: number }

export type InstancesAnswer = Listed & { readonly instances: readonly Instance[] }
export type SourcesAnswer = Listed & { readonly sources: readonly string[] }
export type CampaignsAnswer = Listed & { readonly campaigns: readonly string[] }

/** A raw report's timestamp, parsed only by `timeOf` (values/timestamp.ts); null if the event has not happened. */
export type Timestamp = string | null

/** A row of raw/table. */
export type RawListRow = {
  readonly id: RawReportId
  readonly name: string
  readonly instance: string
  readonly type: string
  readonly requested: Timestamp
  readonly created: Timestamp
  readonly failed: Timestamp
  readonly timed_out: Timestamp
  readonly cancelled: Timestamp
  readonly status: string
  readonly expires: Timestamp
  readonly unknown: Unknown
}

/** `processing.limits` of raw/table: minutes and numbers of reports; null if not given. */
export type ProcessingLimits = {
  readonly minutes_total: Count
  readonly api_concurrent: Count
  readonly dashboard_concurrent: Count
  readonly minutes_available: Count
}

/** Limits before the service has sent any. */
export const noLimits: ProcessingLimits = {
  minutes_total: null,
  api_concurrent: null,
  dashboard_concurrent: null,
  minutes_available: null,
}

export type RawTableAnswer = Listed & {
  readonly limits: ProcessingLimits
  /** The rest of `processing`: a breakdown for admin users, in a form that the specification leaves open. */
  readonly usage: Unknown
  readonly rows: readonly RawListRow[]
}

/** The full record of a raw report (specification: raw report). Sizes have no stated unit. */
export type RawReport = Omit<RawListRow, 'instance'> & {
  readonly start: Day | null
  readonly end: Day | null
  readonly instance_id: InstanceId | null
  readonly instance_name: string
  readonly columns: { readonly standard: readonly string[]; readonly additional: readonly number[] | null }
  readonly filters: readonly RawFilter[] | null
  readonly send_email: boolean | null
  readonly file_name: string | null
  readonly file_size: Count
  readonly rows: Count
  readonly alerted: Timestamp
  readonly processing_minutes: Count
}

/** Answer of raw/cancel and raw/remove. `feedback` lists the reports that succeeded and that failed. */
export type RawDoneAnswer = {
  readonly success: boolean
  readonly message: string
  readonly feedback: { readonly pass: Unknown; readonly fail: Unknown }
}

export type RawRequestedAnswer = RawDoneAnswer & { readonly id: RawReportId | null }

export type RawAddressAnswer = { readonly url: string }

/** Decoded answers by kind. */
export type Answers = {
  overview: OverviewAnswer
  table: TableAnswer
  instances: InstancesAnswer
  sources: SourcesAnswer
  campaigns: CampaignsAnswer
  'raw-table': RawTableAnswer
  'raw-report': RawReport
  'raw-requested': RawRequestedAnswer
  'raw-done': RawDoneAnswer
  'raw-address': RawAddressAnswer
}
