import type { MoversAnswer, Mover } from '#shared/reports/answer.ts'
import { changeOf, comparedLengths, isPerDay } from '#shared/reports/change.ts'
import { completed } from '#shared/reports/daily-figures.ts'
import type { Explanation, ExplainedSide, NamedValue } from '#shared/reports/explain.ts'
import type { ExplainAnswer } from '#shared/reports/explain-answer.ts'
import { shareOf, watchedCounts } from '#shared/reports/overview-figures.ts'
import { inPercent, labelText, rateHeader, rateOf } from '#shared/reports/rows.ts'
import { dimensionEntry, families, reportName } from '#shared/api/dimensions.ts'
import type { Dimension, Family } from '#shared/api/dimensions.ts'
import type { Cell, Chart, TableRow } from '#shared/api/answers.ts'
import type { ExportColumn } from '#shared/exports/columns.ts'
import { aboutNoteWords } from '#shared/texts/notes.ts'
import type { DayNote } from '#shared/watch/notes.ts'
import type { Sheet } from './table-writer.ts'
import type { SheetChart } from './workbook-charts.ts'

/** A sheet with its rows. */
export type FilledSheet = Sheet & { readonly rows: readonly TableRow[] }

/** Maximum number of days and of rows in a chart. */
const drawn = { days: 366, rows: 10 } as const

/** Column of each kind, in the order of a sheet's cells. */
const columnsOf = (
  columns: readonly (readonly [header: string, kind: ExportColumn['kind']])[],
): readonly ExportColumn[] => columns.map(([header, kind], place) => ({ header, kind, place }))

const rowOf = (text: string, cells: readonly Cell[]): TableRow => ({ label: { kind: 'text', text }, cells })

/** Index of the first column with a header; -1 if there is none. */
const indexOf = (columns: readonly ExportColumn[], header: string) =>
  columns.findIndex((column) => column.header === header)

/** Returns the sheet of a family's days. The watched rate comes before the counts. */
export function daysSheet(family: Family, chart: Chart): FilledSheet {
  const { days, series } = completed(family, chart)
  const watched = watchedCounts[family]
  const valuesOf = (wanted: string) => series.find(({ header }) => header === wanted)?.values
  const [bad, requests] = [valuesOf(watched), valuesOf('Requests')]
  const others = series.filter(({ header }) => header !== 'Requests')
  const name = `${families[family].words} by day`
  return {
    name,
    facts: null,
    columns: columnsOf([
      ['Day', 'day'],
      ['Requests', 'count'],
      [rateHeader(watched), 'rate'],
      ...others.map(({ header }) => [header, 'count'] as const),
    ]),
    rows: days.map((day, place) =>
      rowOf(day, [
        requests?.[place] ?? null,
        inPercent(shareOf(bad?.[place], requests?.[place])),
        ...others.map(({ values }) => values[place] ?? null),
      ]),
    ),
    chart: {
      title: `${families[family].words}: ${watched.toLowerCase()} rate by day`,
      ...{ bars: 1, line: 2, isByDay: true, rows: drawn.days },
    },
  }
}

/** Returns the chart of a table's first rows; undefined if the table lacks the requests. */
export function chartOfRows(
  family: Family,
  dimension: Dimension,
  columns: readonly ExportColumn[],
): SheetChart | undefined {
  const bars = indexOf(columns, 'Requests')
  const line = indexOf(columns, rateHeader(watchedCounts[family]))
  if (bars < 0) return undefined
  const title = `${reportName(family, dimension)}: most requests`
  return { title, bars, line: line < 0 ? null : line, isByDay: false, rows: drawn.rows }
}

/** Returns the sheet of a family's largest changes by one dimension. */
export function moversSheet(family: Family, dimension: Dimension, answer: MoversAnswer): FilledSheet {
  const header = watchedCounts[family]
  const lengths = comparedLengths(answer.periods, answer.compared)
  const isDaily = isPerDay(lengths)
  return {
    name: `${families[family].words}, biggest changes`,
    facts: null,
    columns: columnsOf([
      [dimensionEntry(dimension).header, 'label'],
      [`${header} before`, 'count'],
      [`${header} now`, 'count'],
      [isDaily ? 'Change per day' : 'Change', isDaily ? 'daily' : 'change'],
      ['Rate before', 'rate'],
      ['Rate now', 'rate'],
      ['Change (points)', 'points'],
    ]),
    rows: [...answer.up, ...answer.down].map(({ label, now, before, base }: Mover): TableRow => {
      // A row that is missing in a period counts as zero.
      const { difference, rate, rateBefore, points } = changeOf(
        header,
        { count: now ?? 0, base: base ? base.now : null },
        { count: before ?? 0, base: base ? base.before : null },
        { lengths },
      )
      return { label, cells: [before ?? 0, now ?? 0, difference, rateBefore, rate, points] }
    }),
  }
}

/** Returns the sheet that explains the change of a family's rate: what each value contributed, by dimension. */
export const reasonsSheet = (family: Family, { dimensions }: ExplainAnswer): FilledSheet => ({
  name: `${families[family].words}, what explains it`,
  facts: null,
  columns: columnsOf([
    ['Value', 'label'],
    ['Dimension', 'label'],
    [`${rateHeader(watchedCounts[family])} before`, 'rate'],
    [`${rateHeader(watchedCounts[family])} now`, 'rate'],
    ['Effect (points)', 'points'],
    ['By traffic (points)', 'points'],
    ['By rate (points)', 'points'],
  ]),
  // Explanations that disagree with the figure, or with doubtful rows, would not add up to the change.
  rows: dimensions.flatMap((explained) =>
    explained.kind === 'explained' && explained.agrees === true && explained.doubt === null
      ? reasonRows(explained.dimension, explained.explanation)
      : [],
  ),
})

function reasonRows(dimension: Dimension, explanation: Explanation): TableRow[] {
  const { named, against, others, rest, whole, change, sums, scale } = explanation
  const by = dimensionEntry(dimension).words
  const points = (value: number) => value / scale
  const rate = ({ count, base }: ExplainedSide) => rateOf(count, base)
  const valueRow = ({ label, before, now, total, mix, rate: ownRate }: NamedValue): TableRow =>
    rowOf(labelText(label) || '(empty)', [
      by,
      ...[rate(before), rate(now)],
      ...[total, mix, ownRate].map(points),
    ])
  return [
    ...[...named, ...(against ? [against] : [])].map(valueRow),
    ...(others.values === 0
      ? []
      : [
          rowOf(`${others.values} ${others.values === 1 ? 'other' : 'others'}`, [
            by,
            ...[null, null],
            ...[others.total, others.mix, others.rate].map(points),
          ]),
        ]),
    ...(rest === 0 ? [] : [rowOf('None', [by, null, null, points(rest), null, null])]),
    rowOf('All', [
      by,
      ...[rate(whole.before), rate(whole.now)],
      ...[points(change), points(sums.mix), points(sums.rate)],
    ]),
  ]
}

/** Returns the sheet of the user's notes. */
export const notesSheet = (notes: readonly DayNote[]): FilledSheet => ({
  name: 'Notes',
  facts: null,
  columns: columnsOf([
    ['First day', 'day'],
    ['Last day', 'day'],
    ['Note', 'label'],
    ['For', 'label'],
  ]),
  rows: notes.map((note) => rowOf(note.range.start, [note.range.end, note.text, aboutNoteWords(note)])),
})

/** A line of the contents: the name of a sheet or a fact, and words about it. */
export type ContentsLine = readonly [name: string, words: string]

/** Returns the first sheet: facts about the report, and its sheets by name. */
export const contentsSheet = (lines: readonly ContentsLine[], links: readonly string[]): FilledSheet => ({
  name: 'Contents',
  facts: null,
  kind: 'facts',
  columns: columnsOf([
    ['What', 'label'],
    ['Details', 'label'],
  ]),
  rows: lines.map(([name, words]) => rowOf(name, [words])),
  links,
})
