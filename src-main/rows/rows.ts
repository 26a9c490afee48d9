import type { CallArgument, CallName, CallResult } from '../../src-shared/bridge/calls.ts'
import { DeskFailure } from '../../src-shared/desk/desk-failure.ts'
import type { DroppedFileId } from '../../src-shared/rows/rows-file.ts'
import type { AccountId } from '../../src-shared/values/ids.ts'

type Answered<N extends CallName> = (asked: CallArgument<N>) => Promise<CallResult<N>>

/** The rows inside archives: what each does is said where its call is declared (src-shared/bridge/calls/rows.ts). */
export type Rows = {
  readonly list: (account: AccountId) => Promise<CallResult<'rows/list'>>
  readonly read: Answered<'rows/read'>
  readonly stop: Answered<'rows/stop'>
  /** Names files that were dropped on a window, by their paths; what is no file is left out. */
  readonly dropped: (paths: readonly string[]) => Promise<readonly DroppedFileId[]>
  readonly take: Answered<'rows/take'>
  readonly choose: (account: AccountId) => Promise<CallResult<'rows/choose'>>
  readonly letGo: Answered<'rows/let-go'>
  readonly page: Answered<'rows/page'>
  readonly facets: Answered<'rows/facets'>
  readonly histogram: Answered<'rows/histogram'>
  readonly groups: Answered<'rows/groups'>
  readonly search: Answered<'rows/search'>
  readonly recount: Answered<'rows/recount'>
  readonly unreadable: Answered<'rows/unreadable'>
  readonly export: Answered<'rows/export'>
  readonly exportUnreadable: Answered<'rows/export-unreadable'>
  readonly cancel: (key: string) => null
}

const notReadIn = () =>
  Promise.reject(new DeskFailure({ kind: 'invalid', message: 'These rows are not read in.' }))

export function createRows(): Rows {
  return {
    list: () => Promise.resolve([]),
    read: notReadIn,
    stop: () => Promise.resolve(null),
    dropped: () => Promise.resolve([]),
    take: () => Promise.resolve([]),
    choose: () => Promise.resolve([]),
    letGo: notReadIn,
    page: notReadIn,
    facets: notReadIn,
    histogram: notReadIn,
    groups: notReadIn,
    search: () => Promise.resolve({ files: [], searched: 0, failed: [] }),
    recount: notReadIn,
    unreadable: notReadIn,
    export: notReadIn,
    exportUnreadable: notReadIn,
    cancel: () => null,
  }
}
