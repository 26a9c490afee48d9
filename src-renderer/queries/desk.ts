import type { ProxyOrigin } from '#shared/accounts/account.ts'
import type { Failure, Outcome } from '#shared/api/failure.ts'
import type { Notice } from '#shared/app/state.ts'
import type { DeskBridge } from '#shared/bridge/calls.ts'
import { failureOf, taken, readingOf, eachOpening } from './answers.ts'
import type { Asking } from './answers.ts'

/** Accounts, connection and notices. Events carry the changes (events.ts). */
export const deskState = (bridge: DeskBridge) => readingOf(bridge, ['desk'], 'desk/state')

export function dismissNotice({ bridge, queries }: Asking, { id }: Notice): void {
  queries.setQueryData(
    deskState(bridge).queryKey,
    (state) => state && { ...state, notices: state.notices.filter((notice) => notice.id !== id) },
  )
  void bridge.call('desk/dismiss-notice', { id })
}

/** Version of the app, and contents of a problem report. Read on every mount. */
export const aboutApp = (bridge: DeskBridge) => eachOpening(bridge, ['about'], 'desk/about')

/** Licences of third-party software. */
export const licences = (bridge: DeskBridge) => readingOf(bridge, ['licences'], 'desk/notices')

/** Saves a problem report or the list of parts in the downloads folder. */
export const saveAbout = (
  { bridge }: Asking,
  what: 'desk/save-problem-report' | 'desk/save-parts-list',
): Promise<Outcome<{ readonly file: string }>> => bridge.call(what)

/** State of updates. `updates/changed` carries the changes (events.ts). */
export const updatesOf = (bridge: DeskBridge) => eachOpening(bridge, ['updates'], 'updates/read')

/** Checks for a newer version. Returns the failure if the check cannot start, or null. */
export const checkForUpdates = ({ bridge, queries }: Asking) =>
  taken(queries, updatesOf(bridge), bridge.call('updates/check'))

export const lookDaily = ({ bridge, queries }: Asking, on: boolean) =>
  taken(queries, updatesOf(bridge), bridge.call('updates/daily', { on }))

/** Known proxies. */
export const proxyList = (bridge: DeskBridge) => eachOpening(bridge, ['proxies'], 'proxies/list')

/** Deletes the credentials of a proxy. */
export async function forgetProxy({ bridge, queries }: Asking, proxy: ProxyOrigin): Promise<Failure | null> {
  const failure = await failureOf(bridge.call('proxies/forget', { proxy }))
  await queries.invalidateQueries(proxyList(bridge))
  return failure
}
