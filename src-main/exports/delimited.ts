import type { TableRow } from '#shared/api/answers.ts'
import { delimited } from '#shared/values/delimited.ts'
import type { DelimitedForm } from '#shared/values/delimited.ts'
import type { ExportColumn } from '#shared/exports/columns.ts'
import { valueAt } from '#shared/exports/columns.ts'

export const headerLine = (columns: readonly ExportColumn[], form: DelimitedForm): string =>
  delimited([columns.map(({ header }) => header)], form)

/** Rows of a report as text: rates in percent, nothing for null. */
export const lines = (
  rows: readonly TableRow[],
  columns: readonly ExportColumn[],
  form: DelimitedForm,
): string =>
  delimited(
    rows.map((row) => columns.map((column) => valueAt(row, column))),
    form,
  )
