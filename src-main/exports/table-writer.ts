import type { TableRow } from '#shared/api/answers.ts'
import type { CutCells } from '#shared/app/jobs.ts'
import type { ExportColumn } from '#shared/exports/columns.ts'
import type { Facts } from './facts.ts'

/** A table of an export: its columns, and what is to be known of it. */
export type Sheet = {
  readonly name: string
  readonly columns: readonly ExportColumn[]
  readonly facts: Facts
  /** Aggregate rows: above the rows, in workbooks below them. */
  readonly above?: readonly TableRow[]
}

/** The file that a table is written into, one piece behind the other. */
export type Out = { readonly appendFile: (data: string | Uint8Array) => Promise<void> }

/** Writes tables into a file, page by page. Each step is done when its bytes have gone to the system. */
export type TableWriter = {
  readonly begin: (sheet: Sheet) => Promise<void>
  readonly rows: (rows: readonly TableRow[]) => Promise<void>
  /** A table that could not be had, and why, in words. */
  readonly absent: (name: string, words: string) => Promise<void>
  /** Which cells the form of the file had no room for. */
  readonly finish: () => Promise<CutCells>
}
