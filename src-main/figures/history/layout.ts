import { randomBytes } from 'node:crypto'
import type { DayRange } from '../../../src-shared/values/day.ts'
import type { HistoryPath, TableId, TablePlace } from '../../store/kept-table.ts'

/**
 * Where a table's file lies: `account=…/report=script-browsers/month=2026-11/….parquet`, partitioned as engines know it.
 * The month is that of its first day; whatever a subject is limited to is told by the file itself.
 */
export function pathOf(
  { owner, subject, range }: TablePlace & { readonly range: DayRange },
  id: TableId,
): HistoryPath {
  const report = subject.slice(0, subject.indexOf('?')).replaceAll(/[^a-z-]/g, '-')
  return `account=${owner}/report=${report}/month=${range.start.slice(0, 7)}/${id}.parquet` as HistoryPath
}

export const newTableId = (): TableId => randomBytes(8).toString('hex') as TableId
