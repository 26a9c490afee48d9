import type { CallArgument, CallName, CallResult, DeskEvents } from '../../src-shared/bridge/calls.ts'
import { notYet } from '../../src-shared/desk/not-yet.ts'
import type { AccountId } from '../../src-shared/values/ids.ts'
import type { AccountBook } from '../accounts/account-book.ts'
import type { Reports } from '../reports/reports.ts'
import type { Clock } from '../service/clock.ts'
import type { Store } from '../store/store.ts'

export type ViewsParts = {
  readonly store: Store
  readonly book: Pick<AccountBook, 'account' | 'active' | 'list' | 'onChange'>
  readonly reports: Pick<Reports, 'keepWhole' | 'keptOf'>
  readonly emit: (name: 'views/changed', event: DeskEvents['views/changed']) => void
  readonly clock: Clock
  /** The folder of downloads, as it is set at this moment. */
  readonly downloads: () => Promise<string>
  /** Lets the person choose a file of views. */
  readonly chooseFile: () => Promise<string | null>
}

/** The bridge's calls of views, by the name after `views/`. */
type ViewCalls = { [N in CallName as N extends `views/${infer Rest}` ? Rest : never]: N }

/** Saved views: one function for each call of the bridge by the same name. */
export type Views = {
  readonly [Name in keyof ViewCalls]: (
    argument: CallArgument<ViewCalls[Name]>,
  ) => Promise<CallResult<ViewCalls[Name]>>
} & {
  /** The address of the account's start view; null where it has none. */
  readonly startView: (account: AccountId) => Promise<string | null>
  /** The service is there (again), or the machine woke up: renew what is due. */
  readonly nudge: () => void
  /** Begins to keep pinned views up to date. */
  readonly begin: () => void
  readonly close: () => Promise<void>
}

export function createViews(_parts: ViewsParts): Views {
  return {
    list: () => Promise.resolve([]),
    save: notYet,
    change: notYet,
    duplicate: notYet,
    remove: notYet,
    restore: notYet,
    order: notYet,
    refresh: notYet,
    stop: notYet,
    export: notYet,
    import: notYet,
    startView: () => Promise.resolve(null),
    nudge: () => undefined,
    begin: () => undefined,
    close: () => Promise.resolve(),
  }
}
