import type { DownloadId, DownloadsChanged } from '#shared/downloads/download.ts'
import type { SavedState } from '#shared/raw/listed.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { savedStateOf } from './downloads/download-list.ts'

/**
 * Hears what became of downloads, and says whose list of reports reads otherwise now: progress alone changes none.
 * @param everybody asked where nobody knows whose download went: it was not spoken of in this session
 */
export function createSavedChanges(everybody: () => readonly AccountId[]) {
  const told = new Map<DownloadId, { readonly account: AccountId; readonly saved: SavedState }>()

  return ({ changed, removed }: DownloadsChanged): ReadonlySet<AccountId> => {
    const accounts = new Set<AccountId>()
    for (const download of changed) {
      const { id, account } = download
      const saved = savedStateOf(download)
      if (told.get(id)?.saved !== saved) accounts.add(account)
      told.set(id, { account, saved })
    }
    for (const id of removed) {
      const known = told.get(id)
      for (const account of known ? [known.account] : everybody()) accounts.add(account)
      told.delete(id)
    }
    return accounts
  }
}
