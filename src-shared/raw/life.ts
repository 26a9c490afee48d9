import type { RawListRow, Timestamp } from '../api/answers.ts'

/** What a raw report is, as far as its timestamps and its label tell (specification: states and transitions; field notes: raw reports). */
export const rawStates = ['in-progress', 'ready', 'failed', 'timed-out', 'cancelled', 'unknown'] as const
export type RawState = (typeof rawStates)[number]

/** A state, since when where that is known, and its words: ours, or the service's own label where we know none. */
export type RawLife = { readonly state: RawState; readonly at: Timestamp; readonly words: string }

type ReportRow = Pick<RawListRow, 'created' | 'failed' | 'timed_out' | 'cancelled' | 'requested' | 'status'>

export const stateWords: Readonly<Record<Exclude<RawState, 'unknown'>, string>> = {
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
  for (const [state, at] of endings) if (at !== null) return { state, at, words: stateWords[state] }
  const folded = row.status.toLowerCase().replaceAll(/[^a-z]/g, '')
  const state = Object.hasOwn(labels, folded) ? labels[folded] : undefined
  if (state) return { state, at: state === 'in-progress' ? row.requested : null, words: stateWords[state] }
  // A label alone that nobody knows ends nothing: it is shown as it came.
  return { state: 'unknown', at: null, words: row.status || 'Unknown' }
}

/** Whether a report may still become another one by itself. */
export const isRunning = (state: RawState): boolean => state === 'in-progress' || state === 'unknown'
