import type { AccountId, Instant } from '../values/ids.ts'
import type { RowsFileId } from './rows-file.ts'

/**
 * What a row's cell has to be. A cell that is not there, because only other files have the column, is empty.
 * `is`, `one-of`: exactly so, letter by letter. `contains`, `begins-with`: capitals and small letters are the same.
 */
export type CellTest =
  | { readonly kind: 'is'; readonly value: string }
  | { readonly kind: 'one-of'; readonly values: readonly string[] }
  | { readonly kind: 'contains'; readonly value: string }
  | { readonly kind: 'begins-with'; readonly value: string }
  | { readonly kind: 'empty' }
  /** An address in a range: `198.51.100.0/24`, `2001:db8::/32`, or one address (network.ts). */
  | { readonly kind: 'in-network'; readonly network: string }
  /** A moment from the first to before the second; null leaves an end open. */
  | { readonly kind: 'between'; readonly from: Instant | null; readonly to: Instant | null }
  /**
   * Of rows that are in several of the files, letter by letter in every column that all of these have, the one in the first file. It is
   * of no column. What is in one file twice stays there twice, and so does what is in files of different instances: the main process
   * knows which those are, and says it in `of`, by file.
   */
  | { readonly kind: 'once'; readonly of?: Readonly<Record<RowsFileId, string>> }

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
 * the hour of a moment in the account's zone, as `2026-11-20` and `2026-11-20 14`.
 */
export type GroupKey = { readonly column: string; readonly by: 'value' | 'network' | 'day' | 'hour' }

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

/** Results that count as bad: the worst of each type of raw report. */
export const badResults: readonly string[] = ['bad', 'suspect']
