import type { Accounts } from '#main/accounts/accounts.ts'
import type { ServiceClient } from '#main/api/client.ts'
import type { Account } from '#shared/accounts/account.ts'
import { DeskFailure } from '#shared/api/failure.ts'
import type { AccountId, DataScopeId } from '#shared/values/ids.ts'
import { fake } from '#test/helpers/fake.ts'

/** One account; what is learnt of it counts at once. */
export function accountsOf(only: Account, service: ServiceClient) {
  const stored: Account[] = [only]
  const accounts: Accounts = fake<Accounts>('accounts', {
    account: (id: AccountId) => {
      const found = stored.find((each) => each.id === id)
      if (!found) throw new DeskFailure({ kind: 'invalid', message: 'gone' })
      return found
    },
    active: () => only.id,
    isDataScope: () => true,
    dataScopeOf: (id) => accounts.account(id).id as string as DataScopeId,
    scopeTermOf: (id) => ({ dataScope: accounts.dataScopeOf(id), term: 0 }),
    list: () => stored,
    clientFor: async () => service,
    // Its scope never changes: what comes is kept at once.
    dataScopeClient: async () => ({ ...service, term: 0, provisional: () => undefined }),
    isDoubted: () => false,
    confirm: async () => null,
    startScopeCheck: () => async () => null,
    standingOf: (id) => accounts.dataScopeOf(id),
    learn: async (id, { windows, firstColumn, rateBases, ratesCheckedAt, searchedAll, clockAhead }) => {
      const place = stored.findIndex((each) => each.id === id)
      const known = stored[place]
      if (!known) return
      stored[place] = {
        ...known,
        windows: { ...known.windows, ...windows },
        ...(firstColumn !== undefined && { firstColumn }),
        ...(rateBases && { rateBases: { ...known.rateBases, ...rateBases } }),
        ...(ratesCheckedAt && { ratesCheckedAt: { ...known.ratesCheckedAt, ...ratesCheckedAt } }),
        ...(clockAhead && { clockAhead }),
        ...(searchedAll && { searchedAll: { ...known.searchedAll, ...searchedAll } }),
      }
    },
  })
  return { accounts, stored }
}
