import type { DayRange } from '../values/day.ts'
import { dayToWire } from '../values/day.ts'
import type { ReportQuery, TableQuery } from './query.ts'
import { normalise, plainTable, queryKey } from './query.ts'
import { subjectOf } from './subject.ts'

/** The keys under which questions are told apart: by progress, by changes, and by giving up. */

/** The key of `reports/ask`. */
export const answerKey = (query: ReportQuery): string => queryKey(query)

/** The key of `reports/trend`: the days and the subject alone decide. */
export function trendKey(query: ReportQuery): string {
  const { start, end } = query.range
  return `trend ${dayToWire(start)} ${dayToWire(end)} ${subjectOf(plain(query))}`
}

/** The key of `reports/before`. Which rows are asked about does not matter: the whole table is needed in any case. */
export const beforeKey = (query: TableQuery): string => `before ${wholeKey(query)}`

/** By what rows are said to have moved: by how many, or by their rate; of at least so much. */
export type MovedBy = { readonly by?: 'count' | 'rate'; readonly least?: number }

/** The key of `reports/movers`. */
export function moversKey(
  query: TableQuery,
  before: DayRange,
  header: string,
  { by = 'count', least = 0 }: MovedBy = {},
): string {
  const how = by === 'count' && least === 0 ? '' : ` ${by} ${least}`
  return `movers ${wholeKey(query)} ${wholeKey({ ...query, range: before })} ${header}${how}`
}

/** One name for a whole table over a range, whatever is searched or sorted in it. */
function wholeKey(query: TableQuery): string {
  const { start, end } = query.range
  return `${dayToWire(start)} ${dayToWire(end)} ${subjectOf(query)}`
}

/** Rule sets are no part of a trend. */
function plain(query: ReportQuery): ReportQuery {
  return query.kind === 'overview' ? query : normalise({ ...query, rules: plainTable.rules })
}
