import type { Failure } from '#shared/api/failure.ts'
import type { CallName, CallOutcome, DeskBridge } from '#shared/bridge/calls.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { taken, readingOf } from './answers.ts'
import type { Asking } from './answers.ts'

type Change = Extract<CallName, 'publishing/choose-folder' | 'publishing/start' | 'publishing/stop'>

/** Published history of an account. `publishing/changed` carries the changes (events.ts). */
export const publicationOf = (bridge: DeskBridge, account: AccountId) =>
  readingOf(bridge, ['publishing', account], 'publishing/read', { account })

/** Changes the publishing of an account. Returns the failure, or null. */
export const changePublication = (
  { bridge, queries }: Asking,
  name: Change,
  account: AccountId,
): Promise<Failure | null> => {
  const called: Promise<CallOutcome<Change>> = bridge.call(name, { account })
  return taken(queries, publicationOf(bridge, account), called)
}
