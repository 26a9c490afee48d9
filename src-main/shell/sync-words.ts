import type { Connection } from '#shared/accounts/account.ts'
import type { SyncState } from '#shared/views/keeping.ts'
import type { Failure, FailureKind } from '#shared/api/failure.ts'

/** Whether the service can be reached, in a few words for the tray. @param account its name; null where there is none */
export function syncWords({ kind: state }: Connection, account: string | null): string {
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

const told: Readonly<Partial<Record<FailureKind, Connection>>> = {
  offline: { kind: 'offline' },
  'refused-token': { kind: 'refused' },
  'no-token': { kind: 'no-token' },
  'no-keychain': { kind: 'no-token' },
  'proxy-sign-in': { kind: 'proxy-sign-in' },
}

/**
 * What asking the service told of it.
 * @param failure why it did not answer; null where it did, undefined where it was not asked
 * @returns undefined where that tells nothing
 */
export function connectionAfter(failure: Failure | null | undefined): Connection | undefined {
  if (failure === null) return { kind: 'online' }
  return failure && told[failure.kind]
}
