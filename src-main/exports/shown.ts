import { rm } from 'node:fs/promises'
import type { ReportAnswer, TableReport } from '#shared/reports/answer.ts'
import { labelKey, basesFor, emptyRates } from '#shared/reports/rows.ts'
import type { TableQuery } from '#shared/reports/query.ts'
import type { TableRow } from '#shared/api/answers.ts'
import { daysOf, lengthOf } from '#shared/values/day.ts'
import type { DayRange } from '#shared/values/day.ts'
import { columnsFor } from '#shared/exports/columns.ts'
import type { ExportColumn, SnapshotForm } from '#shared/exports/columns.ts'
import type { TableSnapshot } from '#main/reports/resolver/snapshot-of-query.ts'
import { comparedColumns, rowsBefore } from './compared.ts'
import type { ComparedFact } from './facts.ts'
import { fileOf, shapedBy } from './snapshot-shape.ts'
import type { SnapshotFile } from './snapshot-shape.ts'
import { SnapshotLines } from './snapshot-lines.ts'
import type { TableReader } from './table-reader.ts'

/** A table to export. */
export type TableToExport = {
  readonly query: TableQuery
  readonly rows: 'seen' | 'all'
  /** Headers in order; undefined for all headers in the table's order. */
  readonly columns?: readonly string[]
  /** Days that rows are compared with; null without a comparison. */
  readonly before: DayRange | null
}

/** A table ready for export. */
type ShownTable = {
  readonly report: TableReport
  readonly columns: readonly ExportColumn[]
  /** Aggregate rows. */
  readonly above: readonly TableRow[]
  readonly compared: ComparedFact | null
  readonly rows: ShownRows
}

type ShownRows =
  | { readonly kind: 'page'; readonly rows: readonly TableRow[] }
  | { readonly kind: 'file'; readonly file: SnapshotFile }

/** A table, and a function that deletes the file of its rows. */
type Read = { readonly shown: ShownTable; readonly drop: () => Promise<void> }

/** A table whose rows are in a file. */
type FileRead = Read & { readonly shown: { readonly rows: Extract<ShownRows, { kind: 'file' }> } }

/**
 * Reads a table for export: the page on screen, or every row of one snapshot. The caller calls `drop` afterwards.
 * @param form form of the snapshot. A comparison always has the form `rows`
 * @throws failures of reading
 */
export async function readTableToExport(
  reader: TableReader,
  wanted: TableToExport,
  form: SnapshotForm,
): Promise<Read> {
  const { query, rows, columns = null } = wanted
  const asPage = async (report: TableReport): Promise<Read> => ({
    shown: await shownPage(reader, report, wanted),
    drop: () => Promise.resolve(),
  })
  // A view of all rows has no pages.
  if (rows === 'seen' && !query.whole) return asPage(tableOf(await reader.read(query)))
  const { beside, nothing } = besideOf(reader, query.range, wanted.before)
  const answer = await reader.snapshot({ query, before: beside, columns, form: beside ? 'rows' : form })
  return answer.kind === 'page' ? asPage(answer.report) : fileRead(answer, nothing)
}

/**
 * Like `readTableToExport`, for all rows of stored tables. Rows are compared if days of both periods are stored.
 * @returns null if no day is stored
 */
export async function readStoredTable(
  reader: TableReader,
  query: TableQuery,
  before: DayRange | null,
): Promise<FileRead | null> {
  const { beside, nothing } = besideOf(reader, query.range, before)
  const request = { query, columns: null, form: 'rows' } as const
  const compared = beside && (await reader.storedSnapshot({ ...request, before: beside }))
  const answer = compared ?? (await reader.storedSnapshot({ ...request, before: null }))
  return answer?.kind === 'file' ? fileRead(answer, nothing) : null
}

/** Returns the days that rows are compared with, and the fact to state if nothing is compared with them. */
function besideOf(reader: TableReader, range: DayRange, before: DayRange | null) {
  if (before === null) return { beside: null, nothing: null }
  const periods = reader.periods(range, before)
  const isOver = periods.kind === 'periods'
  const days = isOver ? { days: 0, total: lengthOf(periods.now) } : null
  const nothing: ComparedFact = {
    ...{ range: before, missing: isOver ? daysOf(before) : [], provenance: null, periods, days },
  }
  return { beside: isOver ? before : null, nothing }
}

const fileRead = (answer: TableSnapshot, nothing: ComparedFact | null): FileRead => ({
  shown: shownFile(answer, nothing),
  drop: () => rm(answer.file.path, { force: true }),
})

/** Reads a table for export in batches. The first batch may be empty. */
export async function* readShown(
  reader: TableReader,
  wanted: TableToExport,
): AsyncGenerator<{ readonly shown: ShownTable; readonly some: readonly TableRow[] }, void> {
  const { shown, drop } = await readTableToExport(reader, wanted, 'rows')
  try {
    if (shown.rows.kind === 'page') return yield { shown, some: shown.rows.rows }
    yield { shown, some: [] }
    const { path, shape } = shown.rows.file
    const [lines, shaped] = [new SnapshotLines(path), shapedBy(shape)]
    try {
      for (let some = lines.rows(); some !== null; some = lines.rows()) {
        yield { shown, some: shaped.rows(some) }
        // Lets other tasks run.
        await new Promise((resolve) => setImmediate(resolve))
      }
    } finally {
      lines.close()
    }
  } finally {
    await drop()
  }
}

const aboveOf = ({ figures, matching }: TableReport): TableRow[] =>
  [figures.table.all, matching].flatMap((row) => row ?? [])

function shownFile(answer: TableSnapshot, nothing: ComparedFact | null): FileRead['shown'] {
  const { report, compared } = answer
  const file = fileOf(answer)
  const shaped = shapedBy(file.shape)
  return {
    report,
    columns: shaped.columns,
    above: aboveOf(report).map(shaped.above),
    compared: compared
      ? {
          range: compared.periods.before,
          missing: compared.provenance.missing,
          provenance: compared.provenance,
          ...{ periods: compared.periods, days: compared.compared },
        }
      : nothing,
    rows: { kind: 'file', file },
  }
}

async function shownPage(
  reader: TableReader,
  report: TableReport,
  { query, columns, before }: TableToExport,
): Promise<ShownTable> {
  const { table } = report.figures
  const empty = emptyRates(table, report.ratesBy)
  const seen = columnsFor(table.headers, columns ?? table.headers.filter((header) => !empty.has(header)))
  const above = aboveOf(report)
  const plain = { report, columns: seen, above, rows: { kind: 'page', rows: table.rows } } as const
  if (before === null) return { ...plain, compared: null }
  const periods = reader.periods(query.range, before)
  if (periods.kind === 'nothing')
    return { ...plain, compared: { range: before, missing: [], provenance: null, periods, days: null } }
  const labels = table.rows.map(({ label }) => labelKey(label))
  const earlier = await reader.before(report, before, labels)
  const then = rowsBefore(labels, earlier)
  const bases = basesFor(query, reader.bases(query.family))
  const { columns: wider, extend } = comparedColumns(table.headers, seen, bases, earlier)
  const extended = (row: TableRow) => extend(row, then)
  return {
    report,
    columns: wider,
    above: above.map(extended),
    rows: { kind: 'page', rows: table.rows.map(extended) },
    compared: {
      range: earlier.periods.before,
      missing: earlier.provenance.missing,
      provenance: earlier.provenance,
      periods: earlier.periods,
      days: earlier.compared,
    },
  }
}

function tableOf(answer: ReportAnswer): TableReport {
  if (answer.kind !== 'table') throw new TypeError('A table was asked for')
  return answer
}
