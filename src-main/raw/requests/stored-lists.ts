import type { AccountId, Instant } from '#shared/values/ids.ts'
import type { Clock } from '#main/lib/async.ts'
import type { Store } from '#main/database/state/state-store.ts'
import type { KnownList, RawLists } from './raw-asking-parts.ts'

export type StoredListsParts = {
  readonly store: Store
  readonly clock: Clock
  /** Fetches and keeps a list that tells of everything that was asked of the service before now. */
  readonly fresh: (account: AccountId) => Promise<{ readonly complete: boolean }>
  readonly accepted: RawLists['accepted']
}

/** The lists that the watcher keeps, as asking needs them. */
export function storedLists({ store, clock, fresh, accepted }: StoredListsParts): RawLists {
  /** What is known of the last list that was fetched for asking. A list that came since then is newer, and is taken for it. */
  const fetched = new Map<AccountId, Pick<KnownList, 'askedAt' | 'complete'>>()
  const never = { askedAt: 0 as Instant, complete: false }
  const known = async (account: AccountId): Promise<KnownList | null> => {
    const seen = await store.run('raw-requests/seen-list', account)
    return seen && { ...seen, ...(fetched.get(account) ?? never) }
  }
  return {
    known,
    refresh: async (account) => {
      const askedAt = clock.now() as Instant
      const { complete } = await fresh(account)
      fetched.set(account, { askedAt, complete })
      const list = await known(account)
      if (!list) throw new TypeError('A list that was fetched is kept')
      return list
    },
    accepted,
  }
}
