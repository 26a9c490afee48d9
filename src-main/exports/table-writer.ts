import type { TableRow } from '#shared/api/answers.ts'
import type { CutCells } from '#shared/app/jobs.ts'
import type { ExportColumn } from '#shared/exports/columns.ts'
import type { ParquetParams } from '#main/reports/engine/table-calls.ts'
import type { Facts } from './facts.ts'
import type { SheetChart } from './workbook-charts.ts'
import type { SheetOptions } from './workbook.ts'

/** A table of an export: its columns and facts. Only workbooks have tables without facts. */
export type Sheet = {
  readonly name: string
  readonly columns: readonly ExportColumn[]
  readonly facts: Facts | null
  /** Names of sheets that equal names of rows lead to. */
  readonly links?: readonly string[]
  /** Chart of the rows, for a workbook with charts. */
  readonly chart?: SheetChart | undefined
  /** `facts`: without a filter; `charts`: holds the charts of all sheets. */
  readonly kind?: SheetOptions['kind']
  /** Aggregate rows: above the rows, in workbooks below them. */
  readonly above?: readonly TableRow[]
}

/** File that tables are appended to. */
export type Out = { readonly appendFile: (data: string | Uint8Array) => Promise<void> }

/** What a writer knows once all is written. */
export type Finished = {
  /** The cells that were cut. */
  readonly cut: CutCells
  /** How the engine makes Parquet of the file's lines; absent for other formats. */
  readonly parquet?: Omit<ParquetParams, 'lines'>
}

/** Writes tables into a file in batches. A step resolves after the operating system has its bytes. */
export type TableWriter = {
  readonly begin: (sheet: Sheet) => Promise<void>
  readonly rows: (rows: readonly TableRow[]) => Promise<void>
  /** Notes an unavailable table, with the reason in words. */
  readonly absent: (name: string, words: string) => Promise<void>
  /** Ends the file. */
  readonly finish: () => Promise<Finished>
}
