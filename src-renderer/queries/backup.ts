import { queryOptions, skipToken } from '@tanstack/svelte-query'
import type { BackupFacts, BackupProgress } from '#shared/app/storage.ts'
import type { Failure, Outcome } from '#shared/api/failure.ts'
import type { DeskBridge } from '#shared/bridge/calls.ts'
import { backUpWords } from '#shared/texts/settings.ts'
import type { App } from '#renderer/stores/app.ts'
import { failureOf } from './answers.ts'
import type { Asking } from './answers.ts'

/** The backup that is being saved. It goes on whichever view is open. */
export type BackupState = {
  /** Null where none is. */
  readonly saving: { readonly figures: boolean; readonly progress: BackupProgress | null } | null
  /** Why the last one failed. */
  readonly failure: Failure | null
}

const idle: BackupState = { saving: null, failure: null }

/** Nobody is asked for it: it is what this window began, and `backup/progress` says how far it is (events.ts). */
export const backupState = () =>
  queryOptions<BackupState>({ queryKey: ['backup'], queryFn: skipToken, initialData: idle, gcTime: Infinity })

/** Saves one, with the saved figures or without, and says where. One at a time. */
export async function saveBackup(
  { bridge, queries, messages }: Asking & Pick<App, 'messages'>,
  figures: boolean,
): Promise<void> {
  const { queryKey } = backupState()
  if (queries.getQueryData(queryKey)?.saving) return
  queries.setQueryData(queryKey, { saving: { figures, progress: null }, failure: null })
  const outcome = await bridge.call('desk/back-up', { figures })
  const failed = outcome.ok || outcome.failure.kind === 'cancelled' ? null : outcome.failure
  queries.setQueryData(queryKey, { saving: null, failure: failed })
  if (outcome.ok) return messages.say(backUpWords(outcome.value))
  const isSeen = queries.getQueryCache().find({ queryKey })?.getObserversCount()
  if (failed && !isSeen) messages.say(`The backup was not saved. ${failed.message}`)
}

export const cancelBackup = ({ bridge }: Pick<Asking, 'bridge'>) => void bridge.call('desk/cancel-backup')

/** Lets the person choose a backup, and reads what it holds; null where they thought better of it. */
export const chooseBackup = ({ bridge }: Pick<Asking, 'bridge'>): Promise<Outcome<BackupFacts | null>> =>
  bridge.call('desk/choose-backup')

export const dropBackup = ({ bridge }: Pick<Asking, 'bridge'>) => void bridge.call('desk/drop-backup')

/** Puts the chosen backup in the place of what is here; answers why it could not. */
export const restoreBackup = ({ bridge }: { readonly bridge: DeskBridge }): Promise<Failure | null> =>
  failureOf(bridge.call('desk/restore-backup'))
