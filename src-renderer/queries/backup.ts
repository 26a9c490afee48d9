import type { BackupFacts } from '#shared/app/storage.ts'
import type { Outcome } from '#shared/api/failure.ts'
import { isOver } from '#shared/app/jobs.ts'
import type { Job } from '#shared/app/jobs.ts'
import { backUpWords } from '#shared/texts/settings.ts'
import type { WindowApp } from '#renderer/stores/app.ts'
import { changing } from './answers.ts'
import type { Asking } from './answers.ts'
import { jobList, onJob } from './jobs.ts'

/** The running or last backup job; undefined if there is none. Restoring a backup does not count. */
export const savedBackup = (jobs: readonly Job[] | undefined): Job | undefined =>
  jobs?.findLast(({ kind, subject }) => kind === 'backup' && subject !== 'restore')

/**
 * Saves a backup, with or without saved figures, and shows a message. A failure is shown only if `isSeen` is false. Does
 * nothing while a backup runs.
 */
export async function saveBackup(
  { bridge, queries, messages }: Asking & Pick<WindowApp, 'messages'>,
  figures: boolean,
  isSeen: () => boolean,
): Promise<void> {
  const before = savedBackup(queries.getQueryData(jobList(bridge).queryKey))
  if (before && !isOver(before.state)) return
  const outcome = await bridge.call('desk/back-up', { figures })
  const failed = outcome.ok || outcome.failure.kind === 'cancelled' ? null : outcome.failure
  if (outcome.ok) messages.show(backUpWords(outcome.value))
  else if (failed && !isSeen()) messages.show(`The backup was not saved. ${failed.message}`)
}

/** Cancels the running backup or restore. */
export function cancelBackup({ bridge, queries }: Asking): void {
  for (const { id, kind, state } of queries.getQueryData(jobList(bridge).queryKey) ?? [])
    if (kind === 'backup' && !isOver(state)) onJob({ bridge }, 'jobs/cancel', id)
}

/** Lets the user choose a backup, and reads its contents; null if the user cancels. */
export const chooseBackup = ({ bridge }: Pick<Asking, 'bridge'>): Promise<Outcome<BackupFacts | null>> =>
  bridge.call('desk/choose-backup')

export const dropBackup = ({ bridge }: Pick<Asking, 'bridge'>) => void bridge.call('desk/drop-backup')

/** Replaces the current data by the chosen backup. Returns the failure, or null. */
export const restoreBackup = changing('desk/restore-backup')
