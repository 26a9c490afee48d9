import { queryOptions } from '@tanstack/svelte-query'
import type { RowsQuestion } from '#shared/archives/question.ts'
import type { RowsFileId } from '#shared/archives/rows-file.ts'
import type { DeskBridge } from '#shared/bridge/calls.ts'
import type { AccountId, RawReportId } from '#shared/values/ids.ts'
import { answerOf } from './answers.ts'

/** What no event tells the changes of is read anew with each opening: nothing of it stays once nobody looks. */
const withEachOpening = { gcTime: 0 } as const

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
