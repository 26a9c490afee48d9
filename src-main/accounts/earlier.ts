import type { EarlierAccount, LiveAccount } from '#shared/accounts/account.ts'
import { deskFailure, invalid } from '#shared/api/failure.ts'
import type { AccountId, Instant, DataScopeId } from '#shared/values/ids.ts'
import type { DataScope } from './data-scopes.ts'

/** Failure of requests for earlier figures. */
export const neverRenewed = () =>
  deskFailure(
    'no-token',
    'These figures were saved with an earlier access. They can be read, but are no longer updated.',
  )

/** Failure of account operations on earlier figures. */
export const onlyRead = () => invalid('These saved figures can only be read or removed.', 'account')

/**
 * Account id of earlier figures: the data scope's id with the UUID version replaced. The first data scope shares its id
 * with the account, so its own id cannot be used.
 */
export const entryId = (dataScope: DataScopeId): AccountId =>
  `${dataScope.slice(0, 14)}8${dataScope.slice(15)}` as string as AccountId

/** Presents a former data scope as an account. */
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

/** Presents former data scopes as accounts. Equal names of one day are distinguished by the time. */
export function earlierAccounts(
  dataScopes: readonly (DataScope & { readonly until: Instant })[],
  accounts: readonly LiveAccount[],
): readonly { readonly dataScope: DataScopeId; readonly entry: EarlierAccount }[] {
  const found = dataScopes.flatMap((dataScope) => {
    const account = accounts.find(({ id }) => id === dataScope.account)
    return account ? [{ dataScope, account, entry: earlierAccount(dataScope, account) }] : []
  })
  const names = found.map(({ entry }) => entry.name)
  return found.map(({ dataScope, account, entry }) => {
    const isAlone = names.filter((name) => name === entry.name).length === 1
    const name = isAlone
      ? entry.name
      : nameOf(account, dataScope.until, dataScope.scope?.instances ?? null, true)
    return { dataScope: dataScope.id, entry: { ...entry, name } }
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
