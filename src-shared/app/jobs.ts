import type { Failure } from '../api/failure.ts'
import type { AccountId } from '../values/ids.ts'

/** A job of this session; a random UUID. */
export type JobId = string & { readonly __brand: 'JobId' }

/** What jobs are of: exports write a file or into the clipboard, publishing copies history into a folder. */
export type JobKind = 'export' | 'publish'

/** How far a job is; `of` is null while nobody knows. */
export type JobProgress = {
  readonly done: number
  readonly of: number | null
  readonly unit: 'rows' | 'days' | 'files'
}

export type JobState =
  /** Others of its lane run. */
  | { readonly kind: 'queued' }
  | ({ readonly kind: 'running' } & JobProgress)
  /** By hand, or until it is tried again after a failure. */
  | { readonly kind: 'paused'; readonly failure: Failure | null }
  /** `file` is the name alone of what it wrote; null where it wrote none, or into the clipboard. */
  | { readonly kind: 'done'; readonly file: string | null; readonly rows: number | null }
  | { readonly kind: 'failed'; readonly failure: Failure }
  | { readonly kind: 'cancelled' }

/** Work that goes on behind the window, in one list. */
export type Job = {
  readonly id: JobId
  readonly kind: JobKind
  readonly account: AccountId
  /** What it makes, in words: "Script by browser". */
  readonly title: string
  readonly state: JobState
}

/** Whether a job has ended: nothing changes it any more. */
export const isOver = ({ kind }: JobState): boolean =>
  kind === 'done' || kind === 'failed' || kind === 'cancelled'
