import type { Connection } from '../accounts/account.ts'
import type { SyncState } from '../views/keeping.ts'

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
