import type { StateStore } from '#main/database/state/state-store.ts'
import type { AppEvents } from '#main/lib/app-events.ts'
import type { Clock } from '#main/lib/async.ts'
import type { Jobs } from '#main/lib/jobs.ts'
import type { SystemShell } from '#main/lib/system-shell.ts'
import type { Fetching } from './fetch.ts'
import type { PackageHere, UpdateSource } from './source.ts'

/** Services and facts that updates need. */
export type UpdatesContext = {
  /** Null: never check. */
  readonly source: UpdateSource | null
  /** The installed version and package. */
  readonly version: string
  readonly here: PackageHere
  /** Folder of packages, accessible only to its owner. */
  readonly folder: string
  readonly store: StateStore
  /** Network options. */
  readonly fetching: Fetching
  readonly shell: SystemShell
  readonly jobs: Jobs
  readonly events: AppEvents
  readonly log: (where: string, words: string, error?: unknown) => void
  readonly clock: Clock
  /** Returns 0 to 1, so that computers check at different times. */
  readonly random: () => number
}
