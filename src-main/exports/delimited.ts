import type { TableRow } from '../../src-shared/service/answers.ts'
import { delimited } from '../../src-shared/values/delimited.ts'
import type { DelimitedForm } from '../../src-shared/values/delimited.ts'
import type { ExportColumn } from '../../src-shared/exports/columns.ts'
import { valueAt } from '../../src-shared/exports/columns.ts'

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
