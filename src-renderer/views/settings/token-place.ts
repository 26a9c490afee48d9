import type { Account, Connection, TokenPlace } from '../../../src-shared/accounts/account.ts'

const gone = 'Not there any more: it has to be entered again'

const places: Readonly<Record<TokenPlace, string>> = {
  keychain: "In this computer's keychain",
  session: 'In memory, until Traffic Desk ends',
  absent: gone,
}

/** Where an account's token is, in words. What the active account's connection says is newer than what was looked up. */
export function tokenWords(account: Account, connection: Connection | null): string {
  if (account.kind === 'sample') return 'Comes with the sample data'
  if (connection?.state === 'no-token') return gone
  return account.tokenPlace
    ? places[account.tokenPlace]
    : "In this computer's keychain, unless it was kept for one session only"
}
