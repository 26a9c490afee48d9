import type { EarlierAccount, LiveAccount } from '#shared/accounts/account.ts'
import { deskFailure, invalid } from '#shared/api/failure.ts'
import type { AccountId, Instant, DataScopeId } from '#shared/values/ids.ts'
import type { DataScope } from './data-scopes.ts'

/** Why nothing is asked for earlier figures. */
export const neverRenewed = () =>
  deskFailure(
    'no-token',
    'These figures were saved with an earlier access. They can be read, but are no longer updated.',
  )

/** Why what is offered for accounts is not offered for earlier figures. */
export const onlyRead = () => invalid('These saved figures can only be read or removed.', 'account')

/**
 * The id under which earlier figures are chosen like an account: their data scope's, but for the digit that tells the version
 * of a UUID. The first data scope has the id of its account, which goes on under that id.
 */
export const entryId = (owner: DataScopeId): AccountId =>
  `${owner.slice(0, 14)}8${owner.slice(15)}` as string as AccountId

/** An earlier data scope in the form in which accounts are shown. */
function earlierAccount(
  { id, scope, until }: DataScope & { readonly until: Instant },
  account: LiveAccount,
): EarlierAccount {
  return {
    ...account,
    id: entryId(id),
    kind: 'earlier',
    account: account.id,
    name: nameOf(account, until, scope?.instances ?? null, false),
    address: scope?.origin.startsWith('http') ? scope.origin : account.address,
  }
}

/** Entries of one day that would be called alike are told apart by the time. */
export function earlierAccounts(
  owners: readonly (DataScope & { readonly until: Instant })[],
  accounts: readonly LiveAccount[],
): readonly { readonly owner: DataScopeId; readonly entry: EarlierAccount }[] {
  const found = owners.flatMap((owner) => {
    const account = accounts.find(({ id }) => id === owner.account)
    return account ? [{ owner, account, entry: earlierAccount(owner, account) }] : []
  })
  const names = found.map(({ entry }) => entry.name)
  return found.map(({ owner, account, entry }) => {
    const isAlone = names.filter((name) => name === entry.name).length === 1
    const name = isAlone ? entry.name : nameOf(account, owner.until, owner.scope?.instances ?? null, true)
    return { owner: owner.id, entry: { ...entry, name } }
  })
}

function nameOf(
  { name, dayZone }: LiveAccount,
  until: Instant,
  instances: number | null,
  timed: boolean,
): string {
  const day = new Intl.DateTimeFormat('en-GB', {
    ...{ day: 'numeric', month: 'short', year: 'numeric', timeZone: dayZone },
    ...(timed && { hour: '2-digit', minute: '2-digit', second: '2-digit' }),
  }).format(until)
  return instances === null
    ? `${name}, until ${day}`
    : `${name}, until ${day} (${instancesInWords(instances)})`
}

export const instancesInWords = (count: number): string =>
  `${count.toLocaleString('en')} ${count === 1 ? 'instance' : 'instances'}`
