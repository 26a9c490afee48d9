import { terms } from '#shared/reports/terms.ts'
import { dimensionEntry, families } from '#shared/api/dimensions.ts'
import type { ComparedDays, ComparedPeriods, RowsBefore } from '#shared/reports/change.ts'
import type { Provenance } from '#shared/reports/answer.ts'
import type { ExplainedDimension } from '#shared/reports/explain-answer.ts'
import type { TableQuery, NamedRule } from '#shared/reports/query.ts'
import type { Chart, Table, TableRow } from '#shared/api/answers.ts'
import type { Family } from '#shared/api/dimensions.ts'
import type { Paper } from '#shared/exports/paper.ts'
import type { DayRange } from '#shared/values/day.ts'
import type { Instant } from '#shared/values/ids.ts'
import type { ReportChart } from '#shared/views/view-address.ts'
import { momentIn } from '#renderer/components/formats.ts'
import { isChange } from '#renderer/components/table/columns.ts'
import type { ChangeColumn, Column, PlainColumn } from '#renderer/components/table/columns.ts'
import type { Comparison } from '#shared/reports/overview-figures.ts'
import type { Figure } from '../overview/figures.ts'

/** So many rows stand on page one; a client reads no more. */
export const TOP_ROWS = 10
/** The same of a table that lies across. */
const TOP_ROWS_ACROSS = 4
/** However much stands above them. */
const FEWEST_ROWS = 3
/** Nobody is told of so few more: they stand there. */
export const FEW_MORE = 2

/** So many stand on pages where somebody wants the whole table. */
export const MAX_ROWS = 5000

/** A name and its value, such as a filter. */
export type Fact = { readonly name: string; readonly value: string }

/** The daily figures of a section, or why they are not there. */
export type PrintedChart =
  | { readonly kind: 'days'; readonly chart: Chart; readonly before: Chart | null }
  | { readonly kind: 'rows' }
  | { readonly kind: 'missing'; readonly words: string }

/** Some rows, and what stood in them before; null where nothing is compared. */
export type PrintedRows = { readonly rows: readonly TableRow[]; readonly before: RowsBefore | null }

export type PrintedTable = {
  readonly name: string
  readonly query: TableQuery
  /** With its first rows, in the order of the view. */
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
  /** All rows, in pieces; none where only the first ones were wanted. */
  readonly whole: readonly (PrintedRows & { readonly fetchedAt: Instant })[]
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
  /** The header of what every percentage of the chart is of. */
  readonly base: string
  readonly measures: readonly string[] | null
  readonly table: PrintedTable | null
  /** What explains how the rate changed that the family is watched for; none where that cannot be told. */
  readonly changes: readonly ExplainedChange[]
}

export type ExplainedChange = Extract<ExplainedDimension, { kind: 'explained' }>

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

/** A column, and the change that is printed beneath its figures. */
export type ColumnPair = { readonly column: PlainColumn; readonly change: ChangeColumn | null }

/** The columns that are printed. @param without headers of those that are left out */
export const pairsOf = (columns: readonly Column[], without: readonly string[]): ColumnPair[] =>
  columns.flatMap((column, place) => {
    const next = columns[place + 1]
    const isOut = column.kind !== 'label' && without.includes(column.header)
    return isChange(column) || isOut ? [] : [{ column, change: next && isChange(next) ? next : null }]
  })

/** Tables of more columns lie across the page. */
const MAX_UPRIGHT = 8

export const liesAcross = (pairs: readonly ColumnPair[]): boolean => pairs.length > MAX_UPRIGHT

/** Letters of a line of a title, and of what is said beneath it. */
const lineOf = { title: 55, comment: 95 } as const

/** How many lines a title and what is said beneath it take more than one short title, about. */
const linesAbove = ({ title, comment }: Paper): number =>
  Math.floor(title.length / lineOf.title) +
  (comment.trim() === '' ? [] : comment.trim().split('\n'))
    .map((line) => Math.max(1, Math.ceil(line.length / lineOf.comment)))
    .reduce((sum, lines) => sum + lines, 0)

/**
 * The rows that stand on page one beneath all that is said above them, with as few more as nobody has to be told of.
 * A row is as high as two lines.
 */
export function topRows(
  { table, results }: PrintedTable,
  across: boolean,
  paper: Paper,
): readonly TableRow[] {
  const room = (across ? TOP_ROWS_ACROSS : TOP_ROWS) - Math.ceil(linesAbove(paper) / 2)
  const max = Math.max(FEWEST_ROWS, room)
  return table.rows.slice(0, results <= max + FEW_MORE ? results : max)
}

/** Rows of one page, where each is of one line, or stands above its change. */
const rowsPerPage = { upright: { one: 40, pair: 24 }, across: { one: 26, pair: 16 } } as const

/** How many pages the whole table takes, about. */
export function pagesOf(pairs: readonly ColumnPair[], rows: number): number {
  const pages = rowsPerPage[liesAcross(pairs) ? 'across' : 'upright']
  return Math.ceil(Math.min(rows, MAX_ROWS) / (pairs.some(({ change }) => change) ? pages.pair : pages.one))
}

/** When the figures were fetched, from the oldest to the newest, in the zone of their days. */
export function ageWords(sections: readonly PrintedSection[], zone: string): string {
  const times = sections.flatMap(({ provenance: { fetchedAt, ages = [] } }) => [
    fetchedAt,
    ...ages.map((age) => age.fetchedAt),
  ])
  return `Updated ${endsOf(times, zone).join(' to ')} ${zone}`
}

/** What to know of all rows of a table that were not fetched at once; null where they were. */
export function rowsAgeWords({ whole }: PrintedTable, zone: string): string | null {
  const ends = endsOf(
    whole.map(({ fetchedAt }) => fetchedAt),
    zone,
  )
  return ends.length < 2
    ? null
    : `These rows were updated from ${ends.join(' to ')} ${zone}. Some may be missing or appear twice.`
}

/** The oldest and the newest of some times, to the minute; one where that is the same. */
function endsOf(times: readonly Instant[], zone: string): readonly string[] {
  const ends = [Math.min(...times), Math.max(...times)].map((time) => momentIn(time, zone))
  return [...new Set(ends)]
}

const LONGEST_NAME = 240

/** A row's name: whole, unless it is longer than any that means something. */
export function nameOnPaper(label: string): string {
  const letters = Array.from(label.slice(0, LONGEST_NAME * 2 + 2))
  return letters.length > LONGEST_NAME ? `${letters.slice(0, LONGEST_NAME).join('')}…` : label
}

/** The words on some pages, and what they mean, in the order in which the terms explain them; then rule sets with a name. */
export function wordsOn({ sections, before }: Printed): readonly Fact[] {
  const columns = sections.flatMap(({ table }) => table?.columns ?? [])
  const rules = sections.flatMap(({ table }) => table?.rules ?? [])
  const compares = before !== null
  const headers = [
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
  ]
  const used = new Set(headers.map((header) => header.toLowerCase()))
  const codes = new Map(rules.flatMap(({ code, name }) => (name === null ? [] : [[name, code] as const])))
  return [
    ...terms
      .filter(({ word }) => used.has(word.toLowerCase()))
      .map(({ word, meaning }) => ({ name: word, value: meaning })),
    ...[...codes].map(([name, code]) => ({ name, value: `Rule set ${code}.` })),
  ]
}
