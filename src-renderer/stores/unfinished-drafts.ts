import type { RawDraft } from '#shared/raw/draft.ts'
import type { AccountId } from '#shared/values/ids.ts'
import type { RawForm } from '#shared/views/view-address.ts'

const keyOf = (account: AccountId, form: RawForm) => JSON.stringify([account, form])

/** What was filled in and not sent, for as long as the window is open: looking something up elsewhere loses nothing. */
export class UnfinishedDrafts {
  readonly #drafts = new Map<string, RawDraft>()

  of(account: AccountId, form: RawForm): RawDraft | null {
    return this.#drafts.get(keyOf(account, form)) ?? null
  }

  keep(account: AccountId, form: RawForm, draft: RawDraft): void {
    this.#drafts.set(keyOf(account, form), draft)
  }

  drop(account: AccountId, form: RawForm): void {
    this.#drafts.delete(keyOf(account, form))
  }
}
