import { createServiceClient } from '../../../src-main/service/client.ts'
import type { ClientOptions } from '../../../src-main/service/client.ts'
import { AccessToken } from '../../../src-main/service/token.ts'
import { openStore } from '../../../src-main/store/open-store.ts'
import { noWindows } from '../../../src-shared/accounts/account.ts'
import type { Account } from '../../../src-shared/accounts/account.ts'
import type { AccountId } from '../../../src-shared/values/ids.ts'
import { appThread } from '../../helpers/app-threads.ts'

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
  const accounts = {
    account: () => account,
    list: () => [account],
    clientFor: async () => client,
    onChange: () => () => undefined,
  }
  return { account, store, accounts }
}
