import type { Formats } from './formats.ts'
import type { Connection } from '../accounts/account.ts'
import type { SyncState } from '../views/saved-views.ts'
import { failureWords } from './failures.ts'

/** Whether the service can be reached, in a few words for the tray. @param account its name; null where there is none */
export function connectionWords({ kind: state }: Connection, account: string | null): string {
  if (account === null) return 'No account yet'
  switch (state) {
    case 'unknown':
      return `Account ${account}`
    case 'online':
      return `Connected to ${account}`
    case 'offline':
      return `Offline: ${account} cannot be reached`
    case 'refused':
      return `Token refused by ${account}`
    case 'no-token':
      return `No token for ${account}`
    case 'proxy-sign-in':
      return 'Waiting: the proxy asks for a name and password'
  }
}

const time = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' })

/** How it stands with keeping pinned views up to date, in one line for the tray; null where there is nothing to say. */
export function keepingWords({ syncing, syncedAt, trouble }: SyncState): string | null {
  if (syncing) return `Syncing ${syncing.view}`
  if (trouble) return `Not synced: ${trouble.view}`
  return syncedAt === null ? null : `Synced at ${time.format(syncedAt)}`
}

/** How it stands with keeping pinned views up to date, in one line; null where there is nothing to say. */
export function syncWords(
  { syncing, syncedAt, trouble }: SyncState,
  now: number,
  { count, moment }: Formats,
): string | null {
  if (syncing) {
    const days = syncing.of === 1 ? 'day' : 'days'
    return `Syncing ${count(syncing.done)} of ${count(syncing.of)} ${days} · ${syncing.view}`
  }
  if (trouble) return troubleWords(trouble)
  return syncedAt === null ? null : `Synced at ${moment(syncedAt, now)}`
}

export const troubleWords = ({ view, failure }: NonNullable<SyncState['trouble']>): string =>
  `${view} is not synced: ${failureWords[failure.kind].title}`
