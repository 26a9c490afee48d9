import { rawTypes } from '../api/raw-columns.ts'

/** How the columns of a report are laid out, by header. Columns that it does not name stand as they come. */
export type ColumnLayout = {
  readonly order: readonly string[]
  readonly hidden: readonly string[]
  /** Those that stay beside the label while the others scroll. */
  readonly pinned?: readonly string[]
  /** Widths in CSS pixels. */
  readonly widths: Readonly<Record<string, number>>
}

/** Layouts by report, such as `script/browsers`. */
export type Layouts = Readonly<Record<string, ColumnLayout>>

/** Raw rows are laid out by their type, `plain` is a table that is no raw report; and their groups and clusters. */
export const rowsLayouts = [...rawTypes, 'plain', 'groups', 'clusters'] as const
