import type { Failure } from '../api/failure.ts'
import type { AccountId, Instant } from '../values/ids.ts'
import type { RowsFileId, RowsColumn, RowsState } from './rows-file.ts'

/**
 * Test of a cell. A missing column counts as empty.
 * `is`, `one-of`: exact, after Unicode normalisation. `contains`, `begins-with`: ignore case and accents.
 */
export type CellTest =
  | { readonly kind: 'is'; readonly value: string }
  | { readonly kind: 'one-of'; readonly values: readonly string[] }
  | { readonly kind: 'contains'; readonly value: string }
  | { readonly kind: 'begins-with'; readonly value: string }
  | { readonly kind: 'empty' }
  /** A link whose first click ID (`clickParameters`) is one of these; '' matches links without one. */
  | { readonly kind: 'click-id'; readonly values: readonly string[] }
  /**
   * An address in one of these ranges: `198.51.100.0/24`, `2001:db8::/32`, or one address (network.ts). '' matches
   * cells without an address.
   */
  | { readonly kind: 'in-network'; readonly networks: readonly string[] }
  /** A number above or below a decimal (`isDecimal`). Placeholders and texts never match. */
  | { readonly kind: 'more-than' | 'less-than'; readonly value: string }
  /** A time from `from` (inclusive) to `to` (exclusive); null means no limit. */
  | { readonly kind: 'between'; readonly from: Instant | null; readonly to: Instant | null }
  /**
   * Removes duplicates across files; the row in the first file stays. Rows are equal if all common columns are. Applies
   * to no column. Duplicates within one file stay, as do rows in files of different instances. The main process sets
   * `instances`, by file.
   */
  | { readonly kind: 'once'; readonly instances?: Readonly<Record<RowsFileId, string>> }

/** URL parameters with click IDs of ad platforms and trackers. A link may be percent-encoded inside another. */
export const clickParameters =
  'gclid|gbraid|wbraid|dclid|msclkid|fbclid|ttclid|twclid|li_fat_id|yclid|click_?id|af_click_id'

/** Whether a text is a decimal for conditions: `-12.5`, with at most 28 digits and 9 decimals. */
export const isDecimal = (text: string): boolean => /^-?\d{1,28}(?:\.\d{1,9})?$/.test(text)

/** A condition on a column; `out` inverts the test. */
export type RowsCondition = { readonly column: string; readonly out: boolean; readonly test: CellTest }

/** Counts a row only once if it is in several files. */
export const countedOnce: RowsCondition = { column: '', out: false, test: { kind: 'once' } }

export type RowsSortKey = { readonly column: string; readonly direction: 'asc' | 'desc' }

/** Maximum number of sort keys in a query. */
export const maxSortKeys = 3

/**
 * Selects rows from files of one account. Columns are joined by name, and all conditions must hold. The default order
 * is by file and line. Empty cells are last, and ties keep the default order.
 */
export type RowsQuery = {
  readonly account: AccountId
  readonly files: readonly RowsFileId[]
  readonly conditions: readonly RowsCondition[]
  readonly sort: readonly RowsSortKey[]
}

/**
 * Groupings of rows: the value; the network of an address (/24, or /64 for IPv6; empty if invalid); day or hour of a
 * time in the account's zone, as `2026-11-20` and `2026-11-20 14`; the click ID of a link.
 */
export const groupings = ['value', 'network', 'day', 'hour', 'click-id'] as const
export type GroupKey = { readonly column: string; readonly by: (typeof groupings)[number] }

/** Sort of groups: by rows, bad rows or their share, rows of a result, or the nth key's text. */
export type GroupSort = {
  readonly by:
    | { readonly kind: 'rows' }
    | { readonly kind: 'bad' }
    | { readonly kind: 'bad-share' }
    | { readonly kind: 'result'; readonly result: string }
    | { readonly kind: 'key'; readonly place: number }
  readonly direction: 'asc' | 'desc'
}

export const rowsFormats = ['csv', 'xlsx', 'parquet', 'json'] as const
export type RowsFormat = (typeof rowsFormats)[number]

/** Maximum number of rows in a sheet, including the header. */
export const maxRowsOfSheet = 1_048_576
/** Maximum length of a sheet's cell in UTF-16 units. Longer texts are cut. */
export const maxCellOfSheet = 32_767

/** Results that count as bad: the worst of each type of raw report. */
export const badResults: readonly string[] = ['bad', 'suspect']

/** A row: its file, its index in that file from 0, and the requested cells. */
export type RawRow = {
  readonly file: RowsFileId
  readonly row: number
  /** Cells as written; null if the file lacks the column. */
  readonly cells: readonly (string | null)[]
}

/** A page of matching rows, and the number of all matching rows. */
export type RowsPage = { readonly rows: readonly RawRow[]; readonly total: number }

/** Most frequent values of a column among the matching rows. */
export type Facet = {
  readonly column: string
  /** Number of distinct values. */
  readonly distinct: number
  /** Most frequent first, ties by text. `bad` is null if no row has a result. */
  readonly values: readonly { readonly value: string; readonly rows: number; readonly bad: number | null }[]
}

export type Facets = { readonly rows: number; readonly bad: number | null; readonly facets: readonly Facet[] }

/** Rows over time, by result. Bars without rows are left out. */
export type RowsHistogram = {
  /** Zone in which days and hours begin. */
  readonly zone: string
  /** Every result, in the order of `counts`; '' for rows without one. */
  readonly results: readonly string[]
  readonly bars: readonly {
    /** From `from` (inclusive) to `to` (exclusive). */
    readonly from: Instant
    readonly to: Instant
    readonly counts: readonly number[]
  }[]
  /** Number of rows without a readable time. */
  readonly untimed: number
}

/** A page of groups. */
export type RowsGroups = {
  readonly results: readonly string[]
  readonly groups: readonly {
    readonly keys: readonly string[]
    readonly rows: number
    readonly bad: number | null
    /** Rows by result, in the order of `results`. */
    readonly counts: readonly number[]
    /** Rows by interval, in the order of `moments`. */
    readonly series: readonly number[]
  }[]
  /** Number of all groups. */
  readonly total: number
  /** Intervals of `series`: days, or hours for at most two days, as `2026-11-20` and `2026-11-20 14`. */
  readonly moments: readonly string[]
}

/** Kinds of cluster. `range` is the network of an address, `network` the name of its owner. */
export const clusterKinds = ['address', 'range', 'network', 'user-agent', 'referrer', 'hour'] as const
export type ClusterKind = (typeof clusterKinds)[number]

/** A value with far more bad rows than its share. It does not identify an actor. */
export type Cluster = {
  readonly kind: ClusterKind
  readonly key: GroupKey
  /** Value as in groups; empty for rows without one. */
  readonly value: string
  readonly rows: number
  readonly bad: number
  /** Number of bad rows expected from the share of all rows. */
  readonly expected: number
  /** Probability of the count by chance, corrected for the number of tested values: 0 to 1. */
  readonly chance: number
}

export type RowsClusters = {
  /** Number of all rows and of bad rows; null if no row has a result. */
  readonly rows: number
  readonly bad: number | null
  /** Number of tested values. */
  readonly tested: number
  /** Least probable first. */
  readonly clusters: readonly Cluster[]
  /** Number of further clusters. */
  readonly more: number
}

/** Search hits in one file: their number and the first rows. */
export type SearchHits = {
  readonly account: AccountId
  readonly file: RowsFileId
  readonly name: string
  readonly count: number
  /** The searched columns and some that identify the row, as in the cells of `rows`. */
  readonly columns: readonly RowsColumn[]
  readonly rows: readonly RawRow[]
}

/** Why an archive was not searched. */
export type UnsearchedReason = Exclude<RowsState['kind'], 'whole'>
export type UnsearchedArchive = { readonly name: string; readonly why: UnsearchedReason }

export type SearchAnswer = {
  /** Files with hits, by account and name. */
  readonly files: readonly SearchHits[]
  /** Names of the searched archives. */
  readonly searched: readonly string[]
  /** Archives that were not searched. */
  readonly unsearched: readonly UnsearchedArchive[]
  /** Names of columns, over all searched archives. */
  readonly columns: { readonly searched: readonly string[]; readonly unsearched: readonly string[] }
}

/** A line that could not be read as a row. */
type UnreadableLine = {
  /** Line number from 1; null if unknown. */
  readonly line: number | null
  /** Reason, for the user. */
  readonly why: string
  /** The line, cut after 2,000 characters. */
  readonly text: string
}

export type UnreadableLines = { readonly total: number; readonly lines: readonly UnreadableLine[] }

/**
 * Reasons why counted rows and saved figures may differ.
 * - `filtered`: the report was requested with filters, so the rows are only a part
 * - `not-settled`: the day was not over, or still being judged, when the report was created
 * - `restated`: the service has changed the day since
 * - `unreadable`: lines of the file could not be read
 * - `unknown-scope`: the instance or the days of the rows are unknown
 * - `zone`: rows are on other days, or differences cancel out, so the service may use another zone
 * - `outside`: rows are on days that were not requested
 * - `untimed`: rows have no readable time and belong to no day
 */
export const recountReasons = [
  'filtered',
  'not-settled',
  'restated',
  'unreadable',
  'unknown-scope',
  'zone',
  'outside',
  'untimed',
] as const
export type RecountReason = (typeof recountReasons)[number]

export const recountOutcomes = ['agrees', 'differs', 'nothing-saved'] as const

/** A figure of one day, as counted in the rows and as saved; `saved` is null if the day is not saved. */
export type RecountFigure = {
  readonly day: string
  /** Column of the table: "Suspect", "Good" … */
  readonly member: string
  readonly counted: number
  readonly saved: number | null
}

export type Recount = {
  readonly figures: readonly RecountFigure[]
  /** Sums over the saved days; `differing` is the sum of absolute differences. */
  readonly compared: { readonly counted: number; readonly saved: number; readonly differing: number }
  readonly outcome: (typeof recountOutcomes)[number]
  readonly reasons: readonly RecountReason[]
  /** Why the saved figures could not be read; null if they could. */
  readonly failure: Failure | null
}

/** A stored recount. `readAt` identifies the import that was counted. */
export type StoredRecount = {
  readonly countedAt: Instant
  readonly readAt: Instant
  readonly recount: Recount
}
