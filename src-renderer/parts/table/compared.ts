import { changeOf } from '../../../src-shared/reports/change.ts'
import type { Change } from '../../../src-shared/reports/change.ts'
import type { Cell, TableRow } from '../../../src-shared/service/answers.ts'
import type { ChangeColumn } from './columns.ts'

/** What stood in the rows of a table before. */
export type RowsBefore = {
  /** The cells of a row: null where there was no such row, undefined while that is not known. */
  readonly of: (row: TableRow) => readonly Cell[] | null | undefined
  /** Where a header stands among them; -1 where it does not. */
  readonly placeOf: (header: string) => number
  /** What is compared of a row under a header: its cell that is shown, or where days are missing another. */
  readonly nowOf: (row: TableRow, header: string, shown: Cell | undefined) => Cell | undefined
}

/** The changes of one row, by column; undefined while they are not known. */
export type RowChanges = (column: ChangeColumn) => Change | undefined

const waiting: RowChanges = () => undefined

/** How a row has changed, for the columns that tell of it. */
export function changesOf(row: TableRow, before: RowsBefore | null): RowChanges {
  const then = before?.of(row)
  if (!before || then === undefined) return waiting
  const nowAt = ({ header, place }: ChangeColumn['count']) => before.nowOf(row, header, row.cells[place])
  const thenAt = ({ header }: ChangeColumn['count']) => then?.[before.placeOf(header)]
  return ({ count, base }) =>
    changeOf(
      count.header,
      { count: nowAt(count), of: base ? nowAt(base) : null },
      then && { count: thenAt(count), of: base ? thenAt(base) : null },
    )
}
