import type { TableRow } from '#shared/api/answers.ts'

/** A table that takes part. Its code is loaded and its styles are there before anything is measured. */
export type Contender = {
  /** Gives it the rows; it draws them into the place. */
  readonly give: (place: HTMLElement, rows: readonly TableRow[]) => Promise<void> | void
  /** The texts of the first cells of the rows that are drawn. */
  readonly shown: () => string[]
  /** The element that scrolls through the rows. */
  readonly scroller: () => Element | null
  /** A row that is drawn, by a selector. */
  readonly row: string
}

/** The texts of elements, as they are read. */
export const textsOf = (selector: string): string[] =>
  Array.from(document.querySelectorAll(selector), (element) => element.textContent.trim())

/** The label of a row. */
export const labelOf = (row: TableRow | undefined): string =>
  row?.label.kind === 'text' ? row.label.text : 'All'

const format = new Intl.NumberFormat()

/** How each of them writes a figure. */
export const figure = (value: unknown): string => (typeof value === 'number' ? format.format(value) : '–')

/** How each of them lays its rows out, in CSS pixels: about as ours does in a place of this size. */
export const layout = { row: 30, label: 336, figure: 125 } as const
