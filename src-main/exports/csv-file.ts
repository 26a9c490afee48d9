import type { TableRow } from '#shared/api/answers.ts'
import { csvForms, csvMark, delimited } from '#shared/values/delimited.ts'
import type { CsvForm, DelimitedForm } from '#shared/values/delimited.ts'
import type { ExportColumn } from '#shared/exports/columns.ts'
import { valueAt } from '#shared/exports/columns.ts'
import type { Out, Sheet, TableWriter } from './table-writer.ts'

/** Writes one table as CSV. */
export function csvFile(file: Out, csv: CsvForm = 'comma'): TableWriter {
  const form = csvForms[csv]
  let columns: Sheet['columns'] = []
  return {
    begin: async (sheet) => {
      columns = sheet.columns
      await file.appendFile(csvMark + headerLine(columns, form) + lines(sheet.above ?? [], columns, form))
    },
    rows: (rows) => file.appendFile(lines(rows, columns, form)),
    absent: () => Promise.resolve(),
    finish: () => Promise.resolve({ cut: [] }),
  }
}

export const headerLine = (columns: readonly ExportColumn[], form: DelimitedForm): string =>
  delimited([columns.map(({ header }) => header)], form)

/** Formats rows of a report: rates in percent, null as empty. */
export const lines = (
  rows: readonly TableRow[],
  columns: readonly ExportColumn[],
  form: DelimitedForm,
): string =>
  delimited(
    rows.map((row) => columns.map((column) => valueAt(row, column))),
    form,
  )
