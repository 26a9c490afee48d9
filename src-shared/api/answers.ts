import type { Day } from '../values/day.ts'
import type { InstanceId, RawReportId } from '../values/ids.ts'
import type { TotalName } from './dimensions.ts'
import type { NamedInstance } from './instance-names.ts'
import type { RawFilter } from './parameters.ts'

/** Members that the specification does not name are kept as they came, decoded. */
export type Unknown = Readonly<Record<string, unknown>>

/** A count; null where the service does not know it (detection off). Null is not zero. */
export type Count = number | null

/** `total`: what the specification names, and whatever else came. Text stands as it came where a service sends no count. */
export type Totals = Readonly<Partial<Record<TotalName, Cell>>> & Readonly<Record<string, Cell>>

/** What names a row: text, or an instance. `all` marks the aggregate row. */
export type Label =
  | { readonly kind: 'all'; readonly name: string | null }
  | { readonly kind: 'text'; readonly text: string }
  | ({ readonly kind: 'instance' } & NamedInstance)

/** A cell after the label: a count, a rate, or text where a service sends something else. */
export type Cell = number | string | null

export type TableRow = { readonly label: Label; readonly cells: readonly Cell[] }

/** A table, decoded. `headers[0]` names the label; `cells[i]` stands under `headers[i + 1]`. */
export type Table = {
  readonly headers: readonly string[]
  readonly all: TableRow | null
  readonly rows: readonly TableRow[]
}

/** Daily figures: `series` by header, a value for each of `days`. Null where the chart was not recognised. */
export type Chart = {
  readonly days: readonly Day[]
  readonly series: readonly { readonly header: string; readonly values: readonly Count[] }[]
}

/** What was echoed: absent where the service said `false`. Text as it was decoded, the token never. */
export type Echo = Readonly<Record<string, unknown>>

/** The echo of what comes in pages. */
export type PagedEcho = { readonly results: number; readonly pages: number; readonly echo: Echo }

/** What of a table's rows could not be read: how many rows were left out, and the headers under which cells are not known. */
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
  /** Absent where every row was read. */
  readonly unreadable?: Unreadable
}

export type Instance = NamedInstance & {
  readonly status: number | null
  /** Whether this is the aggregate entry "All Instances". */
  readonly all: boolean
  readonly unknown: Unknown
}

/** A list, and how many of its entries could not be read and were left out; absent where there are none. */
type Listed = { readonly query: PagedEcho; readonly unreadable?: number }

export type InstancesAnswer = Listed & { readonly instances: readonly Instance[] }
export type SourcesAnswer = Listed & { readonly sources: readonly string[] }
export type CampaignsAnswer = Listed & { readonly campaigns: readonly string[] }

/** A moment of a raw report's life as it came, read by `timeOf` alone (values/timestamp.ts); null where it has not happened. */
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

/** `processing.limits` of raw/table: minutes and counts of reports; null where not given. */
export type ProcessingLimits = {
  readonly minutes_total: Count
  readonly api_concurrent: Count
  readonly dashboard_concurrent: Count
  readonly minutes_available: Count
}

/** Limits that nobody has told. */
export const noLimits: ProcessingLimits = {
  minutes_total: null,
  api_concurrent: null,
  dashboard_concurrent: null,
  minutes_available: null,
}

export type RawTableAnswer = Listed & {
  readonly limits: ProcessingLimits
  /** The rest of `processing`: the breakdown that admin users may ask for, in a form the specification leaves open. */
  readonly usage: Unknown
  readonly rows: readonly RawListRow[]
}

/** The full record of a raw report (specification: raw report). Sizes in bytes. */
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

/** What raw/cancel and raw/remove answer; `feedback` names what passed and what failed. */
export type RawDoneAnswer = {
  readonly success: boolean
  readonly message: string
  readonly feedback: { readonly pass: Unknown; readonly fail: Unknown }
}

export type RawRequestedAnswer = RawDoneAnswer & { readonly id: RawReportId | null }

export type RawAddressAnswer = { readonly url: string }

/** Each kind of answer and its shape. */
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
