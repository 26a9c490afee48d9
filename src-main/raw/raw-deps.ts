import type { News } from '#shared/raw/settings.ts'
import type { AccountStore } from '#main/accounts/account-store.ts'
import type { Store } from '#main/database/state/state-store.ts'
import type { AppEvents } from '#main/lib/app-events.ts'
import type { Clock } from '#main/lib/async.ts'
import type { SystemShell } from '#main/lib/system-shell.ts'
import type { SlowFolderGuard } from '#main/lib/slow-folder-guard.ts'
import type { Settings } from '#main/settings/settings.ts'
import type { FetchOptions } from './downloads/fetching.ts'

/** What raw reports stand on: the modules below them, and what differs from machine to machine. */
export type RawDeps = {
  readonly store: Store
  readonly accounts: Pick<AccountStore, 'account' | 'list' | 'clientFor'>
  readonly settings: Pick<Settings, 'read' | 'downloadFolder'>
  readonly events: AppEvents
  readonly clock: Clock
  readonly shell: Pick<SystemShell, 'chooseFolder' | 'showFile' | 'openFile'>
  /** How addresses outside are reached. */
  readonly network: FetchOptions
  /** The file of the thread that fetches, tests and unpacks archives (downloads/archive-worker.ts). */
  readonly archiveWorker: string | URL
  /** The profile folder. */
  readonly folder: string
  /**
   * Shows news; resolves once the desktop has it, and rejects where it cannot be shown: then it is offered again.
   * @param handing to be called directly before it is handed to the desktop, with nothing waited for between: it
   * writes down that it is shown, so that an app that is killed neither repeats nor forgets it
   */
  readonly announce: (news: News, handing: () => void) => Promise<void>
  /** How folders are looked at: the whole process's way, unless another is given. */
  readonly looks?: SlowFolderGuard
  /** 0 to 1, for jitter. */
  readonly random?: () => number
}
