import type { News } from '#shared/raw/announcements.ts'
import type { DeskSettingsRoom } from '#main/settings/settings.ts'
import type { AccountStore } from '#main/accounts/account-store.ts'
import type { Clock } from '#main/lib/async.ts'
import type { Store } from '#main/database/state/state-store.ts'
import type { Downloads } from '../downloads/downloads.ts'
import type { AppEvents } from '#main/lib/app-events.ts'

/** What the list of raw reports and its watcher are given. */
export type RawReportsParts = {
  readonly store: Store
  readonly accounts: Pick<AccountStore, 'account' | 'list' | 'clientFor'>
  readonly events: AppEvents
  readonly clock: Clock
  readonly settings: Pick<DeskSettingsRoom, 'read'>
  readonly downloads: Pick<Downloads, 'savedState' | 'reportReady'>
  /**
   * Shows news; resolves once the desktop has it, and rejects where it cannot be shown: then it is offered again.
   * @param handing to be called directly before it is handed to the desktop, with nothing waited for between: it
   * writes down that it is shown, so that an app that is killed neither repeats nor forgets it
   */
  readonly announce: (news: News, handing: () => void) => Promise<void>
  /** The profile folder. */
  readonly folder: string
  /** From 0 to 1, for the jitter of polling. */
  readonly random?: () => number
}
