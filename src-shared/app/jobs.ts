import type { Failure } from '../api/failure.ts'
import type { AccountId, Instant } from '../values/ids.ts'

/** Id of a job in this session, a random UUID. */
export type JobId = string & { readonly __brand: 'JobId' }

/**
 * Kinds of job. `download`: an archive. `publish`: history to a folder. `view`: refresh of a pinned view. `look`:
 * saving days of viewed tables in the background. `import`: an archive's rows.
 */
export type JobKind = 'download' | 'export' | 'publish' | 'backup' | 'view' | 'look' | 'import'

/** Progress; `total` is null if unknown. */
export type JobProgress = {
  readonly done: number
  readonly total: number | null
  readonly unit: 'rows' | 'files' | 'bytes' | 'days' | 'tables' | 'pages' | 'sources' | 'campaigns'
}

/** Number of cells that were cut to fit a workbook, by column. */
export type CutCells = readonly { readonly column: string; readonly cells: number }[]

export type JobState =
  /** Waits for other jobs. */
  | { readonly kind: 'queued' }
  | ({ readonly kind: 'running' } & JobProgress)
  /** Paused by the user, or after a failure until the next retry. */
  | { readonly kind: 'paused'; readonly failure: Failure | null }
  /** `file` is the name without folder; null for none or the clipboard. `cut` is absent if nothing was cut. */
  | {
      readonly kind: 'done'
      readonly file: string | null
      readonly rows: number | null
      readonly cut?: CutCells
    }
  | { readonly kind: 'failed'; readonly failure: Failure }
  | { readonly kind: 'cancelled' }

/** Background work, listed for the user. */
export type Job = {
  readonly id: JobId
  readonly kind: JobKind
  /** Null if the job concerns all accounts. */
  readonly account: AccountId | null
  /** Id of the view, archive or download; null if the account identifies the job. */
  readonly subject: string | null
  /** Title for the user: "Script by browser". */
  readonly title: string
  readonly state: JobState
  /** Null until the job has ended. */
  readonly endedAt: Instant | null
  /** Whether a window has shown the end. */
  readonly seen: boolean
}

/** Returns the unfinished job of a kind and subject, if any. */
export const jobAbout = (
  jobs: readonly Job[] | undefined,
  kind: JobKind,
  account: AccountId | null,
  subject: string | null = null,
): Job | undefined =>
  jobs?.findLast(
    (job) => job.kind === kind && job.account === account && job.subject === subject && !isOver(job.state),
  )

/** Returns the first running job of a kind, if any. */
export const jobRunning = (jobs: readonly Job[] | undefined, kind: JobKind): Job | undefined =>
  jobs?.find((job) => job.kind === kind && job.state.kind === 'running')

/** Returns a job's progress; null unless it runs. */
export const progressOf = ({ state }: Job): JobProgress | null => (state.kind === 'running' ? state : null)

/** Returns the progress in whole percent, 0 to 100; null if unknown. */
export function percentDone(progress: Pick<JobProgress, 'done' | 'total'> | null): number | null {
  if (progress === null || progress.total === null || progress.total <= 0) return null
  return Math.min(100, Math.floor((progress.done / progress.total) * 100))
}

/** Whether a job has ended. An ended job never changes. */
export const isOver = ({ kind }: JobState): boolean =>
  kind === 'done' || kind === 'failed' || kind === 'cancelled'
