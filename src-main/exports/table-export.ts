import type { TableQuery } from '#shared/reports/query.ts'
import { nameOf, normalise, plainTable } from '#shared/reports/query.ts'
import { failureOf } from '#shared/api/failure.ts'
import { marksOf } from '#shared/reports/figure-facts.ts'
import type { DayRange } from '#shared/values/day.ts'
import { composedOf, dimensionEntry, dimensionNames, offers } from '#shared/api/dimensions.ts'
import { limits } from '#shared/api/parameters.ts'
import { factsOf, knownOf } from './facts.ts'
import type { NamedAccount } from './facts.ts'
import { tableOfWanted } from './shown.ts'
import type { ReadTable, Wanted } from './shown.ts'
import type { SnapshotForm } from '#shared/exports/columns.ts'
import type { WritingThread } from './writing-thread.ts'

/** A table that goes into a file. */
export type Part = Wanted & {
  readonly name: string
  /** Whether the file is made without it where it cannot be had. */
  readonly mayLack: boolean
}

/** How many rows were written, and what the name of their file has to say: `partial`. */
export type Written = { readonly rows: number; readonly marks: readonly string[] }

/**
 * The tables of every dimension of a family, over the same days and with the same common filters; of what the desk composes,
 * the query's own alone: the others may take hundreds of calls.
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
}: TableQuery): Part[] {
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
  rows: Part['rows'],
  columns: readonly string[],
  before: DayRange | null,
): Part => ({
  before,
  name: nameOf(query),
  query,
  rows,
  columns,
  mayLack: false,
})

/**
 * Reads tables, each of one moment, and hands them to a writer.
 *
 * @param form lines of CSV where the writer takes them as they are
 * @param wrote hears how many rows are written, and of how many where that is known
 * @throws what asking and writing throw
 */
export async function writeParts(
  writer: Pick<WritingThread, 'begin' | 'rows' | 'pour' | 'absent'>,
  reader: ReadTable,
  parts: readonly Part[],
  form: SnapshotForm,
  account: NamedAccount,
  wrote: (done: number, total: number | null) => void,
): Promise<Written> {
  let rows = 0
  let known = 0
  let missing = 0
  const marks = new Set<string>()
  for (const [index, part] of parts.entries()) {
    let begun = false
    const last = index === parts.length - 1
    try {
      const { shown, drop } = await tableOfWanted(reader, part, form)
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
      const ours = ['cancelled', 'disk', 'internal', 'invalid'].includes(failure.kind)
      if (begun || ours || !part.mayLack) throw error
      missing += 1
      marks.add('partial')
      if (missing === parts.length) throw error
      await writer.absent(part.name, failure.message)
    }
  }
  return { rows, marks: [...marks] }
}
