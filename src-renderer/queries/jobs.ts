import type { Failure } from '#shared/api/failure.ts'
import type { Job, JobId } from '#shared/app/jobs.ts'
import type { DeskBridge } from '#shared/bridge/calls.ts'
import { failureOf, readingOf, changing } from './answers.ts'
import type { Asking } from './answers.ts'

/** What goes on behind the window and what has ended, the newest last. `jobs/changed` says how each goes on (events.ts). */
export const jobList = (bridge: DeskBridge) => readingOf(bridge, ['jobs'], 'jobs/list')

/** The list once one of them went on: it keeps its place. */
export const withJob = (list: readonly Job[], changed: Job): readonly Job[] =>
  list.some(({ id }) => id === changed.id)
    ? list.map((known) => (known.id === changed.id ? changed : known))
    : [...list, changed]

/** Stops, pauses or goes on with a job; one that has ended is seen, or taken off the list. */
export const onJob = (
  { bridge }: Pick<Asking, 'bridge'>,
  name: 'jobs/cancel' | 'jobs/pause' | 'jobs/resume' | 'jobs/seen' | 'jobs/dismiss',
  id: JobId,
): void => void bridge.call(name, { id })

/** Begins an export; answers why not, where it cannot even begin. */
export const beginExport = changing('exports/start')

/** Opens the file of an export, or shows it where it lies; answers why not. */
export const onExport = (
  { bridge }: Pick<Asking, 'bridge'>,
  name: 'exports/show' | 'exports/open',
  id: JobId,
): Promise<Failure | null> => failureOf(bridge.call(name, { id }))
