import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { DayRange } from '../../../src-shared/values/day.ts'
import type { OwnerId } from '../../../src-shared/values/ids.ts'
import type { HistoryPath, TableId, TablePlace } from '../cache/kept-table.ts'

/** Where kept tables lie in a profile folder. */
export const historyFolder = (folder: string): string => join(folder, 'history')

/** The folder of an owner's tables, within the history folder. */
export const ownerFolder = (owner: OwnerId): string => `account=${owner}`

/**
 * Where a table's file lies: `account=…/report=script-browsers/month=2026-11/….parquet`, partitioned as engines know it.
 * The month is that of its first day; whatever a subject is limited to is told by the file itself.
 */
export function pathOf(
  { owner, subject, range }: TablePlace & { readonly range: DayRange },
  id: TableId,
): HistoryPath {
  const report = subject.slice(0, subject.indexOf('?')).replaceAll(/[^a-z-]/g, '-')
  return `${ownerFolder(owner)}/report=${report}/month=${range.start.slice(0, 7)}/${id}.parquet` as HistoryPath
}

export const newTableId = (): TableId => randomBytes(8).toString('hex') as TableId
