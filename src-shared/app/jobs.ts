import type { Failure } from '../api/failure.ts'
import type { AccountId, Instant } from '../values/ids.ts'

/** A job of this session; a random UUID. */
export type JobId = string & { readonly __brand: 'JobId' }

/**
 * What jobs are of: downloads save archives of raw reports, exports write a file or into the clipboard, publishing copies history into a folder, a backup is one ZIP,
 * views that are pinned are renewed, days of views that were looked at are saved, archives are read in, and an update is downloaded.
 */
export type JobKind = 'download' | 'export' | 'publish' | 'backup' | 'view' | 'look' | 'import' | 'update'

/** How far something is, in what is moved, made, or asked for; `total` is null while nobody knows. */
export type JobProgress = {
  readonly done: number
  readonly total: number | null
  readonly unit: 'rows' | 'files' | 'bytes' | 'days' | 'tables' | 'pages' | 'sources' | 'campaigns'
}

/** Cells that a sheet of a workbook cannot hold whole, by column. */
export type CutCells = readonly { readonly column: string; readonly cells: number }[]

export type JobState =
  /** Others of its lane run. */
  | { readonly kind: 'queued' }
  | ({ readonly kind: 'running' } & JobProgress)
  /** By hand, or until it is tried again after a failure. */
  | { readonly kind: 'paused'; readonly failure: Failure | null }
  /** `file` is the name alone of what it wrote; null where it wrote none, or into the clipboard. `cut` is absent where nothing was. */
  | {
      readonly kind: 'done'
      readonly file: string | null
      readonly rows: number | null
      readonly cut?: CutCells
    }
  | { readonly kind: 'failed'; readonly failure: Failure }
  | { readonly kind: 'cancelled' }

/** Work that goes on behind the window, in one list. */
export type Job = {
  readonly id: JobId
  readonly kind: JobKind
  /** Null where it is about all of them. */
  readonly account: AccountId | null
  /** The id of what it is about: a view, an archive, or a download; null where the account says all. */
  readonly subject: string | null
  /** What it makes, in words: "Script by browser". */
  readonly title: string
  readonly state: JobState
  /** Null while it goes on. */
  readonly endedAt: Instant | null
  /** Whether a window has said how it ended. */
  readonly seen: boolean
}

/** The job that goes on of a kind, about this; undefined where none does. */
export const jobAbout = (
  jobs: readonly Job[] | undefined,
  kind: JobKind,
  account: AccountId | null,
  subject: string | null = null,
): Job | undefined =>
  jobs?.findLast(
    (job) => job.kind === kind && job.account === account && job.subject === subject && !isOver(job.state),
  )

/** The job that runs of a kind, the first; undefined where none does. */
export const jobRunning = (jobs: readonly Job[] | undefined, kind: JobKind): Job | undefined =>
  jobs?.find((job) => job.kind === kind && job.state.kind === 'running')

/** How far a job is; null before it runs. */
export const progressOf = ({ state }: Job): JobProgress | null => (state.kind === 'running' ? state : null)

/** The same in whole percent, 0 to 100; null where nobody knows. */
export function percentDone(progress: Pick<JobProgress, 'done' | 'total'> | null): number | null {
  if (progress === null || progress.total === null || progress.total <= 0) return null
  return Math.min(100, Math.floor((progress.done / progress.total) * 100))
}

/** Whether a job has ended: nothing changes it any more. */
export const isOver = ({ kind }: JobState): boolean =>
  kind === 'done' || kind === 'failed' || kind === 'cancelled'
