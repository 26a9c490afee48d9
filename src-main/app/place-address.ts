import type { AccountId } from '#shared/values/ids.ts'
import { plainRaw, writeAddress } from '#shared/views/address.ts'
import type { AccountStore } from '#main/accounts/account-store.ts'
import type { Place } from '#main/shell/announcing.ts'

/**
 * The address of a place, at whose account the desk is then. An account that has gone meanwhile changes nothing: its
 * place is said to be gone by the view itself.
 */
export async function addressOfPlace(
  place: Place,
  accounts: Pick<AccountStore, 'active' | 'activate'>,
): Promise<string> {
  if (place.kind === 'downloads') return writeAddress({ kind: 'downloads' })
  if (place.kind === 'about') return writeAddress({ kind: 'help', topic: 'about' })
  await turnTo(place.account, accounts)
  return writeAddress({ ...plainRaw, report: place.report })
}

async function turnTo(
  account: AccountId,
  accounts: Pick<AccountStore, 'active' | 'activate'>,
): Promise<void> {
  if (accounts.active() !== account) await accounts.activate(account).catch(() => undefined)
}
