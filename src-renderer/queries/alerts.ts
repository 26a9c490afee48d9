import { keepPreviousData, queryOptions } from '@tanstack/svelte-query'
import type { CallArgument, DeskBridge } from '#shared/bridge/calls.ts'
import type { Day } from '#shared/values/day.ts'
import type { AccountId, Instant } from '#shared/values/ids.ts'
import type { Alert, AlertEntry, FindingId } from '#shared/watch/alerts.ts'
import type { WindowApp } from '../stores/app.ts'
import { answerOf, changing, changingQuery, eachOpening, readingOf, thenRead } from './answers.ts'

/** All alerts of an account, with what they have judged. */
export const alertList = (bridge: DeskBridge, account: AccountId) =>
  readingOf(bridge, ['alerts', account], 'alerts/list', { account })

/**
 * Findings of all accounts that stand or are new, those with one of the ids, and the newest others. The previous list stays
 * until the next arrives.
 */
export const findingList = (bridge: DeskBridge, others: number, ids: readonly FindingId[]) => ({
  ...readingOf(bridge, ['findings', 'list', others, ids], 'findings/list', { others, ids: [...ids] }),
  placeholderData: keepPreviousData,
})

/** Findings of an account that stand, or ended on or after a day. Those of the previous day stay until these arrive. */
export const findingsSince = (bridge: DeskBridge, account: AccountId, day: Day) => ({
  ...readingOf(bridge, ['findings', 'since', account, day], 'findings/since', { account, day }),
  placeholderData: keepPreviousData,
})

/** How many findings are new, without reading them. */
export const freshFindings = (bridge: DeskBridge) =>
  readingOf(bridge, ['findings', 'fresh'], 'findings/fresh')

/** Mutes of an account. */
export const muteList = (bridge: DeskBridge, account: AccountId) =>
  readingOf(bridge, ['mutes', account], 'mutes/list', { account })

/** Notes a look at Today, and reads when the look before it was. Once an opening. */
export const todayLook = (bridge: DeskBridge) => ({
  ...eachOpening(bridge, ['today-look'], 'today/look'),
  ...{ staleTime: Infinity, retry: false },
})

/** Yesterday of all accounts. @param since the last look at Today; null if there was none */
export const todayFigures = (bridge: DeskBridge, since: Instant | null) => ({
  ...readingOf(bridge, ['today', since], 'today/read', { since }),
  // At midnight, yesterday is another day.
  ...{ staleTime: 0, refetchInterval: 5 * 60_000 },
})

/**
 * What an alert would have told, judged once an opening. The previous preview stays until the next arrives. One that nobody
 * waits for is cancelled.
 * @param rule code of the rule set of the band; by default, the one broken most
 */
export const alertPreview = (bridge: DeskBridge, account: AccountId, entry: AlertEntry, rule?: string) => {
  const asked = { account, entry, ...(rule !== undefined && { rule }) }
  const key = `preview ${JSON.stringify([entry, rule])}`
  return queryOptions({
    queryKey: ['alert-preview', account, entry, rule],
    queryFn: ({ signal }) => {
      signal.addEventListener('abort', () => void bridge.call('reports/cancel', { account, key }))
      return answerOf(bridge.call('alerts/preview', { ...asked, key }))
    },
    gcTime: 0,
    placeholderData: keepPreviousData,
  })
}

const listOf = (bridge: DeskBridge, { account }: { readonly account: AccountId }) =>
  alertList(bridge, account)

export const addAlert = changingQuery('alerts/add', listOf)

export const changeAlert = changingQuery('alerts/change', listOf)

export const markSeen = changing('findings/see')

export const dismissFinding = changing('findings/dismiss')

export const addMute = changing('mutes/add')

export const removeMute = changing('mutes/remove')

type Telling = Pick<WindowApp, 'bridge' | 'queries' | 'messages'>

/** Removes an alert. The message of success has an Undo, which adds the alert again. */
export async function removeAlert(
  { bridge, queries, messages }: Telling,
  account: AccountId,
  { id }: Pick<Alert, 'id'>,
): Promise<void> {
  const call = bridge.call('alerts/remove', { account, id })
  const removed = await thenRead(queries, alertList(bridge, account), call)
  if (!removed.ok) return messages.show(removed.failure.message)
  // With its id, what it found before is not told again.
  const { id: again, createdAt: _, ...entry } = removed.value
  const undo = async () => {
    const failure = await addAlert({ bridge, queries }, {
      ...{ account, entry, id: again },
    } satisfies CallArgument<'alerts/add'>)
    if (failure) messages.show(failure.message)
  }
  messages.show('Alert removed.', { words: 'Undo', run: () => void undo() })
}
