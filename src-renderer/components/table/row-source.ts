import type { TableRow } from '#shared/api/answers.ts'

/** The rows of a table, however they come: all at hand, or asked for where they are looked at. */
export type RowSource = {
  /** How many there are, loaded or not. */
  readonly count: number
  /** Changes when rows that were not there have come; whoever draws with it draws again. */
  readonly version: number
  /** The row at an index from 0; null while it is not there. */
  readonly row: (index: number) => TableRow | null
  /** Tells which rows are on screen, so that they are asked for; the last includes. */
  readonly want: (first: number, last: number) => void
}

/** Rows that are all there. */
export const rowsAtHand = (rows: readonly TableRow[]): RowSource => ({
  count: rows.length,
  version: 0,
  row: (index) => rows[index] ?? null,
  want: () => undefined,
})
