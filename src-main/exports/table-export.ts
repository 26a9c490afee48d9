import type { TableQuery } from '../../src-shared/reports/query.ts'
import { nameOf, normalise, plainTable } from '../../src-shared/reports/query.ts'
import { failureOf } from '../../src-shared/desk/desk-failure.ts'
import { marksOf } from '../../src-shared/reports/figure-facts.ts'
import type { DayRange } from '../../src-shared/values/day.ts'
import { composedOf, dimensionEntry, dimensionNames, offers } from '../../src-shared/service/dimensions.ts'
import { limits } from '../../src-shared/service/limits.ts'
import { factsOf, knownOf } from './facts.ts'
import type { Owner } from './facts.ts'
import { FiguresChanged } from './export-pages.ts'
import { shownPages } from './shown.ts'
import type { ReadTable, Wanted } from './shown.ts'
import type { TableWriter } from './table-writer.ts'

/** A table that goes into a file. */
export type Part = Wanted & {
  readonly name: string
  /** Whether the file is made without it where it cannot be had. */
  readonly mayLack: boolean
}

/** How many rows were written, and what the name of their file has to say: `partial`. */
export type Written = { readonly rows: number; readonly marks: readonly string[] }

/** Longer than a table changes by itself while it is read: a refresh that ends, and another. */
export const TRIES = 3

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
    .filter((each) => offers(family, each) && (each === own || composedOf(each) === null))
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
 * Reads tables and hands them to a writer; the next page is on its way while one is written.
 *
 * @param wrote hears how many rows are written, and of how many where that is known
 * @throws FiguresChanged, and what asking and writing throw
 */
export async function writeParts(
  writer: TableWriter,
  reader: ReadTable,
  parts: readonly Part[],
  account: Owner,
  wrote: (done: number, of: number | null) => void,
): Promise<Written> {
  let rows = 0
  let known = 0
  let lacking = 0
  const marks = new Set<string>()
  for (const [index, part] of parts.entries()) {
    let begun = false
    const last = index === parts.length - 1
    try {
      for await (const { report, columns, above, rows: shown, compared } of shownPages(reader, part)) {
        const { query } = report.figures
        if (!begun) {
          const facts = { ...factsOf(account, report), compared }
          await writer.begin({ name: part.name, columns, facts, above })
          begun = true
          for (const mark of marksOf(knownOf(facts))) marks.add(mark)
          known += part.rows === 'all' || part.query.whole ? query.results : shown.length
        }
        await writer.rows(shown)
        rows += shown.length
        wrote(rows, last ? known : null)
      }
    } catch (error) {
      const failure = failureOf(error)
      const ours = ['cancelled', 'disk', 'internal', 'invalid'].includes(failure.kind)
      if (begun || ours || !part.mayLack) throw error
      lacking += 1
      marks.add('partial')
      if (lacking === parts.length) throw error
      await writer.absent(part.name, failure.message)
    }
  }
  return { rows, marks: [...marks] }
}

/** Does it again where the figures became others meanwhile. */
export async function whileTheyStand<T>(attempt: () => Promise<T>): Promise<T> {
  for (let turn = 1; ; turn += 1) {
    try {
      return await attempt()
    } catch (error) {
      if (!(error instanceof FiguresChanged) || turn >= TRIES) throw error
    }
  }
}
