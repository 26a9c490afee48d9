import type { Store } from '#main/database/open-store.ts'
import type { LiveAccount } from '#shared/accounts/account.ts'
import { noWindows } from '#shared/accounts/account.ts'
import type { AccountId, DataScopeId } from '#shared/values/ids.ts'

const accountWith = (dataScope: DataScopeId): LiveAccount => ({
  ...{
    id: dataScope as string as AccountId,
    name: dataScope,
    kind: 'service',
    address: 'https://reports.example',
  },
  ...{ bodyEncoding: 'json', dayZone: 'UTC', windows: noWindows, firstColumn: null },
})

/** A store that knows these data scopes, each that of an account: figures of others are refused. */
export function withDataScopes(store: Store, ...dataScopes: readonly DataScopeId[]): Store {
  for (const dataScope of dataScopes) store.run('accounts/put', accountWith(dataScope)).catch(() => undefined)
  return store
}
