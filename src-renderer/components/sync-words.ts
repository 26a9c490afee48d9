import type { SyncState } from '#shared/views/keeping.ts'
import { failureWords } from '#shared/texts/failures.ts'
import { count, moment } from './formats.ts'

/** How it stands with keeping pinned views up to date, in one line; null where there is nothing to say. */
export function syncWords({ syncing, syncedAt, trouble }: SyncState, now: number): string | null {
  if (syncing) {
    const days = syncing.of === 1 ? 'day' : 'days'
    return `Syncing ${count(syncing.done)} of ${count(syncing.of)} ${days} · ${syncing.view}`
  }
  if (trouble) return troubleWords(trouble)
  return syncedAt === null ? null : `Synced at ${moment(syncedAt, now)}`
}

export const troubleWords = ({ view, failure }: NonNullable<SyncState['trouble']>): string =>
  `${view} is not synced: ${failureWords[failure.kind].title}`
