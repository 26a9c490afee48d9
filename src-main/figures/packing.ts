import { withoutRates } from '../../src-shared/reports/rates.ts'
import type { OverviewAnswer, TableAnswer } from '../../src-shared/service/answers.ts'
import type { Instant } from '../../src-shared/values/ids.ts'
import type { TableToKeep } from '../store/tables-repository.ts'
import { packHead } from './engine/packed-head.ts'
import { packRows } from './engine/packed-rows.ts'
import { inSlices } from './sync/in-slices.ts'
import type { Page, Snapshot } from './sync/snapshot.ts'
import { wholePage } from './sync/snapshot.ts'

/** A table ready to be kept; whose it is and of which days is said when it is. */
export type PackedTable = Omit<TableToKeep, 'account' | 'subject' | 'range'>

/** Packs a whole table, page by page: there may be a hundred, and none may hold up the rest. */
export async function packSnapshot(snapshot: Snapshot): Promise<PackedTable> {
  const { headers, rows, fetchedAt } = snapshot
  const pages: Uint8Array[] = []
  await inSlices(rows, (page) => pages.push(packRows(page, headers.length - 1)))
  const count = rows.reduce((sum, page) => sum + page.length, 0)
  return { head: packHead(snapshot), whole: true, rows: count, pages, fetchedAt }
}

/**
 * The table where a first page is all of it; its totals alone where there is more, or where it does not add up: whether
 * that is so each time, one page cannot tell.
 */
export async function packFirstPage(page: Page, counts: readonly string[]): Promise<PackedTable> {
  const whole = wholePage(page, counts)
  return whole?.doubt === null ? packSnapshot(whole) : packTotals(page.answer, page.fetchedAt)
}

/** The totals of a table or an overview alone. */
export function packTotals(answer: TableAnswer | OverviewAnswer, fetchedAt: Instant): PackedTable {
  const { headers, all } = 'table' in answer ? withoutRates(answer).table : { headers: [], all: null }
  const head = packHead({ headers, all, total: answer.total, doubt: null })
  return { head, whole: false, rows: 0, pages: [], fetchedAt }
}
