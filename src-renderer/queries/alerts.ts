import { keepPreviousData } from '@tanstack/svelte-query'
import type { CallArgument, DeskBridge } from '#shared/bridge/calls.ts'
import type { AccountId } from '#shared/values/ids.ts'
import type { Alert, AlertEntry } from '#shared/watch/alerts.ts'
import type { WindowApp } from '../stores/app.ts'
import { changing, readingOf } from './answers.ts'

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
export const todayFigures = (bridge: DeskBridge) => readingOf(bridge, ['today'], 'today/read')

/** What an alert would have told. The previous preview stays until the next arrives. */
export const alertPreview = (bridge: DeskBridge, account: AccountId, entry: AlertEntry) => ({
  ...readingOf(bridge, ['alerts', account, 'preview', entry], 'alerts/preview', { account, entry }),
  placeholderData: keepPreviousData,
})

export const addAlert = changing('alerts/add')

export const changeAlert = changing('alerts/change')

export const markSeen = changing('findings/see')

export const dismissFinding = changing('findings/dismiss')

export const addMute = changing('mutes/add')

export const removeMute = changing('mutes/remove')

type Telling = Pick<WindowApp, 'bridge' | 'messages'>

/** Removes an alert. The message of success has an Undo, which adds the alert again. */
export async function removeAlert(
  { bridge, messages }: Telling,
  account: AccountId,
  { id }: Pick<Alert, 'id'>,
): Promise<void> {
  const removed = await bridge.call('alerts/remove', { account, id })
  if (!removed.ok) return messages.show(removed.failure.message)
  const { id: _id, createdAt: _createdAt, ...entry } = removed.value
  const undo = async () => {
    const failure = await addAlert({ bridge }, { account, entry } satisfies CallArgument<'alerts/add'>)
    if (failure) messages.show(failure.message)
  }
  messages.show('Alert removed.', { words: 'Undo', run: () => void undo() })
}
