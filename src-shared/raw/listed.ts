import type { ProcessingLimits, RawListRow, RawReport, Unknown } from '../api/answers.ts'
import type { Failure } from '../api/failure.ts'
import type { Instant, RawReportId } from '../values/ids.ts'
import type { RawLife } from './life.ts'

/** The columns that a list of raw reports is sorted by: those of a row but its id (specification: raw report list row). */
export const rawListColumns = [
  'name',
  'instance',
  'type',
  'requested',
  'created',
  'failed',
  'timed_out',
  'cancelled',
  'status',
  'expires',
] as const
export type RawListColumn = (typeof rawListColumns)[number]

export type RawListSort = { readonly column: RawListColumn; readonly direction: 'asc' | 'desc' }

/** What is asked of the list (specification: raw/table). An empty sort is the newest first. */
export type RawListQuery = {
  readonly search: string
  readonly startsWith: boolean
  /** At most three. */
  readonly sort: readonly RawListSort[]
  readonly page: number
  /** 20 to 1,000. */
  readonly limit: number
}

/** Where a report's file is, if anywhere. */
export type SavedState = 'none' | 'waiting' | 'running' | 'paused' | 'failed' | 'saved' | 'missing'

/** A raw report as the desk lists it. */
export type ListedReport = {
  readonly row: RawListRow
  readonly life: RawLife
  readonly saved: SavedState
  /** Whether it is being removed: it goes when `undoUntil` has passed. */
  readonly undoUntil: Instant | null
  /** How long reports of this type took lately, shortest and longest, in milliseconds; null before any was seen. */
  readonly usual: { readonly shortest: number; readonly longest: number } | null
}

/** A page of the list: of the last complete one that is kept. */
export type RawListAnswer = {
  readonly reports: readonly ListedReport[]
  readonly results: number
  readonly pages: number
  readonly limits: ProcessingLimits
  /** The breakdown of processing usage, where the token may see it. */
  readonly usage: Unknown
  /** When the list was complete; null before it ever was. */
  readonly fetchedAt: Instant | null
  readonly refreshing: boolean
  /** Why it could not be asked for anew. */
  readonly failure: Failure | null
}

/** A report's full record with its age. */
export type RawReportAnswer = {
  readonly report: RawReport
  readonly listed: ListedReport
  readonly fetchedAt: Instant
  readonly failure: Failure | null
}

/** What became of removing or cancelling: each report that failed, with the service's words. */
export type RawDone = {
  readonly done: readonly RawReportId[]
  readonly failed: readonly { readonly id: RawReportId; readonly name: string; readonly words: string }[]
}
