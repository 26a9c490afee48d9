import { spreadsheetSafe } from './spreadsheet-text.ts'

/** A cell of text that leaves the app; null leaves it empty. */
export type OutCell = string | number | null

/** How cells are written as text, and which texts stand in quotes. */
export type DelimitedForm = {
  readonly between: string
  readonly lineEnd: string
  readonly isQuoted: (text: string) => boolean
}

/** Excel reads a CSV as UTF-8 only where it begins with this mark; other readers leave it out. */
export const csvMark = '\uFEFF'

/** RFC 4180. Texts stand between quotes, always: fewer readers then find a cell's end inside of one. */
export const csvForm: DelimitedForm = { between: ',', lineEnd: '\r\n', isQuoted: () => true }

/** What spreadsheets take from the clipboard: only what would end a cell early stands in quotes. */
export const clipboardForm: DelimitedForm = {
  between: '\t',
  lineEnd: '\n',
  isQuoted: (text) => /[\t\n\r"]/.test(text),
}

/** Lines of cells: texts in which no spreadsheet finds a formula, numbers plain with a dot, nothing for null. */
export const delimited = (rows: readonly (readonly OutCell[])[], form: DelimitedForm): string =>
  rows.map((cells) => cells.map((cell) => written(cell, form)).join(form.between) + form.lineEnd).join('')

function written(cell: OutCell, { isQuoted }: DelimitedForm): string {
  if (cell === null) return ''
  if (typeof cell === 'number') return plainNumber(cell)
  const text = spreadsheetSafe(cell)
  return isQuoted(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Digits and a dot, never an exponent. */
function plainNumber(value: number): string {
  const text = String(value)
  return text.includes('e')
    ? value.toLocaleString('en', { useGrouping: false, maximumFractionDigits: 20 })
    : text
}
