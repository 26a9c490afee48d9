import type { Connection } from '../../src-shared/accounts/account.ts'

/** Whether figures are fresh, in a few words for the tray. @param account its name; null where there is none */
export function syncWords({ state }: Connection, account: string | null): string {
  if (account === null) return 'No account yet'
  switch (state) {
    case 'unknown':
    case 'online':
      return `Connected to ${account}`
    case 'offline':
      return `Offline: ${account} cannot be reached`
    case 'refused':
      return `${account} refuses the token`
    case 'no-token':
      return `${account} has no token`
  }
}
