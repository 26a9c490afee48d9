import { queryOptions } from '@tanstack/svelte-query'
import type { GroupKey, RowsQuery } from '#shared/archives/rows.ts'
import type { RowsFile, RowsFileId } from '#shared/archives/rows-file.ts'
import type { CallOutcome, DeskBridge } from '#shared/bridge/calls.ts'
import type { AccountId, RawReportId } from '#shared/values/ids.ts'
import { readingOf, eachOpening, changing, changingQuery } from './answers.ts'
import type { Asking } from './answers.ts'

/** Archives that are or can be imported. `rows/changed` invalidates the list; import jobs report progress (events.ts). */
export const archiveList = (bridge: DeskBridge, account: AccountId) =>
  readingOf(bridge, ['archives', account], 'rows/list', { account })

const listOf = (bridge: DeskBridge, { account }: { readonly account: AccountId }) =>
  archiveList(bridge, account)

/** Imports an archive, also again. Returns the failure if the import cannot start, or null. */
export const importArchive = changingQuery('rows/import', listOf)

export const cancelImport = changingQuery('rows/cancel-import', listOf)

/** Removes the rows of an archive, or the file of the archive. */
export const removeRows = changingQuery('rows/let-go', listOf)

/** Lets the user choose archives to import. Returns their ids. */
export const chooseArchives = ({ bridge }: Pick<Asking, 'bridge'>, account: AccountId) =>
  bridge.call('rows/choose', { account })

/** Files per call. */
const MAX_TAKEN = 100

/** Adds files that were dropped on the window. Returns the archive ids; null if none is a local file. */
export async function takeDropped(
  { bridge }: Pick<Asking, 'bridge'>,
  account: AccountId,
  files: readonly File[],
): Promise<CallOutcome<'rows/take'> | null> {
  const dropped = await bridge.dropped(files)
  if (dropped.length === 0) return null
  const taken: RowsFileId[] = []
  for (let from = 0; from < dropped.length; from += MAX_TAKEN) {
    const some = dropped.slice(from, from + MAX_TAKEN)
    const outcome = await bridge.call('rows/take', { account, dropped: some })
    if (!outcome.ok) return outcome
    taken.push(...outcome.value)
  }
  return { ok: true, value: taken }
}

/** Maximum of archives whose requests are read. */
const maxFiles = 50

/** Instances that the reports of these archives were requested for, as far as known. */
export const requestsOf = (
  bridge: DeskBridge,
  account: AccountId,
  files: readonly Pick<RowsFile, 'id' | 'report'>[],
) =>
  queryOptions({
    gcTime: 0,
    queryKey: ['requests of archives', account, files.map(({ id }) => id)],
    queryFn: async () => {
      const found = []
      for (const { id: file, report } of files.slice(0, maxFiles)) {
        if (report === null) continue
        const outcome = await bridge.call('raw/report', { account, report, force: false })
        if (!outcome.ok) continue
        const { instance_id: instance, instance_name: name } = outcome.value.report
        found.push({ file, instance, name })
      }
      return found
    },
  })

/** First groups of rows, those with the most bad rows first. */
export const worstGroups = (bridge: DeskBridge, query: RowsQuery, by: readonly GroupKey[], limit: number) =>
  eachOpening(bridge, ['worst groups', query, by, limit], 'rows/groups', {
    ...{ query, by: [...by], search: '', offset: 0, limit },
    sort: { by: { kind: 'bad' }, direction: 'desc' },
  })

/** Past block lists of an account, the newest first. */
export const blockLists = (bridge: DeskBridge, account: AccountId) =>
  eachOpening(bridge, ['block lists', account], 'rows/lists', { account })

export const saveBlockList = changing('rows/save-list')

/** Reverts the export of a list. */
export const undoBlockList = changingQuery('rows/undo-list', (bridge, { account }) =>
  blockLists(bridge, account),
)

/** Cells that are too long for a workbook with all columns. */
export const longCells = (bridge: DeskBridge, query: RowsQuery) =>
  eachOpening(bridge, ['long cells', query], 'rows/long-cells', { query, columns: [] })

/** Starts an export of rows with the given columns; none means all. */
export const exportRows = changing('rows/export')

/** Starts an export of a table computed from rows. */
export const exportRowsTable = changing('rows/export-table')

/** Starts an export of the unreadable lines, unchanged. */
export const exportUnreadable = changing('rows/export-unreadable')

/** Result of the last recount of a report's rows; null if there was none. */
export const lastRecount = (bridge: DeskBridge, account: AccountId, report: RawReportId) =>
  readingOf(bridge, ['recounted', account, report], 'rows/recounted', { account, report })

/** Recounts an archive's rows against the tables. */
export const recountOf = (bridge: DeskBridge, account: AccountId, file: RowsFileId) =>
  eachOpening(bridge, ['recount', account, file], 'rows/recount', { account, file })

/** First unreadable lines of an archive. */
export const unreadableLines = (bridge: DeskBridge, account: AccountId, file: RowsFileId, limit: number) =>
  eachOpening(bridge, ['unreadable', account, file, limit], 'rows/unreadable', {
    account,
    file,
    offset: 0,
    limit,
  })

/** One row with these columns, by its index in the result. */
export const rowAt = (bridge: DeskBridge, query: RowsQuery, place: number, columns: readonly string[]) => {
  const params = { query, offset: place, limit: 1, columns: [...columns] }
  return eachOpening(bridge, ['row', query, place, columns], 'rows/page', params)
}
