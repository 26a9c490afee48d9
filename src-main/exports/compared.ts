import { comparedLengths, changesOf, comparedFigure } from '#shared/reports/change.ts'
import type { BeforeAnswer, ComparedFigures, RowsOfLabels } from '#shared/reports/answer.ts'
import { inPercent, labelKey, rateHeader } from '#shared/reports/rows.ts'
import type { BaseOf } from '#shared/reports/rows.ts'
import type { Change, ComparedFigure, RowsBefore } from '#shared/reports/change.ts'
import type { Cell, TableRow } from '#shared/api/answers.ts'
import type { ExportColumn } from '#shared/exports/columns.ts'
import { changeMarks } from './facts.ts'

/** A column of a comparison, with its value of a change. */
type ComparedColumn = { readonly figure: ComparedFigure; readonly read: (change: Change) => Cell }

/** Columns including those of a comparison, and the function that adds its cells to a row. */
type ComparedColumns = {
  readonly columns: readonly ExportColumn[]
  readonly extend: (row: TableRow, before: RowsBefore) => TableRow
}

/**
 * Adds columns of a comparison. Beside each count: before, change, change in percent; beside each rate: before, change in points.
 * @param headers headers of the compared table; `columns` are the exported ones
 */
export function comparedColumns(
  headers: readonly string[],
  columns: readonly ExportColumn[],
  baseOf: BaseOf,
  { periods, compared }: ComparedFigures,
): ComparedColumns {
  const mark = changeMarks(periods, compared)
  const result: ComparedColumn[] = []
  const add = (
    header: string,
    kind: ExportColumn['kind'],
    figure: ComparedFigure,
    read: ComparedColumn['read'],
  ) => {
    result.push({ figure, read })
    return { header, kind, place: headers.length - 1 + result.length }
  }
  const all = columns.flatMap((column): ExportColumn[] => {
    const { header, kind } = column
    if (kind === 'count') {
      const figure = comparedFigure(headers, header, baseOf)
      return [
        column,
        add(`${header} before`, 'count', figure, ({ before }) => before),
        add(
          `${header} change${mark.count}`,
          mark.isDaily ? 'daily' : 'change',
          figure,
          ({ difference }) => difference,
        ),
        add(`${header} change %${mark.count}`, 'proportion', figure, ({ proportion }) =>
          inPercent(proportion),
        ),
      ]
    }
    const count = headers.find((value) => rateHeader(value) === header)
    if (kind !== 'rate' || count === undefined) return [column]
    const figure = comparedFigure(headers, count, baseOf)
    return [
      column,
      add(`${header} before`, 'rate', figure, ({ rateBefore }) => rateBefore),
      add(`${header} change (points)${mark.rate}`, 'points', figure, ({ points }) => points),
    ]
  })
  return {
    columns: all,
    extend: (row, before) => {
      const changes = changesOf(row, before)
      const cells = result.map(({ figure, read }): Cell => {
        const change = changes(figure)
        return change ? read(change) : null
      })
      const own = Array.from({ length: headers.length - 1 }, (_, place) => row.cells[place] ?? null)
      return { ...row, cells: [...own, ...cells] }
    },
  }
}

/** Looks up cells of the period before, and of the compared days if these differ from the shown days. Empty without a comparison. */
export function rowsBefore(
  labels: readonly string[],
  { sides, periods, compared }: BeforeAnswer,
): RowsBefore {
  const nothing: RowsOfLabels = { headers: [], all: [], rows: labels.map(() => []) }
  const then = known(labels, sides?.before ?? nothing)
  const now = sides ? sides.now && known(labels, sides.now) : known(labels, nothing)
  return {
    cellsOf: then.of,
    placeOf: then.placeOf,
    nowOf: (row, header, shown) => (now ? now.of(row)?.[now.placeOf(header)] : shown),
    lengths: comparedLengths(periods, compared),
  }
}

function known(labels: readonly string[], { headers, all, rows }: RowsOfLabels) {
  const byLabel = new Map(labels.map((label, place) => [label, rows[place] ?? null]))
  return {
    of: ({ label }: TableRow) => (label.kind === 'all' ? all : byLabel.get(labelKey(label))),
    placeOf: (header: string) => headers.indexOf(header, 1) - 1,
  }
}
