import { DeskFailure } from '../../src-shared/desk/desk-failure.ts'
import type { ReportAnswer } from '../../src-shared/reports/answer.ts'
import type { TableQuery } from '../../src-shared/reports/query.ts'
import { limits } from '../../src-shared/service/limits.ts'
import type { TableReport } from './facts.ts'

/** Reads one page; rejects at once where the export is cancelled. */
export type ReadPage = (query: TableQuery) => Promise<ReportAnswer>

/** The figures became others while they were read: pages of two tables do not make one. */
export class FiguresChanged extends DeskFailure {
  constructor() {
    super({
      kind: 'server-trouble',
      message:
        'The figures changed again and again while they were being saved. Please try again in a moment.',
    })
  }
}

/**
 * The table's pages one after the other; the next is asked for while one is being written.
 *
 * @param rows `seen`: the query as it is; `all`: every row that it finds
 * @throws FiguresChanged where a page belongs to another state of the table than the first
 */
export async function* pagesOf(
  read: ReadPage,
  query: TableQuery,
  rows: 'seen' | 'all',
): AsyncGenerator<TableReport, void> {
  // With "all rows" on screen, what is seen has no pages.
  if (rows === 'seen' && !query.whole) {
    yield tableOf(await read(query))
    return
  }
  const pageAt = (page: number) => read({ ...query, whole: true, limit: limits.rowsPerPage, page })
  const first = tableOf(await pageAt(1))
  const state = stateOf(first)
  const { pages } = first.figures.query
  let current: TableReport = first
  for (let page = 1; ; page += 1) {
    const next = page < pages ? pageAt(page + 1) : null
    // It may fail while the one before is being written; it is thrown where it is waited for.
    next?.catch(() => undefined)
    yield current
    if (next === null) return
    current = tableOf(await next)
    if (stateOf(current) !== state) throw new FiguresChanged()
  }
}

function tableOf(answer: ReportAnswer): TableReport {
  if (answer.kind !== 'table') throw new TypeError('A table was asked for')
  return answer
}

/** Text that is equal for two pages exactly where they are pages of one table. */
function stateOf({ figures, provenance }: TableReport): string {
  const { results, pages } = figures.query
  // Pages that came from the service one by one were fetched at different times.
  const fetched = provenance.from === 'computed' ? provenance.fetchedAt : null
  return JSON.stringify([results, pages, figures.table.headers, fetched, provenance.missing])
}
