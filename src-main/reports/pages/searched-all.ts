import { headerOf } from '#shared/reports/overview-figures.ts'
import type { TableQuery } from '#shared/reports/query.ts'
import { sumOfRows } from '#shared/reports/rows.ts'
import type { SearchedAll } from '#shared/reports/rows.ts'
import type { Cell, TableAnswer } from '#shared/api/answers.ts'
import { headersOf, totalsOf } from '#shared/api/dimensions.ts'

/** How a figure lies beside another one of the same name: smaller, equal, larger; null where one is not known. */
type Beside = 'less' | 'equal' | 'more'

function beside(one: Cell | undefined, other: Cell | undefined): Beside | null {
  if (typeof one !== 'number' || typeof other !== 'number') return null
  return one < other ? 'less' : one > other ? 'more' : 'equal'
}

/** The cells of a row by the headers of the specification. */
function countsIn(
  query: TableQuery,
  { table }: TableAnswer,
  cells: readonly Cell[],
): readonly (Cell | undefined)[] {
  return headersOf(query.family, query.dimension)
    .slice(1)
    .map((header) => cells[table.headers.indexOf(header) - 1])
}

/** Whether some figures are parts of others, and not all of them the whole; null where they do not lie so. */
function partIn(parts: readonly (Cell | undefined)[], wholes: readonly (Cell | undefined)[]): boolean | null {
  const found = parts.flatMap((part, place) => beside(part, wholes[place]) ?? [])
  if (found.length === 0 || found.includes('more')) return null
  return found.includes('less')
}

/**
 * What a page under a search tells of the service's row for all: rows that are less than it are not all of it; where they are
 * as much, and the answer's totals are more, it is what was found.
 * @returns null where it tells nothing: not all rows that were found are on it, or they are all that there are
 */
export function searchedAllIn(query: TableQuery, answer: TableAnswer): SearchedAll | null {
  const { all, rows } = answer.table
  if (query.search === null || query.page !== 1 || all === null || rows.length === 0) return null
  if (rows.length !== answer.query.results) return null
  const whole = countsIn(query, answer, all.cells)
  // Texts stay out of sums: those are less, whatever the row for all is.
  const sums = sumOfRows(answer.table).map((sum, place) =>
    rows.some(({ cells }) => typeof cells[place] === 'string') ? null : sum,
  )
  const isPart = partIn(countsIn(query, answer, sums), whole)
  if (isPart !== false) return isPart === null ? null : 'everything'
  const named = totalsOf(query.family, query.dimension)
  const totals = named.map((name) => answer.total[name] ?? null)
  const same = named.map((name) => all.cells[answer.table.headers.indexOf(headerOf(query.family, name)) - 1])
  return partIn(same, totals) ? 'found' : null
}

/** What a search and no search tell together, of one moment and in pages of any size. */
export function searchedAllBeside(
  query: TableQuery,
  searched: TableAnswer,
  plain: TableAnswer,
): SearchedAll | null {
  const [all, whole] = [searched.table.all, plain.table.all]
  if (all === null || whole === null || searched.query.results >= plain.query.results) return null
  const isPart = partIn(countsIn(query, searched, all.cells), countsIn(query, plain, whole.cells))
  if (isPart === null) return null
  return isPart ? 'found' : 'everything'
}
