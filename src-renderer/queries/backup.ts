import type { BackupFacts } from '#shared/app/storage.ts'
import type { Outcome } from '#shared/api/failure.ts'
import { isOver } from '#shared/app/jobs.ts'
import type { Job } from '#shared/app/jobs.ts'
import { backUpWords } from '#shared/texts/settings.ts'
import type { App } from '#renderer/stores/app.ts'
import { changing } from './answers.ts'
import type { Asking } from './answers.ts'
import { jobList, onJob } from './jobs.ts'

/** The backup that is being saved or was last; undefined where none was. One that is read in is none. */
export const savedBackup = (jobs: readonly Job[] | undefined): Job | undefined =>
  jobs?.findLast(({ kind, subject }) => kind === 'backup' && subject !== 'restore')

/** Saves one, with the saved figures or without, and says where; what is wrong, too, where nobody sees that. One at a time. */
export async function saveBackup(
  { bridge, queries, messages }: Asking & Pick<App, 'messages'>,
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

/** Gives up saving a backup, or reading in one that was chosen, and what waits for that. */
export function cancelBackup({ bridge, queries }: Asking): void {
  for (const { id, kind, state } of queries.getQueryData(jobList(bridge).queryKey) ?? [])
    if (kind === 'backup' && !isOver(state)) onJob({ bridge }, 'jobs/cancel', id)
}

/** Lets the person choose a backup, and reads what it holds; null where they thought better of it. */
export const chooseBackup = ({ bridge }: Pick<Asking, 'bridge'>): Promise<Outcome<BackupFacts | null>> =>
  bridge.call('desk/choose-backup')

export const dropBackup = ({ bridge }: Pick<Asking, 'bridge'>) => void bridge.call('desk/drop-backup')

/** Puts the chosen backup in the place of what is here; answers why it could not. */
export const restoreBackup = changing('desk/restore-backup')
