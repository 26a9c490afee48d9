import type { DeskSettings } from '#shared/app/settings.ts'
import type { Finding } from '#shared/watch/alerts.ts'
import type { Accounts } from '#main/accounts/accounts.ts'
import type { StateStore } from '#main/database/state/state-store.ts'
import type { AppEvents } from '#main/lib/app-events.ts'
import type { Clock } from '#main/lib/async.ts'

/** Services that alerts and findings need. */
export type FindingsContext = {
  readonly store: StateStore
  readonly accounts: Accounts
  readonly settings: { readonly read: () => Promise<DeskSettings> }
  readonly events: AppEvents
  readonly clock: Clock
  /** The profile folder. */
  readonly folder: string
  readonly news: { readonly announceFindings: AnnounceFindings }
}

/**
 * Shows findings in one notification. Resolves once the desktop has shown it. Rejects otherwise, and they are shown again later.
 * @param handing must be called synchronously before the desktop call
 */
type AnnounceFindings = (findings: readonly Finding[], handing: () => void) => Promise<void>
