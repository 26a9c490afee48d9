import type { Failure } from '#shared/api/failure.ts'
import type { Job, JobId } from '#shared/app/jobs.ts'
import type { DeskBridge } from '#shared/bridge/calls.ts'
import { failureOf, readingOf, changing } from './answers.ts'
import type { Asking } from './answers.ts'

/** Running and ended background jobs, the newest last. `jobs/changed` carries the changes (events.ts). */
export const jobList = (bridge: DeskBridge) => readingOf(bridge, ['jobs'], 'jobs/list')

/** Applies a change of a job, which stays in its place. */
export const withJob = (list: readonly Job[], changed: Job): readonly Job[] =>
  list.some(({ id }) => id === changed.id)
    ? list.map((known) => (known.id === changed.id ? changed : known))
    : [...list, changed]

/** Cancels, pauses or resumes a job; marks an ended job as seen, or dismisses it. */
export const onJob = (
  { bridge }: Pick<Asking, 'bridge'>,
  name: 'jobs/cancel' | 'jobs/pause' | 'jobs/resume' | 'jobs/seen' | 'jobs/dismiss',
  id: JobId,
): void => void bridge.call(name, { id })

/** Starts an export. Returns the failure if it cannot start, or null. */
export const beginExport = changing('exports/start')

/** Opens the file of an export, or shows it in its folder. Returns the failure, or null. */
export const onExport = (
  { bridge }: Pick<Asking, 'bridge'>,
  name: 'exports/show' | 'exports/open',
  id: JobId,
): Promise<Failure | null> => failureOf(bridge.call(name, { id }))
