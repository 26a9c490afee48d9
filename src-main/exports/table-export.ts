import type { TableQuery } from '#shared/reports/query.ts'
import { nameOf, normalise, plainTable } from '#shared/reports/query.ts'
import { failureOf } from '#shared/api/failure.ts'
import { failureMeanings } from '#shared/api/failure-meanings.ts'
import { marksOf } from '#shared/reports/figure-facts.ts'
import type { DayRange } from '#shared/values/day.ts'
import { composedOf, dimensionEntry, dimensionNames, offers } from '#shared/api/dimensions.ts'
import { limits } from '#shared/api/parameters.ts'
import { factsOf, knownOf } from './facts.ts'
import type { NamedAccount } from './facts.ts'
import { readTableToExport } from './shown.ts'
import type { TableToExport } from './shown.ts'
import type { SnapshotForm } from '#shared/exports/columns.ts'
import type { TableReader } from './table-reader.ts'
import type { WritingThread } from './writing-thread.ts'

/** A table of a file to export. */
export type TablePart = TableToExport & {
  readonly name: string
  /** Whether the file is written without the table if the table is unavailable. */
  readonly mayLack: boolean
}

/** Tables of one file. */
type PartsOfFile = {
  readonly account: NamedAccount
  readonly parts: readonly TablePart[]
  /** Form of the snapshots. Lines of CSV are written unchanged. */
  readonly form: SnapshotForm
}

/** Number of rows, and marks for the file's name, like `partial`. */
export type WriteSummary = { readonly rows: number; readonly marks: readonly string[] }

/**
 * Tables of every dimension of a family, with the same days and common filters. Composed tables are included only for the query's own
 * dimension: others may take hundreds of requests.
 */
export function workbookParts({
  family,
  range,
  instance,
  source,
  campaign,
  rates,
  rules,
  dimension: own,
}: TableQuery): TablePart[] {
  const common = { family, range, instance, source, campaign, rates, rules }
  return dimensionNames
    .filter(
      (dimensionName) =>
        offers(family, dimensionName) && (dimensionName === own || composedOf(dimensionName) === null),
    )
    .map((dimension) => ({
      name: dimensionEntry(dimension).words,
      query: normalise({ ...plainTable, ...common, dimension, whole: true, limit: limits.rowsPerPage }),
      rows: 'all',
      before: null,
      mayLack: true,
    }))
}

export const tablePart = (
  query: TableQuery,
  rows: TablePart['rows'],
  columns: readonly string[],
  before: DayRange | null,
): TablePart => ({
  before,
  name: nameOf(query),
  query,
  rows,
  columns,
  mayLack: false,
})

/**
 * Reads tables, each from one snapshot, and writes them.
 * @param wrote called with the rows written, and the total or null if unknown
 * @throws failures of reading and writing
 */
export async function writeParts(
  writer: WritingThread,
  reader: TableReader,
  { account, parts, form }: PartsOfFile,
  wrote: (done: number, total: number | null) => void,
): Promise<WriteSummary> {
  let rows = 0
  let known = 0
  let missing = 0
  const marks = new Set<string>()
  for (const [index, part] of parts.entries()) {
    let begun = false
    const last = index === parts.length - 1
    try {
      const { shown, drop } = await readTableToExport(reader, part, form)
      try {
        const { report, columns, above, compared } = shown
        const facts = { ...factsOf(account, report), compared }
        await writer.begin({ name: part.name, columns, facts, above })
        begun = true
        for (const mark of marksOf(knownOf(facts))) marks.add(mark)
        const count = shown.rows.kind === 'file' ? shown.rows.file.rows : shown.rows.rows.length
        known += count
        const progress = (done: number) => wrote(rows + done, last ? known : null)
        if (shown.rows.kind === 'file') await writer.pour(shown.rows.file, progress)
        else await writer.rows(shown.rows.rows)
        progress(count)
        rows += count
      } finally {
        await drop()
      }
    } catch (error) {
      const failure = failureOf(error)
      // A table that awaits consent to its cost is left out, as one that the service does not answer.
      const ours = failureMeanings[failure.kind].connection === null && failure.kind !== 'costly'
      if (begun || ours || !part.mayLack) throw error
      missing += 1
      marks.add('partial')
      if (missing === parts.length) throw error
      await writer.absent(part.name, failure.message)
    }
  }
  return { rows, marks: [...marks] }
}
