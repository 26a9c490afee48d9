import type { DiskUse } from '#shared/app/storage.ts'
import type { AccountId, DataScopeId } from '#shared/values/ids.ts'
import type { StateAndCache } from '#main/database/cache/cache-store.ts'

/** The accounts, and the data scope of each. */
export type AccountScopes = {
  readonly list: () => readonly { readonly id: AccountId }[]
  readonly dataScopeOf: (account: AccountId) => DataScopeId
}

/**
 * Returns the disk use by account and kind, from the database. Folders are not read, because a folder may hang.
 * @throws DeskFailure if the store fails
 */
export async function diskUse(store: StateAndCache, accounts: AccountScopes): Promise<DiskUse> {
  const [tables, answers, downloads] = await Promise.all([
    store.run('tables/sizes-by-data-scope', undefined),
    store.run('answers/sizes', undefined),
    store.run('downloads/sizes', undefined),
  ])
  const left = new Map(tables.map((size) => [size.dataScope, size]))
  const sizes = accounts.list().map(({ id: account }) => {
    const dataScope = accounts.dataScopeOf(account)
    const { bytes = 0, days = 0, since = null } = left.get(dataScope) ?? {}
    left.delete(dataScope)
    const { pages = 0, lookups = 0 } = answers.find((answer) => answer.dataScope === dataScope) ?? {}
    const files = downloads.find((download) => download.account === account)
    return {
      account,
      history: { bytes, days, since },
      answers: { pages, lookups },
      downloads: { files: files?.files ?? 0, bytes: files?.bytes ?? 0 },
    }
  })
  const others = [...left.values()].reduce(
    (sum, { bytes, days }) => ({ bytes: sum.bytes + bytes, days: sum.days + days }),
    { bytes: 0, days: 0 },
  )
  return { accounts: sizes, others }
}
