import type { Failure } from '../api/failure.ts'
import type { AccountId, Instant } from '../values/ids.ts'
import type { RowsFileId, RowsColumn } from './rows-file.ts'

/**
 * What a row's cell has to be. A cell that is not there, because only other files have the column, is empty.
 * `is`, `one-of`: exactly so, letter by letter, however letters are composed. `contains`, `begins-with`: capitals and accents do not matter.
 */
export type CellTest =
  | { readonly kind: 'is'; readonly value: string }
  | { readonly kind: 'one-of'; readonly values: readonly string[] }
  | { readonly kind: 'contains'; readonly value: string }
  | { readonly kind: 'begins-with'; readonly value: string }
  | { readonly kind: 'empty' }
  /** A link that carries one of these click IDs (`clickIdIn`); '' is one that carries none. */
  | { readonly kind: 'click-id'; readonly values: readonly string[] }
  /** An address in one of these ranges: `198.51.100.0/24`, `2001:db8::/32`, or one address (network.ts). */
  | { readonly kind: 'in-network'; readonly networks: readonly string[] }
  /** A number above or below this one, which `isDecimal` tells; placeholders and texts are neither. */
  | { readonly kind: 'more-than' | 'less-than'; readonly value: string }
  /** A moment from the first to before the second; null leaves an end open. */
  | { readonly kind: 'between'; readonly from: Instant | null; readonly to: Instant | null }
  /**
   * Of rows that are in several of the files, letter by letter in every column that all of these have, the one in the first file. It is
   * of no column. What is in one file twice stays there twice, and so does what is in files of different instances: the main process
   * knows which those are, and says it in `of`, by file.
   */
  | { readonly kind: 'once'; readonly instances?: Readonly<Record<RowsFileId, string>> }

/** Parameters by which ad platforms and trackers name a click in a link. */
export const clickParameters =
  'gclid|gbraid|wbraid|dclid|msclkid|fbclid|ttclid|twclid|li_fat_id|yclid|click_?id|af_click_id'

const clickParameter = new RegExp(`[?&#](?:${clickParameters})=([^?&# ]+)`, 'i')

/** The click ID that a link carries, the first of several; '' where it carries none. The link may stand escaped in another. */
export const clickIdIn = (link: string): string =>
  clickParameter.exec(
    link.replaceAll(/%3f/gi, '?').replaceAll('%26', '&').replaceAll(/%3d/gi, '=').replaceAll('%23', '#'),
  )?.[1] ?? ''

/** Whether a text is a number as conditions have it: `-12.5`, of at most 28 digits and 9 decimals. */
export const isDecimal = (text: string): boolean => /^-?\d{1,28}(?:\.\d{1,9})?$/.test(text)

/** A condition on one column; `out` leaves out the rows that pass its test, and keeps all others. */
export type RowsCondition = { readonly column: string; readonly out: boolean; readonly test: CellTest }

/** Counts a row that is in several files once. */
export const countedOnce: RowsCondition = { column: '', out: false, test: { kind: 'once' } }

export type RowsSortKey = { readonly column: string; readonly direction: 'asc' | 'desc' }

/** How many sort keys a question may have. */
export const maxSortKeys = 3

/**
 * Which rows: of one account's files, joined by column, every condition met. Without a sort key they stand in the order of the
 * files and of their lines; empty cells stand last, and rows that are level keep that order.
 */
export type RowsQuestion = {
  readonly account: AccountId
  readonly files: readonly RowsFileId[]
  readonly conditions: readonly RowsCondition[]
  readonly sort: readonly RowsSortKey[]
}

/**
 * What rows are grouped by: the value of a column; the network of an address (/24, of IPv6 /64; empty where it is none); the day or
 * the hour of a moment in the account's zone, as `2026-11-20` and `2026-11-20 14`; the click ID of a link.
 */
export const groupings = ['value', 'network', 'day', 'hour', 'click-id'] as const
export type GroupKey = { readonly column: string; readonly by: (typeof groupings)[number] }

/** What a table of groups is sorted by: rows, the share of bad ones, those of a result, or the nth key's text. */
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

/** What a sheet of a workbook holds at most, its head counted. */
export const maxRowsOfSheet = 1_048_576
/** The longest text of its cells, in UTF-16 units; longer ones are cut. */
export const maxCellOfSheet = 32_767

/** Results that count as bad: the worst of each type of raw report. */
export const badResults: readonly string[] = ['bad', 'suspect']

/** A row: the file that it is from, its place among that file's rows from 0, and the cells of the columns asked for. */
export type RawRow = {
  readonly file: RowsFileId
  readonly row: number
  /** As they came; null where the file has no such column. */
  readonly cells: readonly (string | null)[]
}

/** A page of the rows that a question finds, and how many it finds. */
export type RowsPage = { readonly rows: readonly RawRow[]; readonly total: number }

/** The most frequent values of a column among the rows found. */
export type Facet = {
  readonly column: string
  /** How many different values there are. */
  readonly distinct: number
  /** The most frequent first; level ones by their text. `bad` is null where no row says how it was judged. */
  readonly values: readonly { readonly value: string; readonly rows: number; readonly bad: number | null }[]
}

export type Facets = { readonly rows: number; readonly bad: number | null; readonly facets: readonly Facet[] }

/** Rows over time, by result. Bars without rows are left out. */
export type RowsHistogram = {
  /** The zone in which days and hours begin. */
  readonly zone: string
  /** Every result that occurs, in the order of `counts`; empty text for rows without one. */
  readonly results: readonly string[]
  readonly bars: readonly {
    /** From this moment to before that one. */
    readonly from: Instant
    readonly to: Instant
    readonly counts: readonly number[]
  }[]
  /** Rows that have no moment that could be read. */
  readonly untimed: number
}

/** A page of groups. */
export type RowsGroups = {
  readonly results: readonly string[]
  readonly groups: readonly {
    readonly keys: readonly string[]
    readonly rows: number
    readonly bad: number | null
    /** By result, in the order of `results`. */
    readonly counts: readonly number[]
    /** Rows at each of `moments`. */
    readonly series: readonly number[]
  }[]
  /** How many groups there are. */
  readonly total: number
  /** The days, or hours where there are two days at most, that `series` has a number for: `2026-11-20`, `2026-11-20 14`. */
  readonly moments: readonly string[]
}

/** What rows are looked through for clusters by; `range` is the network of an address, `network` the name of who owns it. */
export const clusterKinds = ['address', 'range', 'network', 'user-agent', 'referrer', 'hour'] as const
export type ClusterKind = (typeof clusterKinds)[number]

/** A value that holds far more bad rows than its share. It says nothing of who is behind it. */
export type Cluster = {
  readonly kind: ClusterKind
  readonly key: GroupKey
  /** As groups tell it; empty for rows without one. */
  readonly value: string
  readonly rows: number
  readonly bad: number
  /** So many of its rows would be bad if its share were that of all rows. */
  readonly expected: number
  /** How probable so uneven a count is by chance, corrected for how many values were tested: 0 to 1. */
  readonly chance: number
}

export type RowsClusters = {
  /** All rows that are looked at, and the bad ones; null where no row says how it was judged. */
  readonly rows: number
  readonly bad: number | null
  /** How many values were tested. */
  readonly tested: number
  /** The least probable first. */
  readonly clusters: readonly Cluster[]
  /** How many more there are. */
  readonly more: number
}

/** What a search finds in one file: how many rows, and the first of them. */
export type SearchHits = {
  readonly account: AccountId
  readonly file: RowsFileId
  readonly name: string
  readonly count: number
  /** The columns that were searched, and those that say what the row was: the cells of `rows`. */
  readonly columns: readonly RowsColumn[]
  readonly rows: readonly RawRow[]
}

export type SearchAnswer = {
  /** Files with hits, by account and name. */
  readonly files: readonly SearchHits[]
  /** How many files were searched. */
  readonly searched: number
  /** Those that could not be, because they are damaged. */
  readonly failed: readonly { readonly file: RowsFileId; readonly name: string }[]
  /** Columns of the searched files in which nothing was looked for, by name. */
  readonly unsearched: readonly string[]
}

/** A line that could not be read as a row. */
type UnreadableLine = {
  /** Its number in the file, from 1; null where that is not known. */
  readonly line: number | null
  /** What is wrong with it, in words. */
  readonly why: string
  /** The line, cut after 2,000 letters. */
  readonly text: string
}

export type UnreadableLines = { readonly total: number; readonly lines: readonly UnreadableLine[] }

/**
 * Why counted rows and saved figures may differ.
 * - `filtered`: the rows are a part: fewer than all of the instance's, by the filters that the report was asked for with
 * - `not-settled`: the day was not over, or still being judged, when the rows were made
 * - `restated`: the service has changed the day since
 * - `unreadable`: lines of the file could not be read
 * - `unknown-scope`: it is not known which instance, or which days, the rows are of
 * - `zone`: rows lie on other days than were asked for, or differences cancel out over days: the service may begin days elsewhere
 * - `outside`: rows lie on other days than the report was asked for
 * - `untimed`: rows have no time that could be read, and are of no day
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

/** One figure of one day: as counted among the rows, and as saved. `saved` is null where the day is not saved. */
export type RecountFigure = {
  readonly day: string
  /** The table's column: "Suspect", "Good" … */
  readonly member: string
  readonly counted: number
  readonly saved: number | null
}

export type Recount = {
  readonly figures: readonly RecountFigure[]
  /** Sums over the days that are saved; `differing` adds up the differences without their signs. */
  readonly compared: { readonly counted: number; readonly saved: number; readonly differing: number }
  readonly outcome: (typeof recountOutcomes)[number]
  readonly reasons: readonly RecountReason[]
  /** The saved figures could not be read. */
  readonly failure: Failure | null
}

/** A recount as it is kept: when it was made, and of which reading of the rows. */
export type StoredRecount = {
  readonly countedAt: Instant
  readonly readAt: Instant
  readonly recount: Recount
}
