import type { AccountStore } from '#main/accounts/account-store.ts'
import type { Store } from '#main/database/state/state-store.ts'
import type { AppEvents } from '#main/lib/app-events.ts'
import type { Clock } from '#main/lib/async.ts'
import type { DeskShell } from '#main/lib/desk-shell.ts'
import type { SlowFolderGuard } from '#main/lib/slow-folder-guard.ts'
import type { DeskSettingsRoom } from '#main/settings/settings.ts'
import type { FetchOptions } from './downloads/fetching.ts'

/** What raw reports stand on: the modules below them, and what differs from machine to machine. */
export type RawDeps = {
  readonly store: Store
  readonly accounts: Pick<AccountStore, 'account' | 'list' | 'clientFor'>
  readonly settings: Pick<DeskSettingsRoom, 'read' | 'downloadFolder'>
  readonly events: AppEvents
  readonly clock: Clock
  readonly shell: Pick<DeskShell, 'chooseFolder' | 'showFile' | 'openFile'>
  /** How addresses outside are reached. */
  readonly network: FetchOptions
  /** The file of the thread that fetches, tests and unpacks archives (downloads/archive-worker.ts). */
  readonly archiveWorker: string | URL
  /** How folders are looked at: the whole process's way, unless another is given. */
  readonly looks?: SlowFolderGuard
  /** 0 to 1, for jitter. */
  readonly random?: () => number
}
