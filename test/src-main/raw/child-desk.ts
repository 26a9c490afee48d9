import type { Accounts } from '#main/accounts/accounts.ts'
import { createServiceClient } from '#main/api/client.ts'
import type { ClientOptions } from '#main/api/client.ts'
import { AccessToken } from '#main/api/token.ts'
import { openStore } from '#main/database/open-store.ts'
import { noWindows } from '#shared/accounts/account.ts'
import type { Account } from '#shared/accounts/account.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { fake } from '#test/helpers/fake.ts'
import { appThread } from '#test/helpers/app-threads.ts'

type Given = { readonly folder: string; readonly address: string; readonly token: string }

/** What raw reports stand on in a process of its own, to be killed: a store with its thread, and one account. */
export async function childDesk({ folder, address, token }: Given, timeouts: ClientOptions['timeouts'] = {}) {
  const account: Account = {
    ...{ id: '11111111-1111-4111-8111-111111111111' as AccountId, name: 'Acme', kind: 'service' },
    ...{ address, bodyEncoding: 'json', dayZone: 'UTC', windows: noWindows, firstColumn: null },
  }
  const worker = appThread('store')
  const store = openStore({ folder, worker })
  const client = createServiceClient({
    address,
    token: () => Promise.resolve(new AccessToken(token, address)),
    bodyEncoding: 'json',
    timeouts,
  })
  await store.run('accounts/put', account)
  const accounts = fake<Accounts>('accounts', {
    account: () => account,
    list: () => [account],
    clientFor: async () => client,
  })
  return { account, store, accounts }
}
