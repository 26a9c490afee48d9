import type { RawListRow, Timestamp, ProcessingLimits, RawReport, Unknown } from '../api/answers.ts'
import type { Failure } from '../api/failure.ts'
import type { Instant, InstanceId, RawReportId, AccountId } from '../values/ids.ts'
import type { Announcement } from './settings.ts'

/** What a raw report is, as far as its timestamps and its label tell (specification: states and transitions; field notes: raw reports). */
export type RawState = 'in-progress' | 'ready' | 'failed' | 'timed-out' | 'cancelled' | 'unknown'

/** A state, since when where that is known, and its words: ours, or the service's own label where we know none. */
type RawLife = { readonly state: RawState; readonly since: Timestamp; readonly words: string }

type ReportRow = Pick<RawListRow, 'created' | 'failed' | 'timed_out' | 'cancelled' | 'requested' | 'status'>

const stateWords: Readonly<Record<Exclude<RawState, 'unknown'>, string>> = {
  'in-progress': 'In progress',
  ready: 'Ready',
  failed: 'Failed',
  'timed-out': 'Timed out',
  cancelled: 'Cancelled',
}

/** Labels as they were seen, folded to letters; those of other endings are unknown and are read the same way. */
const labels: Readonly<Record<string, Exclude<RawState, 'unknown'>>> = {
  inprogress: 'in-progress',
  ready: 'ready',
  failed: 'failed',
  timedout: 'timed-out',
  cancelled: 'cancelled',
  canceled: 'cancelled',
}

/**
 * Reads timestamps first, the label second. Where several endings have a time, what a person did or suffered counts
 * before what the service finished: a report that was cancelled or failed is not to be fetched.
 */
export function lifeOf(row: ReportRow): RawLife {
  const endings = [
    ['cancelled', row.cancelled],
    ['failed', row.failed],
    ['timed-out', row.timed_out],
    ['ready', row.created],
  ] as const
  for (const [state, at] of endings) if (at !== null) return { state, since: at, words: stateWords[state] }
  const folded = row.status.toLowerCase().replaceAll(/[^a-z]/g, '')
  const state = Object.hasOwn(labels, folded) ? labels[folded] : undefined
  if (state) return { state, since: state === 'in-progress' ? row.requested : null, words: stateWords[state] }
  // A label alone that nobody knows ends nothing: it is shown as it came.
  return { state: 'unknown', since: null, words: row.status || 'Unknown' }
}

/** Whether a report may still become another one without a person. */
export const isRunning = (state: RawState): boolean => state === 'in-progress' || state === 'unknown'

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
  /** The report's instance, as far as its record is known: the row has the name alone. */
  readonly instance?: InstanceId
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
  /** How many reports of the service's list cannot be read, and are not among these. */
  readonly unreadable?: number
  /** What the service's last list lacked of these; null where it lacked nothing. */
  readonly lack: RawListLack | null
}

/** Reports that a list had and has not, and of which the service does not say that they are gone. They stay listed. */
export type RawListLack = { readonly reports: number; readonly isEmpty: boolean }

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

/** What windows are told of raw reports: they ask again. */
export type RawEvents = {
  /** The list, a record, a pending removal, or whether the list can be asked for. */
  readonly 'raw/changed': { readonly account: AccountId }
  /** What became of a removal, once it was sent. */
  readonly 'raw/removed': { readonly account: AccountId } & RawDone
}

/** A report that is being made. */
export type RunningReport = {
  readonly account: AccountId
  readonly report: RawReportId
  readonly name: string
  /** When the desk first saw it. */
  readonly since: Instant
}

/** Raw reports of all accounts in a few words, for the tray. */
export type RawSummary = {
  readonly running: readonly RunningReport[]
  /** Reports that became ready since the person last looked at the list. */
  readonly readyUnseen: number
  /** What else happened since, and wants to be looked at. */
  readonly attention: number
  /** The end that was found last. */
  readonly lastFinished: Announcement | null
}
