import type { DownloadsChanged } from '#shared/downloads/download.ts'
import type { AccountId } from '#shared/values/ids.ts'
import type { AccountStore } from '#main/accounts/account-store.ts'
import type { Cases } from '#main/cases/cases.ts'
import type { AppEvents } from '#main/lib/app-events.ts'
import type { AutoImport } from './auto-import.ts'
import type { RowsCatalogue } from './catalogue.ts'

type Following = {
  readonly events: AppEvents
  readonly accounts: Pick<AccountStore, 'list'>
  readonly catalogue: Pick<RowsCatalogue, 'forget'>
  readonly autoImport: Pick<AutoImport, 'changed' | 'retryNow'>
  readonly cases: Pick<Cases, 'follow'>
}

/** What archives and cases do when other modules tell of something. @returns ends it */
export function followOthers({ events, accounts, catalogue, autoImport, cases }: Following): () => void {
  const follow = ({ account }: { readonly account: AccountId }) => cases.follow(account)
  const stops = [
    events.on('account/removed', ({ owners }) => {
      for (const owner of owners) catalogue.forget(owner)
    }),
    events.on('raw/changed', follow),
    // Whoever had an archive read in: a case may wait for its rows.
    events.on('rows/import-changed', follow),
    events.on('downloads/changed', (event) => {
      for (const account of accountsOfSaved(event, accounts)) {
        events.emit({ kind: 'rows/changed', account })
        autoImport.changed(account)
        cases.follow(account)
      }
    }),
    events.on('settings/changed', ({ changed }) => {
      if (changed.includes('readsIn')) autoImport.retryNow()
    }),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}

/** Whose list of rows reads otherwise after downloads changed: an archive that was saved, or has gone, is one more or less. */
function accountsOfSaved(
  { changed, removed }: DownloadsChanged,
  accounts: Pick<AccountStore, 'list'>,
): ReadonlySet<AccountId> {
  const ended = changed.filter(({ state }) => state.kind === 'saved' || state.kind === 'missing')
  return new Set(
    removed.length > 0 ? accounts.list().map(({ id }) => id) : ended.map(({ account }) => account),
  )
}
