/** How the columns of a report are laid out, by header. Columns that it does not name stand as they come. */
export type ColumnLayout = {
  readonly order: readonly string[]
  readonly hidden: readonly string[]
  /** Widths in CSS pixels. */
  readonly widths: Readonly<Record<string, number>>
}
