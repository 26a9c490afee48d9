import { terms } from '#shared/reports/terms.ts'
import { dimensionEntry, families } from '#shared/api/dimensions.ts'
import type { ComparedDays, ComparedPeriods, RowsBefore } from '#shared/reports/change.ts'
import type { Provenance } from '#shared/reports/answer.ts'
import type { TableQuery, NamedRule } from '#shared/reports/query.ts'
import type { Chart, Table, TableRow } from '#shared/api/answers.ts'
import type { Family } from '#shared/api/dimensions.ts'
import type { DayRange } from '#shared/values/day.ts'
import type { ReportChart } from '#shared/views/view-address.ts'
import type { Column } from '#renderer/components/table/columns.ts'
import type { Comparison } from '#shared/reports/overview-figures.ts'
import type { Figure } from '../overview/figures.ts'

/** So many rows stand on the pages; a client reads no more. */
export const MAX_ROWS = 200

/** A name and its value, such as a filter. */
export type Fact = { readonly name: string; readonly value: string }

/** The daily figures of a section, or why they are not there. */
export type PrintedChart =
  | { readonly kind: 'days'; readonly chart: Chart; readonly before: Chart | null }
  | { readonly kind: 'rows' }
  | { readonly kind: 'missing'; readonly words: string }

type PrintedTable = {
  readonly name: string
  readonly query: TableQuery
  readonly table: Table
  /** What the rows add up to that were found; null where nothing is searched, or that is not known. */
  readonly sums: TableRow | null
  readonly columns: readonly Column[]
  /** The rule sets among its columns. */
  readonly rules: readonly NamedRule[]
  /** Rows that the query finds; `table` holds the first of them. */
  readonly results: number
  /** What is to be known of the rates. */
  readonly rates: readonly string[]
  /** What stood in the rows before; null where nothing is compared. */
  readonly before: RowsBefore | null
}

/** Figures of one family: cards, a chart, and a table where the view has one. */
export type PrintedSection = {
  readonly family: Family
  readonly name: string
  readonly provenance: Provenance
  readonly figures: readonly Figure[]
  /** Null where nothing is compared, or that could not be had. */
  readonly comparison: Comparison | null
  /** How many days are compared, where some are missing; null where all are there. */
  readonly compared: ComparedDays | null
  readonly chart: PrintedChart
  readonly kind: ReportChart['kind']
  readonly measures: readonly string[] | null
  readonly table: PrintedTable | null
}

/** All that stands on the pages. */
export type Printed = {
  readonly account: string
  readonly title: string
  readonly range: DayRange
  readonly before: DayRange | null
  /** What is compared of both; null where nothing is to be. */
  readonly periods: ComparedPeriods | null
  /** In which its days begin. */
  readonly zone: string
  /** Filters and what is compared with, in words. */
  readonly facts: readonly Fact[]
  readonly sections: readonly PrintedSection[]
  /** Whether no figure changed while they were asked for, so that table, chart and comparison are of one moment. */
  readonly isSteady: boolean
}

/** The words on some pages, and what they mean, in the order in which the terms explain them; then rule sets with a name. */
export function wordsOn({ sections, before }: Printed): readonly Fact[] {
  const columns = sections.flatMap(({ table }) => table?.columns ?? [])
  const rules = sections.flatMap(({ table }) => table?.rules ?? [])
  const compares = before !== null
  const used = new Set([
    ...sections.flatMap(({ family, figures, table }) => [
      families[family].words,
      ...figures.map(({ header }) => header),
      ...(table ? [dimensionEntry(table.query.dimension).header] : []),
    ]),
    ...columns.map(({ header }) => header),
    'Rate',
    ...(compares ? ['Points'] : []),
    ...(rules.length > 0 ? ['Rule set'] : []),
    ...(sections.some(({ provenance }) => provenance.restated) ? ['Restated'] : []),
  ])
  const codes = new Map(rules.flatMap(({ code, name }) => (name === null ? [] : [[name, code] as const])))
  return [
    ...terms
      .filter(({ word }) => used.has(word))
      .map(({ word, meaning }) => ({ name: word, value: meaning })),
    ...[...codes].map(([name, code]) => ({ name, value: `Rule set ${code}.` })),
  ]
}
