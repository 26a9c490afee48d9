import type { LiveAccount, Connection, TokenPlace, WindowName } from '#shared/accounts/account.ts'

const gone = 'Not there any more: it has to be entered again'

const places: Readonly<Record<TokenPlace, string>> = {
  keychain: "In this computer's keychain",
  session: 'In memory, until Traffic Desk ends',
  absent: gone,
  elsewhere: 'Belongs to another service than this address: the one for it has to be entered',
}

/** Where an account's token is, in words. What the active account's connection says is newer than what was looked up. */
export function tokenWords(account: LiveAccount, connection: Connection | null): string {
  if (account.kind === 'sample') return 'Comes with the sample data'
  if (connection?.kind === 'no-token' && account.tokenPlace !== 'elsewhere') return gone
  return account.tokenPlace
    ? places[account.tokenPlace]
    : "In this computer's keychain, unless it was kept for one session only"
}

/** What each limit is about. */
export const windowWords: Readonly<Record<WindowName, string>> = {
  tables: 'Tables',
  overview: 'Overview',
  lookups: 'Sources and campaigns',
}

export const windowNames = Object.keys(windowWords) as readonly WindowName[]

/** The longest ranges that an account's service answers, as far as is known. */
export function windowsInWords({ windows }: LiveAccount): string {
  const known = windowNames.filter((name) => windows[name] !== null)
  if (known.length === 0) return 'No limit known'
  return known.map((name) => `${windowWords[name]}: ${windows[name]} days`).join(' · ')
}
