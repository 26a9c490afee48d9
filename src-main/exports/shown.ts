import type { ComparedPeriods } from '../../src-shared/reports/compared-periods.ts'
import type { BeforeAnswer } from '../../src-shared/reports/answer.ts'
import { labelKey } from '../../src-shared/reports/rows.ts'
import type { TableQuery } from '../../src-shared/reports/query.ts'
import { basesFor, emptyRates } from '../../src-shared/reports/rates.ts'
import type { RateBases } from '../../src-shared/reports/rates.ts'
import type { TableRow } from '../../src-shared/service/answers.ts'
import type { Family } from '../../src-shared/service/families.ts'
import type { DayRange } from '../../src-shared/values/day.ts'
import { columnsFor } from './columns.ts'
import type { ExportColumn } from './columns.ts'
import { comparedColumns, rowsBefore } from './compared.ts'
import type { ComparedFact, TableReport } from './facts.ts'
import type { ReadPage } from './export-pages.ts'
import { pagesOf } from './export-pages.ts'

/** How tables and what they are compared with are read for an export. */
export type ReadTable = {
  readonly read: ReadPage
  /** What is compared of two periods now. */
  readonly periods: (now: DayRange, before: DayRange) => ComparedPeriods
  readonly before: (page: TableReport, range: DayRange, labels: readonly string[]) => Promise<BeforeAnswer>
  /** What rates of the account are shares of. */
  readonly bases: (family: Family) => RateBases | null
}

/** What is wanted of a table. */
export type Wanted = {
  readonly query: TableQuery
  readonly rows: 'seen' | 'all'
  /** Headers in order; undefined for all as they come. */
  readonly columns?: readonly string[]
  /** The days that rows are compared with; null where they are not. */
  readonly before: DayRange | null
}

/** A page as it goes out of the app. */
export type ShownPage = {
  readonly report: TableReport
  readonly columns: readonly ExportColumn[]
  /** The row for all, and whatever else stands above the rows. */
  readonly above: readonly TableRow[]
  readonly rows: readonly TableRow[]
  readonly compared: ComparedFact | null
}

/**
 * The pages of a table with the columns that are seen, and what they are compared with beside them.
 * @throws FiguresChanged, and what reading throws
 */
export async function* shownPages(
  reader: ReadTable,
  { query, rows, columns, before }: Wanted,
): AsyncGenerator<ShownPage, void> {
  for await (const report of pagesOf(reader.read, query, rows)) {
    const { table } = report.figures
    const empty = emptyRates(table)
    const seen = columnsFor(table.headers, columns ?? table.headers.filter((header) => !empty.has(header)))
    const above = [table.all, report.found].flatMap((row) => row ?? [])
    if (before === null) {
      yield { report, columns: seen, above, rows: table.rows, compared: null }
      continue
    }
    const periods = reader.periods(query.range, before)
    if (periods.kind === 'nothing') {
      const compared = { range: before, missing: [], periods, days: null }
      yield { report, columns: seen, above, rows: table.rows, compared }
      continue
    }
    const labels = table.rows.map(({ label }) => labelKey(label))
    const earlier = await reader.before(report, before, labels)
    const then = rowsBefore(labels, earlier)
    const bases = basesFor(query, reader.bases(query.family))
    const { columns: wider, extend } = comparedColumns(table.headers, seen, bases, earlier)
    const extended = (row: TableRow) => extend(row, then)
    yield {
      report,
      columns: wider,
      above: above.map(extended),
      rows: table.rows.map(extended),
      compared: {
        range: earlier.periods.before,
        missing: earlier.provenance.missing,
        periods: earlier.periods,
        days: earlier.compared,
      },
    }
  }
}
