import type { Doubt } from '../../../src-shared/reports/doubt.ts'
import type { TableQuery } from '../../../src-shared/reports/query.ts'
import type { TableAnswer } from '../../../src-shared/service/answers.ts'
import { headersOf } from '../../../src-shared/service/dimensions.ts'
import { OneTable } from '../sync/one-table.ts'

/** Why a page does not add up, as far as it alone tells; null where nothing is wrong with it. */
export function doubtOfPage(query: TableQuery, answer: TableAnswer): Doubt | null {
  const { results, pages } = answer.query
  const rows = answer.table.rows.length
  const until = (query.page - 1) * query.limit + rows
  // A service may give fewer rows a page than were asked for, and more pages then: only the last tells.
  if (query.page >= pages && rows < query.limit && until < results) return 'fewer-rows'
  const table = new OneTable(headersOf(query.family, query.dimension).slice(1))
  table.add(1, answer)
  const isWhole = query.page === 1 && rows >= results
  // It is not said whether the row of all is about what was searched for.
  if (isWhole && query.search === null) return table.doubt
  if (isWhole && rows > results) return 'more-rows'
  return table.labelsRepeat() ? 'labels-repeat' : null
}
