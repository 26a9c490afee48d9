import type { Cell, TableRow } from '../api/answers.ts'
import { changeOf } from './change.ts'
import type { BaseOf } from './rates.ts'
import type { Change } from './change.ts'
import type { Lengths } from './compared-periods.ts'

/** What stood in the rows of a table before. */
export type RowsBefore = {
  /** The cells of a row: null where there was no such row, undefined while that is not known. */
  readonly of: (row: TableRow) => readonly Cell[] | null | undefined
  /** Where a header stands among them; -1 where it does not. */
  readonly placeOf: (header: string) => number
  /** What is compared of a row under a header: its cell that is shown, or where other days are compared another. */
  readonly nowOf: (row: TableRow, header: string, shown: Cell | undefined) => Cell | undefined
  /** How many days either side is of; null while that is not known. */
  readonly lengths: Lengths | null
}

/** A figure of a table: `cells[place]` stands in it. */
export type TableFigure = { readonly header: string; readonly place: number }

/** A count that is compared, and what its rate is a share of; null where it has none that says something. */
export type ComparedFigure = { readonly count: TableFigure; readonly base: TableFigure | null }

/** A count of a table that is compared, by its header. */
export function comparedFigure(headers: readonly string[], header: string, baseOf: BaseOf): ComparedFigure {
  const figureOf = (wanted: string): TableFigure => ({
    header: wanted,
    place: headers.indexOf(wanted, 1) - 1,
  })
  const base = baseOf(header)
  return {
    count: figureOf(header),
    base: base !== null && headers.includes(base, 1) ? figureOf(base) : null,
  }
}

/** The changes of one row, by figure; undefined while they are not known. */
export type RowChanges = (figure: ComparedFigure) => Change | undefined

const waiting: RowChanges = () => undefined

/** How a row has changed. */
export function changesOf(row: TableRow, before: RowsBefore | null): RowChanges {
  const then = before?.of(row)
  if (!before || then === undefined) return waiting
  const nowAt = ({ header, place }: TableFigure) => before.nowOf(row, header, row.cells[place])
  const thenAt = ({ header }: TableFigure) => then?.[before.placeOf(header)]
  return ({ count, base }) =>
    changeOf(
      count.header,
      { count: nowAt(count), of: base ? nowAt(base) : null },
      then && { count: thenAt(count), of: base ? thenAt(base) : null },
      { lengths: before.lengths },
    )
}
