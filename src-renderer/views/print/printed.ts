import { terms } from '#shared/reports/terms.ts'
import { dimensionEntry, families } from '#shared/api/dimensions.ts'
import type { ComparedDays, ComparedPeriods, RowsBefore } from '#shared/reports/change.ts'
import type { Provenance } from '#shared/reports/answer.ts'
import type { ExplainedDimension } from '#shared/reports/explain-answer.ts'
import type { TableQuery, NamedRule } from '#shared/reports/query.ts'
import type { Chart, Table, TableRow } from '#shared/api/answers.ts'
import type { Family } from '#shared/api/dimensions.ts'
import { eventWords } from '#shared/texts/day-events.ts'
import { aboutNoteWords, noteLine } from '#shared/texts/notes.ts'
import type { DayEvent } from '#shared/watch/day-events.ts'
import type { MarkedNote } from '#shared/watch/notes.ts'
import type { Paper } from '#shared/exports/paper.ts'
import type { DayRange } from '#shared/values/day.ts'
import type { Instant } from '#shared/values/ids.ts'
import type { ReportChart } from '#shared/views/view-address.ts'
import { formats, momentIn } from '#renderer/components/formats.ts'
import { isChange } from '#renderer/components/table/columns.ts'
import type { ChangeColumn, Column, PlainColumn } from '#renderer/components/table/columns.ts'
import type { OverviewComparison } from '#shared/reports/overview-figures.ts'
import type { OverviewFigure } from '../overview/figures.ts'

/** Maximum number of rows on page one in portrait format. */
export const TOP_ROWS = 10
/** Maximum number of rows on page one in landscape format. */
const TOP_ROWS_ACROSS = 4
/** Minimum number of rows on page one, however long title and comment are. */
const FEWEST_ROWS = 3
/** Up to this many further rows are printed instead of being counted as "more". */
export const FEW_MORE = 2

/** Maximum number of rows of a whole table. */
export const MAX_ROWS = 5000

/** A name and its value, such as a filter. */
export type Fact = { readonly name: string; readonly value: string }

/** Chart of a section: daily figures, the first rows, or the reason that it is missing. */
export type PrintedChart =
  | { readonly kind: 'days'; readonly chart: Chart; readonly before: Chart | null }
  | { readonly kind: 'rows' }
  | { readonly kind: 'missing'; readonly words: string }

/** Rows, and their figures of the earlier period. `before` is null if nothing is compared. */
export type PrintedRows = { readonly rows: readonly TableRow[]; readonly before: RowsBefore | null }

export type PrintedTable = {
  readonly name: string
  readonly query: TableQuery
  /** The first rows, in the order of the view. */
  readonly table: Table
  /** Sums of the rows that a search finds. Null without a search, or if unknown. */
  readonly sums: TableRow | null
  readonly columns: readonly Column[]
  /** Rule sets among the columns. */
  readonly rules: readonly NamedRule[]
  /** Number of rows that the query finds. `table` holds the first. */
  readonly results: number
  /** Notes about the rates. */
  readonly rates: readonly string[]
  /** Figures of the rows in the earlier period. Null if nothing is compared. */
  readonly before: RowsBefore | null
  /** All rows, in pieces. Empty if only the first rows were requested. */
  readonly whole: readonly PrintedRows[]
}

/** Figures of one family: cards, a chart, and a table if the view has one. */
export type PrintedSection = {
  readonly family: Family
  readonly name: string
  readonly provenance: Provenance
  readonly figures: readonly OverviewFigure[]
  /** Null if nothing is compared, or the comparison could not be loaded. */
  readonly comparison: OverviewComparison | null
  /** Number of compared days if some are missing; otherwise null. */
  readonly compared: ComparedDays | null
  readonly chart: PrintedChart
  /** What the app itself knows of the days. */
  readonly events: readonly DayEvent[]
  readonly kind: ReportChart['kind']
  /** Header of the figure that the chart's percentages are shares of. */
  readonly base: string
  readonly measures: readonly string[] | null
  readonly table: PrintedTable | null
  /** Explanations of the change of the family's watched rate. Empty if there is none. */
  readonly changes: readonly PrintedExplanation[]
}

export type PrintedExplanation = Extract<ExplainedDimension, { kind: 'explained' }>

/** Contents of the printed pages. */
export type Printed = {
  readonly account: string
  readonly title: string
  readonly range: DayRange
  readonly before: DayRange | null
  /** Compared periods. Null if the view compares nothing. */
  readonly periods: ComparedPeriods | null
  /** Time zone of the days. */
  readonly zone: string
  /** Filters in words. */
  readonly facts: readonly Fact[]
  readonly sections: readonly PrintedSection[]
  /** The user's notes on the days, printed by choice, as are the events of the sections. */
  readonly notes: readonly MarkedNote[]
  /** Whether no figure changed during loading, so that table, chart and comparison are of one moment. */
  readonly isSteady: boolean
}

/** A column, and the change printed below its figures. */
export type ColumnPair = { readonly column: PlainColumn; readonly change: ChangeColumn | null }

/** Pairs each printed column with its change. @param without headers of the columns to omit */
export const pairsOf = (columns: readonly Column[], without: readonly string[]): ColumnPair[] =>
  columns.flatMap((column, place) => {
    const next = columns[place + 1]
    const isOut = column.kind !== 'label' && without.includes(column.header)
    return isChange(column) || isOut ? [] : [{ column, change: next && isChange(next) ? next : null }]
  })

/** Maximum number of columns in portrait format. */
const MAX_UPRIGHT = 8

export const liesAcross = (pairs: readonly ColumnPair[]): boolean => pairs.length > MAX_UPRIGHT

/** Characters per line of the title and of the comment. */
const lineOf = { title: 55, comment: 95 } as const

/** Approximate number of lines that title, comment and notes need beyond a title of one line. */
const linesAbove = ({ title, comment }: Paper, { notes, events }: PrintedMarks): number =>
  Math.floor(title.length / lineOf.title) +
  [
    ...(comment.trim() === '' ? [] : comment.trim().split('\n')),
    ...notes.map((marked) => `${noteLine(marked, formats)} ${aboutNoteWords(marked.note)}`),
    ...events.map((event) => Object.values(eventWords(event, formats, 0)).join(' ')),
  ]
    .map((line) => Math.max(1, Math.ceil(line.length / lineOf.comment)))
    .reduce((sum, lines) => sum + lines, 0)

/** Notes and events on the days of a section. */
export type PrintedMarks = { readonly notes: readonly MarkedNote[]; readonly events: readonly DayEvent[] }

/** Notes and events of a section that are printed. */
export const printedMarks = (
  notes: readonly MarkedNote[],
  { events }: PrintedSection,
  paper: Paper,
): PrintedMarks => (paper.notes ? { notes, events } : { notes: [], events: [] })

/** Rows on page one, below title, comment and the printed marks. A row is as high as two lines. */
export function topRows(
  { table, results }: PrintedTable,
  across: boolean,
  paper: Paper,
  marks: PrintedMarks,
): readonly TableRow[] {
  const lines = linesAbove(paper, marks)
  const room = (across ? TOP_ROWS_ACROSS : TOP_ROWS) - Math.ceil(lines / 2)
  const max = Math.max(FEWEST_ROWS, room)
  return table.rows.slice(0, results <= max + FEW_MORE ? results : max)
}

/** Rows per page: `one` if a row is a single line, `pair` if changes are printed below. */
const rowsPerPage = { upright: { one: 40, pair: 24 }, across: { one: 26, pair: 16 } } as const

/** Approximate number of pages of the whole table. */
export function pagesOf(pairs: readonly ColumnPair[], rows: number): number {
  const pages = rowsPerPage[liesAcross(pairs) ? 'across' : 'upright']
  return Math.ceil(Math.min(rows, MAX_ROWS) / (pairs.some(({ change }) => change) ? pages.pair : pages.one))
}

/** States when the figures were fetched, from the oldest to the newest, in the zone of their days. */
export function ageWords(sections: readonly PrintedSection[], zone: string): string {
  const times = sections.flatMap(({ provenance: { fetchedAt, ages = [] } }) => [
    fetchedAt,
    ...ages.map((age) => age.fetchedAt),
  ])
  return `Updated ${endsOf(times, zone).join(' to ')} ${zone}`
}

/** The oldest and the newest time, to the minute. A single entry if both are the same. */
function endsOf(times: readonly Instant[], zone: string): readonly string[] {
  const ends = [Math.min(...times), Math.max(...times)].map((time) => momentIn(time, zone))
  return [...new Set(ends)]
}

const LONGEST_NAME = 240

/** A row's name, cut after `LONGEST_NAME` characters. */
export function nameOnPaper(label: string): string {
  const letters = Array.from(label.slice(0, LONGEST_NAME * 2 + 2))
  return letters.length > LONGEST_NAME ? `${letters.slice(0, LONGEST_NAME).join('')}…` : label
}

/** Returns the glossary for the pages: terms in the order of `terms`, then named rule sets. */
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
