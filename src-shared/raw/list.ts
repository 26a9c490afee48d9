import type { RawListRow, Timestamp, ProcessingLimits, RawReport, Unknown } from '../api/answers.ts'
import type { Failure } from '../api/failure.ts'
import type { Instant, InstanceId, RawReportId, AccountId } from '../values/ids.ts'
import type { Announcement } from './settings.ts'

/** State of a raw report (specification: states and transitions; field notes: raw reports). */
export type RawState = 'in-progress' | 'ready' | 'failed' | 'timed-out' | 'cancelled' | 'unknown'

/** State and its start if known. `words` is the app's text, or the service's label for an unknown state. */
type RawLife = { readonly state: RawState; readonly since: Timestamp; readonly words: string }

type ReportRow = Pick<RawListRow, 'created' | 'failed' | 'timed_out' | 'cancelled' | 'requested' | 'status'>

const stateWords: Readonly<Record<Exclude<RawState, 'unknown'>, string>> = {
  'in-progress': 'In progress',
  ready: 'Ready',
  failed: 'Failed',
  'timed-out': 'Timed out',
  cancelled: 'Cancelled',
}

/** Observed labels, reduced to letters. The specification leaves others open. */
const labels: Readonly<Record<string, Exclude<RawState, 'unknown'>>> = {
  inprogress: 'in-progress',
  ready: 'ready',
  failed: 'failed',
  timedout: 'timed-out',
  cancelled: 'cancelled',
  canceled: 'cancelled',
}

/**
 * Derives the state from timestamps, then from the label. Cancellation and failure win over completion, because such a
 * report must not be downloaded.
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
  // An unknown label does not end a report. It is shown unchanged.
  return { state: 'unknown', since: null, words: row.status || 'Unknown' }
}

/** Whether the state may still change without the user. */
export const isRunning = (state: RawState): boolean => state === 'in-progress' || state === 'unknown'

/** Sort columns of the list: all members of a row except its id (specification: raw report list row). */
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

/** Query of the list (specification: raw/table). An empty sort means newest first. */
export type RawListQuery = {
  readonly search: string
  readonly startsWith: boolean
  /** At most three. */
  readonly sort: readonly RawListSort[]
  readonly page: number
  /** 20 to 1,000. */
  readonly limit: number
}

/** State of a report's download. */
export type SavedState = 'none' | 'waiting' | 'running' | 'paused' | 'failed' | 'saved' | 'missing'

/** A raw report in the list. */
export type ListedReport = {
  readonly row: RawListRow
  /** Id of the instance if the record is known. The row only has the name. */
  readonly instance?: InstanceId
  readonly life: RawLife
  readonly saved: SavedState
  /** End of the undo period of a pending removal; null if none is pending. */
  readonly undoUntil: Instant | null
  /** Shortest and longest recent duration of this type, in milliseconds; null if unknown. */
  readonly usual: { readonly shortest: number; readonly longest: number } | null
}

/** A page of the last complete list. */
export type RawListAnswer = {
  readonly reports: readonly ListedReport[]
  readonly results: number
  readonly pages: number
  readonly limits: ProcessingLimits
  /** Breakdown of processing usage, if the token may see it. */
  readonly usage: Unknown
  /** When the list was completely fetched; null if never. */
  readonly fetchedAt: Instant | null
  readonly refreshing: boolean
  /** Why the last refresh failed; null if it succeeded. */
  readonly failure: Failure | null
  /** Number of unreadable reports, which are left out. */
  readonly unreadable?: number
  /** Reports that the service's last list lacked; null if none. */
  readonly lack: RawListLack | null
}

/** Reports that are missing from a newer list, but not confirmed as removed. They stay listed. */
export type RawListLack = { readonly reports: number; readonly isEmpty: boolean }

/** A report's full record with its age. */
export type RawReportAnswer = {
  readonly report: RawReport
  readonly listed: ListedReport
  readonly fetchedAt: Instant
  readonly failure: Failure | null
}

/** Result of removing or cancelling. Failures have the service's message. */
export type RawDone = {
  readonly done: readonly RawReportId[]
  readonly failed: readonly { readonly id: RawReportId; readonly name: string; readonly words: string }[]
}

/** Events about raw reports. */
export type RawEvents = {
  /** The list, a record, a pending removal, or the connection changed. */
  readonly 'raw/changed': { readonly account: AccountId }
  /** Result of a removal. */
  readonly 'raw/removed': { readonly account: AccountId } & RawDone
}

/** A report in progress. */
export type RunningReport = {
  readonly account: AccountId
  readonly report: RawReportId
  readonly name: string
  /** When the app first saw the report. */
  readonly since: Instant
}

/** Summary of all accounts' raw reports, for the tray. */
export type RawSummary = {
  readonly running: readonly RunningReport[]
  /** Reports that became ready since the user last opened the list. */
  readonly readyUnseen: number
  /** Other events since then that need attention. */
  readonly attention: number
  /** The latest end of a report. */
  readonly lastFinished: Announcement | null
}
