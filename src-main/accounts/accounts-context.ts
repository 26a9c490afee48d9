import type { StateStore } from '#main/database/state/state-store.ts'
import type { AppEvents } from '#main/lib/app-events.ts'
import type { Clock } from '#main/lib/async.ts'
import type { CreateClient, StartSample } from './clients.ts'
import type { Keychain } from './keychain.ts'

/** Services that accounts need. */
export type AccountsContext = {
  readonly store: StateStore
  readonly keychain: Keychain
  readonly createClient: CreateClient
  /** Called on the first use of the sample account in a session. */
  readonly startSample: StartSample
  readonly events: AppEvents
  readonly clock: Clock
}
