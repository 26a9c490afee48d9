import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { DayRange } from '#shared/values/day.ts'
import type { DataScopeId } from '#shared/values/ids.ts'
import { isHistoryPath } from '#main/database/cache/catalogue-repository.ts'
import type { HistoryPath, TableId, TablePlace } from '#main/database/cache/catalogue-repository.ts'

/** Where kept tables lie in a profile folder. */
export const historyFolder = (folder: string): string => join(folder, 'history')

/** The folder of an owner's tables, within the history folder. */
export const ownerFolder = (owner: DataScopeId): string => `account=${owner}`

/** Whose tables lie in a file. */
export const ownerIn = (path: HistoryPath): DataScopeId =>
  path.slice('account='.length, path.indexOf('/')) as DataScopeId

/** The path of a file that is being written, without its end: that is known once all of it is written. */
export type HistoryStem = string & { readonly __brand: 'HistoryStem' }

/**
 * Where a table's file lies: `account=…/report=script-browsers/month=2026-11/…`, partitioned as engines know it. The month
 * is that of its first day; whatever a subject is limited to is told by the file itself.
 */
export function stemOf(
  { owner, subject, range }: TablePlace & { readonly range: DayRange },
  id: TableId,
): HistoryStem {
  const report = subject.slice(0, subject.indexOf('?')).replaceAll(/[^a-z-]/g, '-')
  return `${ownerFolder(owner)}/report=${report}/month=${range.start.slice(0, 7)}/${id}` as HistoryStem
}

/** A file's path: its checksum is in its name, so that damage shows without the catalogue. */
export const pathOf = (stem: HistoryStem, checksum: string): HistoryPath =>
  `${stem}-${checksum}.parquet` as HistoryPath

/** The checksum that stands in a file's name. */
export const checksumIn = (path: HistoryPath): string =>
  path.slice(-'01234567.parquet'.length, -'.parquet'.length)

export const isHistoryStem = (text: string): text is HistoryStem =>
  isHistoryPath(pathOf(text as HistoryStem, '00000000'))

export const newTableId = (): TableId => randomBytes(8).toString('hex') as TableId
