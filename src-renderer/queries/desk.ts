import type { ProxyOrigin } from '#shared/accounts/account.ts'
import type { Failure, Outcome } from '#shared/api/failure.ts'
import type { Notice, UpdateStep } from '#shared/app/state.ts'
import type { DeskBridge } from '#shared/bridge/calls.ts'
import { failureOf, taken, readingOf, eachOpening } from './answers.ts'
import type { Asking } from './answers.ts'

/** Accounts, whether the service can be reached, notices. Events bring what changes of it (events.ts). */
export const deskState = (bridge: DeskBridge) => readingOf(bridge, ['desk'], 'desk/state')

export function dismissNotice({ bridge, queries }: Asking, { id }: Notice): void {
  queries.setQueryData(
    deskState(bridge).queryKey,
    (state) => state && { ...state, notices: state.notices.filter((notice) => notice.id !== id) },
  )
  void bridge.call('desk/dismiss-notice', { id })
}

/** Which app this is, and what a problem report holds now: read with each opening. */
export const aboutApp = (bridge: DeskBridge) => eachOpening(bridge, ['about'], 'desk/about')

/** The licences of what the app is built with. */
export const licences = (bridge: DeskBridge) => readingOf(bridge, ['licences'], 'desk/notices')

export const copyReport = ({ bridge }: Asking, text: string): Promise<Failure | null> =>
  failureOf(bridge.call('desk/copy', { text }))

/** Saves a problem report, or the list of parts, in the downloads. */
export const saveAbout = (
  { bridge }: Asking,
  what: 'desk/save-problem-report' | 'desk/save-parts-list',
): Promise<Outcome<{ readonly file: string }>> => bridge.call(what)

/** How it stands with updates. `updates/changed` brings it anew (events.ts). */
export const updatesOf = (bridge: DeskBridge) => eachOpening(bridge, ['updates'], 'updates/read')

/** Takes a step; answers why it could not be taken at all. */
export const takeStep = ({ bridge, queries }: Asking, step: UpdateStep) =>
  taken(queries, updatesOf(bridge), bridge.call('updates/do', { step }))

export const lookDaily = ({ bridge, queries }: Asking, on: boolean) =>
  taken(queries, updatesOf(bridge), bridge.call('updates/daily', { on }))

/** The proxies that are known. */
export const proxyList = (bridge: DeskBridge) => eachOpening(bridge, ['proxies'], 'proxies/list')

/** Forgets the name and the password for a proxy. */
export async function forgetProxy({ bridge, queries }: Asking, proxy: ProxyOrigin): Promise<Failure | null> {
  const failure = await failureOf(bridge.call('proxies/forget', { proxy }))
  await queries.invalidateQueries(proxyList(bridge))
  return failure
}
