import { keepPreviousData, queryOptions } from '@tanstack/svelte-query'
import type { Failure } from '#shared/api/failure.ts'
import type { Candidate } from '#shared/archives/block-list.ts'
import type { GroupKey, RowsQuestion } from '#shared/archives/rows.ts'
import type { RowsFile, RowsFileId } from '#shared/archives/rows-file.ts'
import type { CallArgument, CallOutcome, DeskBridge } from '#shared/bridge/calls.ts'
import type { AccountId, RawReportId } from '#shared/values/ids.ts'
import { answerOf, failureOf, thenRead } from './answers.ts'
import type { Asking } from './answers.ts'

/** What no event tells the changes of is read anew with each opening: nothing of it stays once nobody looks. */
const withEachOpening = { gcTime: 0 } as const

/**
 * The archives of an account whose rows are, or can be, looked into. `rows/changed` has it read anew, and the job of each
 * says how far reading in is (events.ts).
 */
export const archiveList = (bridge: DeskBridge, account: AccountId) =>
  queryOptions({
    queryKey: ['archives', account],
    queryFn: () => answerOf(bridge.call('rows/list', { account })),
  })

type OfOne = { readonly account: AccountId; readonly file: RowsFileId }

/** Reads an archive in, or again; answers why that cannot begin. */
export const readIn = ({ bridge, queries }: Asking, archive: OfOne): Promise<Failure | null> =>
  failureOf(thenRead(queries, archiveList(bridge, archive.account), bridge.call('rows/read', archive)))

export const stopReading = ({ bridge, queries }: Asking, archive: OfOne): Promise<Failure | null> =>
  failureOf(thenRead(queries, archiveList(bridge, archive.account), bridge.call('rows/stop', archive)))

/** Removes the rows of an archive, or the file that they are from. */
export const removeRows = (
  { bridge, queries }: Asking,
  archive: CallArgument<'rows/let-go'>,
): Promise<Failure | null> =>
  failureOf(thenRead(queries, archiveList(bridge, archive.account), bridge.call('rows/let-go', archive)))

/** Lets the person choose files whose rows are to be looked into: which archives they are. */
export const chooseArchives = ({ bridge }: Pick<Asking, 'bridge'>, account: AccountId) =>
  bridge.call('rows/choose', { account })

/** Takes files that a person dropped on the window: which archives they are; null where none is a file of this computer. */
export async function takeDropped(
  { bridge }: Pick<Asking, 'bridge'>,
  account: AccountId,
  files: readonly File[],
): Promise<CallOutcome<'rows/take'> | null> {
  const dropped = await bridge.dropped(files)
  return dropped.length === 0 ? null : bridge.call('rows/take', { account, dropped: [...dropped] })
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
    ...withEachOpening,
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
  queryOptions({
    ...withEachOpening,
    queryKey: ['worst groups', question, by, limit],
    queryFn: () => answerOf(bridge.call('rows/groups', worst(question, by, { offset: 0, limit }))),
  })

const worst = (
  question: RowsQuestion,
  by: readonly GroupKey[],
  page: { readonly offset: number; readonly limit: number },
): CallArgument<'rows/groups'> => ({
  ...{ question, by: [...by], search: '', ...page },
  sort: { by: { kind: 'bad' }, direction: 'desc' },
})

/** No block list is longer; those with the most bad rows are looked at first. */
const maxCandidates = 20_000
const PAGE_LIMIT = 1000

/**
 * The addresses among rows, or their networks, with how many rows each has, the worst first; and how many were not looked at.
 * Those before stay while others come.
 * @param onlyBad leaves out those without a bad row, where any row says how it was judged
 */
export const blockCandidates = (
  bridge: DeskBridge,
  question: RowsQuestion,
  by: { readonly column: string; readonly by: 'value' | 'network' },
  onlyBad: boolean,
) =>
  queryOptions({
    ...withEachOpening,
    queryKey: ['block candidates', question, by, onlyBad],
    placeholderData: keepPreviousData,
    queryFn: async () => {
      const candidates: Candidate[] = []
      let total = 0
      do {
        const page = { offset: candidates.length, limit: PAGE_LIMIT }
        const answer = await answerOf(bridge.call('rows/groups', worst(question, [by], page)))
        total = answer.groups.length === 0 ? candidates.length : answer.total
        for (const { keys, rows, bad } of answer.groups) candidates.push({ range: keys[0] ?? '', rows, bad })
      } while (
        candidates.length < Math.min(total, maxCandidates) &&
        !(onlyBad && candidates.at(-1)?.bad === 0)
      )
      const wanted = onlyBad ? candidates.filter(({ bad }) => bad !== 0) : candidates
      const isWhole = wanted.length < candidates.length
      return { candidates: wanted, more: isWhole ? 0 : total - candidates.length }
    },
  })

/** What the block lists of an account were made of, the newest first. */
export const blockLists = (bridge: DeskBridge, account: AccountId) =>
  queryOptions({
    ...withEachOpening,
    queryKey: ['block lists', account],
    queryFn: () => answerOf(bridge.call('rows/lists', { account })),
  })

export const saveBlockList = (
  { bridge }: Asking,
  list: CallArgument<'rows/save-list'>,
): Promise<Failure | null> => failureOf(bridge.call('rows/save-list', list))

/** Begins an export of rows, with the columns that are named, or with all where none is. */
export const exportRows = (
  { bridge }: Asking,
  wanted: CallArgument<'rows/export'>,
): Promise<Failure | null> => failureOf(bridge.call('rows/export', wanted))

/** Begins an export of the table that is made of rows. */
export const exportRowsTable = (
  { bridge }: Asking,
  wanted: CallArgument<'rows/export-table'>,
): Promise<Failure | null> => failureOf(bridge.call('rows/export-table', wanted))

/** Begins an export of the lines that could not be read, as they came. */
export const exportUnreadable = ({ bridge }: Asking, archive: OfOne): Promise<Failure | null> =>
  failureOf(bridge.call('rows/export-unreadable', archive))

/** What the last recount of a report's rows came to; null where they were never recounted. */
export const lastRecount = (bridge: DeskBridge, account: AccountId, report: RawReportId) =>
  queryOptions({
    queryKey: ['recounted', account, report],
    queryFn: () => answerOf(bridge.call('rows/recounted', { account, report })),
  })

/** Counts an archive's rows again, beside the figures of the tables. */
export const recountOf = (bridge: DeskBridge, account: AccountId, file: RowsFileId) =>
  queryOptions({
    ...withEachOpening,
    queryKey: ['recount', account, file],
    queryFn: () => answerOf(bridge.call('rows/recount', { account, file })),
  })

/** The first lines of an archive that could not be read as rows. */
export const unreadableLines = (bridge: DeskBridge, account: AccountId, file: RowsFileId, limit: number) =>
  queryOptions({
    ...withEachOpening,
    queryKey: ['unreadable', account, file, limit],
    queryFn: () => answerOf(bridge.call('rows/unreadable', { account, file, offset: 0, limit })),
  })

/** One row with these columns, by its place among those that a question finds. */
export const rowAt = (
  bridge: DeskBridge,
  question: RowsQuestion,
  place: number,
  columns: readonly string[],
) =>
  queryOptions({
    ...withEachOpening,
    queryKey: ['row', question, place, columns],
    queryFn: () =>
      answerOf(bridge.call('rows/page', { question, offset: place, limit: 1, columns: [...columns] })),
  })
