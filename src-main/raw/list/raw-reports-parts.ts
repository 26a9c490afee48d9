import type { News } from '#shared/raw/announcements.ts'
import type { SavedState } from '#shared/raw/listed.ts'
import type { RawSettings } from '#shared/raw/settings.ts'
import type { RawListRow } from '#shared/api/answers.ts'
import type { AccountId, RawReportId } from '#shared/values/ids.ts'
import type { AccountStore } from '#main/accounts/account-store.ts'
import type { Clock } from '#main/lib/async.ts'
import type { Store } from '#main/database/state/state-store.ts'
import type { Emitter } from '#main/lib/app-events.ts'

/** What the list of raw reports and its watcher are given. */
export type RawReportsParts = {
  readonly store: Store
  readonly accounts: Pick<AccountStore, 'account' | 'list' | 'clientFor' | 'onChange'>
  readonly events: Emitter
  readonly clock: Clock
  readonly settings: () => Promise<RawSettings>
  /** Where the files of these reports are; those that are left out are nowhere. */
  readonly saved: (
    account: AccountId,
    reports: readonly RawReportId[],
  ) => Promise<ReadonlyMap<RawReportId, SavedState>>
  /**
   * Shows news; resolves once the desktop has it, and rejects where it cannot be shown: then it is offered again.
   * @param handing to be called directly before it is handed to the desktop, with nothing waited for between: it
   * writes down that it is shown, so that an app that is killed neither repeats nor forgets it
   */
  readonly announce: (news: News, handing: () => void) => Promise<void>
  /**
   * Hears of every report that became ready, before that is announced; again, where the app ended before it was. What
   * it rejects with does not keep the report from being announced.
   */
  readonly becameReady: (
    account: AccountId,
    report: Pick<RawListRow, 'id' | 'name' | 'expires'>,
  ) => Promise<void>
  /** The profile folder. */
  readonly folder: string
  /** From 0 to 1, for the jitter of polling. */
  readonly random: () => number
}
