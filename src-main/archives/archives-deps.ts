import type { AccountStore } from '#main/accounts/account-store.ts'
import type { Store as CacheStore } from '#main/database/cache/cache-store.ts'
import type { Store as StateStore } from '#main/database/state/state-store.ts'
import type { Exports } from '#main/exports/exports.ts'
import type { AppEvents } from '#main/lib/app-events.ts'
import type { Clock } from '#main/lib/async.ts'
import type { Jobs } from '#main/lib/jobs.ts'
import type { SystemShell } from '#main/lib/system-shell.ts'
import type { SlowFolderGuard } from '#main/lib/slow-folder-guard.ts'
import type { Downloads } from '#main/raw/downloads/downloads.ts'
import type { RawReports } from '#main/raw/polling/raw-reports.ts'
import type { Reports } from '#main/reports/figures.ts'
import type { Settings } from '#main/settings/settings.ts'
import type { Line } from '#main/workers/rpc.ts'

/** What archives stand on: the modules below them, and what differs from machine to machine. */
export type ArchivesDeps = {
  readonly store: Pick<CacheStore, 'run'>
  /** What cannot be asked for again: what recounts came to. */
  readonly state: Pick<StateStore, 'run'>
  readonly accounts: Pick<AccountStore, 'account' | 'list' | 'dataScopeOf'>
  readonly raw: {
    readonly downloads: Pick<Downloads, 'saved'>
    readonly reports: Pick<RawReports, 'known' | 'report'>
  }
  readonly reports: Pick<Reports, 'trend'>
  readonly exports: Pick<Exports, 'run'>
  readonly jobs: Jobs
  readonly settings: Pick<Settings, 'read'>
  readonly shell: Pick<SystemShell, 'chooseTables'>
  readonly events: AppEvents
  readonly clock: Clock
  /** The profile folder. */
  readonly folder: string
  /** How folders of archives are looked at: the whole process's way, unless another is given. */
  readonly looks?: SlowFolderGuard
  /** Begins the rows' process (src-main/engine-process.ts), given where rows lie, and the folder for what does not fit into memory. */
  readonly openRows: (folders: readonly [rows: string, temporary: string]) => Line
}
