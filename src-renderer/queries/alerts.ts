import { keepPreviousData } from '@tanstack/svelte-query'
import type { CallArgument, DeskBridge } from '#shared/bridge/calls.ts'
import type { AccountId } from '#shared/values/ids.ts'
import type { Alert, AlertEntry } from '#shared/watch/alerts.ts'
import type { WindowApp } from '../stores/app.ts'
import { changing, changingQuery, eachOpening, readingOf, thenRead } from './answers.ts'

/** All alerts of an account, with what they have judged. */
export const alertList = (bridge: DeskBridge, account: AccountId) =>
  readingOf(bridge, ['alerts', account], 'alerts/list', { account })

/** Findings of all accounts, the newest first. */
export const findingList = (bridge: DeskBridge) =>
  readingOf(bridge, ['findings'], 'findings/list', { account: null })

/** Mutes of an account. */
export const muteList = (bridge: DeskBridge, account: AccountId) =>
  readingOf(bridge, ['mutes', account], 'mutes/list', { account })

/** Yesterday of all accounts. */
export const todayFigures = (bridge: DeskBridge) => ({
  ...readingOf(bridge, ['today'], 'today/read'),
  // At midnight, yesterday is another day.
  ...{ staleTime: 0, refetchInterval: 5 * 60_000 },
})

/**
 * What an alert would have told, judged once an opening. The previous preview stays until the next arrives.
 * @param rule code of the rule set of the band; by default, the one broken most
 */
export const alertPreview = (bridge: DeskBridge, account: AccountId, entry: AlertEntry, rule?: string) => ({
  ...eachOpening(bridge, ['alert-preview', account, entry, rule], 'alerts/preview', {
    ...{ account, entry },
    ...(rule !== undefined && { rule }),
  }),
  placeholderData: keepPreviousData,
})

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
