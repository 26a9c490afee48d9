import { queryOptions } from '@tanstack/svelte-query'
import type { GroupKey, RowsQuestion } from '#shared/archives/rows.ts'
import type { RowsFile, RowsFileId } from '#shared/archives/rows-file.ts'
import type { CallOutcome, DeskBridge } from '#shared/bridge/calls.ts'
import type { AccountId, RawReportId } from '#shared/values/ids.ts'
import { readingOf, eachOpening, changing, changingQuery } from './answers.ts'
import type { Asking } from './answers.ts'

/**
 * The archives of an account whose rows are, or can be, looked into. `rows/changed` has it read anew, and the job of each
 * says how far reading in is (events.ts).
 */
export const archiveList = (bridge: DeskBridge, account: AccountId) =>
  readingOf(bridge, ['archives', account], 'rows/list', { account })

const listOf = (bridge: DeskBridge, { account }: { readonly account: AccountId }) =>
  archiveList(bridge, account)

/** Reads an archive in, or again; answers why that cannot begin. */
export const readIn = changingQuery('rows/read', listOf)

export const stopReading = changingQuery('rows/stop', listOf)

/** Removes the rows of an archive, or the file that they are from. */
export const removeRows = changingQuery('rows/let-go', listOf)

/** Lets the person choose files whose rows are to be looked into: which archives they are. */
export const chooseArchives = ({ bridge }: Pick<Asking, 'bridge'>, account: AccountId) =>
  bridge.call('rows/choose', { account })

/** So many files are taken with one call. */
const MAX_TAKEN = 100

/** Takes files that a person dropped on the window: which archives they are; null where none is a file of this computer. */
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

/** So many archives are looked at for what their reports were asked for. */
const maxFiles = 50

/** What the reports of archives were asked for, as far as that is known. */
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

/** The first groups of rows, those with the most bad rows first. */
export const worstGroups = (
  bridge: DeskBridge,
  question: RowsQuestion,
  by: readonly GroupKey[],
  limit: number,
) =>
  eachOpening(bridge, ['worst groups', question, by, limit], 'rows/groups', {
    ...{ question, by: [...by], search: '', offset: 0, limit },
    sort: { by: { kind: 'bad' }, direction: 'desc' },
  })

/** What the block lists of an account were made of, the newest first. */
export const blockLists = (bridge: DeskBridge, account: AccountId) =>
  eachOpening(bridge, ['block lists', account], 'rows/lists', { account })

export const saveBlockList = changing('rows/save-list')

/** Takes back that a list was exported. */
export const undoBlockList = changingQuery('rows/undo-list', (bridge, { account }) =>
  blockLists(bridge, account),
)

/** Which cells of what a question finds a workbook with all columns would hold cut. */
export const longCells = (bridge: DeskBridge, question: RowsQuestion) =>
  eachOpening(bridge, ['long cells', question], 'rows/long-cells', { question, columns: [] })

/** Begins an export of rows, with the columns that are named, or with all where none is. */
export const exportRows = changing('rows/export')

/** Begins an export of the table that is made of rows. */
export const exportRowsTable = changing('rows/export-table')

/** Begins an export of the lines that could not be read, as they came. */
export const exportUnreadable = changing('rows/export-unreadable')

/** What the last recount of a report's rows came to; null where they were never recounted. */
export const lastRecount = (bridge: DeskBridge, account: AccountId, report: RawReportId) =>
  readingOf(bridge, ['recounted', account, report], 'rows/recounted', { account, report })

/** Counts an archive's rows again, beside the figures of the tables. */
export const recountOf = (bridge: DeskBridge, account: AccountId, file: RowsFileId) =>
  eachOpening(bridge, ['recount', account, file], 'rows/recount', { account, file })

/** The first lines of an archive that could not be read as rows. */
export const unreadableLines = (bridge: DeskBridge, account: AccountId, file: RowsFileId, limit: number) =>
  eachOpening(bridge, ['unreadable', account, file, limit], 'rows/unreadable', {
    account,
    file,
    offset: 0,
    limit,
  })

/** One row with these columns, by its place among those that a question finds. */
export const rowAt = (
  bridge: DeskBridge,
  question: RowsQuestion,
  place: number,
  columns: readonly string[],
) => {
  const params = { question, offset: place, limit: 1, columns: [...columns] }
  return eachOpening(bridge, ['row', question, place, columns], 'rows/page', params)
}
