import { stringify } from 'csv-stringify/sync'
import type { TableRow } from '../../src-shared/service/answers.ts'
import type { ExportColumn, Value } from './columns.ts'
import { valueAt } from './columns.ts'
import { spreadsheetSafe } from './safe-text.ts'

/** How tables are written as text: `quoted` puts every text between quotes, whatever is in it. */
type Form = { readonly delimiter: string; readonly record_delimiter: string; readonly quoted_string: boolean }

/**
 * RFC 4180. Texts stand between quotes, always: a spreadsheet that expects semicolons would otherwise begin a new cell,
 * and perhaps a formula, in the middle of a label.
 */
export const csvForm: Form = { delimiter: ',', record_delimiter: '\r\n', quoted_string: true }

/** What spreadsheets take from the clipboard. */
export const clipboardForm: Form = { delimiter: '\t', record_delimiter: '\n', quoted_string: false }

export const headerLine = (columns: readonly ExportColumn[], form: Form): string =>
  stringify([columns.map(({ header }) => spreadsheetSafe(header))], form)

/** Rows as text: numbers plain with a dot, rates in percent, nothing for null. */
export const lines = (rows: readonly TableRow[], columns: readonly ExportColumn[], form: Form): string =>
  linesOf(
    rows.map((row) => columns.map((column) => valueAt(row, column))),
    form,
  )

/** The same of cells that are no figures of a report. */
export const linesOf = (rows: readonly (readonly Value[])[], form: Form): string =>
  stringify(
    rows.map((cells) => cells.map((cell) => (typeof cell === 'string' ? spreadsheetSafe(cell) : cell))),
    { ...form, cast: { number: plainNumber } },
  )

/** Digits and a dot, never an exponent. */
const plainNumber = (value: number): string => {
  const text = String(value)
  return text.includes('e')
    ? value.toLocaleString('en', { useGrouping: false, maximumFractionDigits: 20 })
    : text
}
