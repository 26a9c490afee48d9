import { SvelteMap } from 'svelte/reactivity'
import type { AccountId } from '../../src-shared/values/ids.ts'
import type { FirstColumn } from '../parts/table/sorting.ts'

/** What each account's service counts a table's columns from, as far as its answers have shown. */
export class FirstColumns {
  readonly #learnt = new SvelteMap<AccountId, FirstColumn>()

  /** Counted from 0 until something else is known: only then is `1:desc`, the default, largest first. */
  of(account: AccountId): FirstColumn {
    return this.#learnt.get(account) ?? 0
  }

  learn(account: AccountId, seen: FirstColumn | null): void {
    if (seen !== null && this.#learnt.get(account) !== seen) this.#learnt.set(account, seen)
  }
}
