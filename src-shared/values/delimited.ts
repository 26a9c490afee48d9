/**
 * Text that stays text where a spreadsheet reads it: one definition, for JavaScript and for the engine. Both read the patterns below
 * alike: they hold neither `\s` nor anything that looks ahead, which RE2 reads otherwise or not at all.
 */

/** What spreadsheets take for the sign of a formula, also in full width. */
const signs = '=+\\-@\u2212＝＋－﹣﹢﹦＠﹫'
/** Where a cell may end: a file with commas is also read with semicolons or tabs, quotes or not. */
const ends = ',;|\\t\\r\\n'
/** What a reader may skip before a sign: blanks, controls and invisible characters except ends of cells, and quotes. */
const skipped = `[\\p{Z}\\p{Cf}\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f\u034f\u115f\u1160\u2800\u3164\ufe00-\ufe0f\uffa0'"‘’“”\`]*`

const begins = `^${skipped}[\\t\\r\\n${signs}]`
/** Inside a text, behind what another reader ends a cell at. */
const follows = `([${ends}])(${skipped}[${signs}])`
/** What robots say of themselves, `; +https://…`: no formula has `://` in it, so it stays as it came. */
const address = `([${ends}])'(${skipped}\\+https?://)`

/** Looking is far quicker than replacing, and few texts need that. */
const suspectPattern = `${begins}|${follows}`

const [looking, beginning, following, addresses] = [
  new RegExp(suspectPattern, 'u'),
  new RegExp(begins, 'u'),
  new RegExp(follows, 'gu'),
  new RegExp(address, 'gu'),
]

/**
 * Text in which no reader of CSV or of the clipboard finds a formula, whatever it takes for the end of a cell: an apostrophe before what
 * could be one, at the beginning and behind each such end. Nothing else is changed.
 */
export function spreadsheetSafe(text: string): string {
  if (!looking.test(text)) return text
  const safe = text.replace(following, "$1'$2").replace(addresses, '$1$2')
  return beginning.test(safe) ? `'${safe}` : safe
}

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`
const matches = (text: string, pattern: string) => `regexp_matches(${text}, ${literal(pattern)})`
const replaced = (text: string, pattern: string, by: string) =>
  `regexp_replace(${text}, ${literal(pattern)}, ${literal(by)}, 'g')`

/**
 * The same as an expression of SQL (DuckDB).
 * @param text an expression of type VARCHAR; null stays null
 */
export function spreadsheetSafeSql(text: string): string {
  const safe = replaced(replaced(text, follows, "\\1'\\2"), address, '\\1\\2')
  const begun = `CASE WHEN ${matches(text, begins)} THEN '''' || ${safe} ELSE ${safe} END`
  return `CASE WHEN ${matches(text, suspectPattern)} THEN ${begun} ELSE ${text} END`
}

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
