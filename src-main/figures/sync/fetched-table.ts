import { withoutRates } from '../../../src-shared/reports/rates.ts'
import type { OverviewAnswer, TableAnswer } from '../../../src-shared/service/answers.ts'
import type { Instant } from '../../../src-shared/values/ids.ts'
import type { TableToKeep } from '../history/history.ts'
import { wholePage } from './snapshot.ts'
import type { Page } from './snapshot.ts'

/** A table as it was fetched; whose it is and of which days is said when it is kept. */
export type FetchedTable = Omit<TableToKeep, 'owner' | 'subject' | 'range'>

/** The totals of a table or an overview alone. */
export function totalsAlone(answer: TableAnswer | OverviewAnswer, fetchedAt: Instant): FetchedTable {
  const { headers, all } = 'table' in answer ? withoutRates(answer).table : { headers: [], all: null }
  return { headers, all, total: answer.total, rows: null, fetchedAt, doubt: null }
}

/**
 * The table where a first page is all of it; its totals alone where there is more, or where it does not add up: whether
 * that is so each time, one page cannot tell.
 */
export function firstPageOf(page: Page, counts: readonly string[]): FetchedTable {
  const whole = wholePage(page, counts)
  return whole?.doubt === null ? whole : totalsAlone(page.answer, page.fetchedAt)
}
