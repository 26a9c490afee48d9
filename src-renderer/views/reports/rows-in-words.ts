import type { ReportAnswer } from '#shared/reports/answer.ts'
import { nameOf } from '#shared/reports/query.ts'
import type { ColumnSort } from '#shared/reports/query.ts'
import { count } from '#renderer/components/formats.ts'

type Table = Pick<Extract<ReportAnswer, { kind: 'table' }>, 'query' | 'figures'>

/**
 * What came, for those who do not see the table change: how many rows of which report, in which order, which page.
 * @param sort the order that holds, also where nobody chose one
 */
export function rowsInWords({ query, figures }: Table, sort: readonly ColumnSort[]): string {
  const { results, pages } = figures.query
  const rows = `${count(results)} ${results === 1 ? 'row' : 'rows'} of ${nameOf(query)}`
  const order = sort.map(
    ({ header, direction }) => `${header} ${direction === 'asc' ? 'ascending' : 'descending'}`,
  )
  const sorted = results > 1 ? `, by ${order.join(', then ')}` : ''
  const page = !query.whole && pages > 1 ? `, page ${count(query.page)} of ${count(pages)}` : ''
  return `${rows}${sorted}${page}`
}
