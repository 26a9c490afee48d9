/**
 * Text that stays text where a spreadsheet reads it: one definition, for JavaScript and for the engine. Both read the patterns below
 * alike: they hold neither `\s` nor anything that looks ahead, which RE2 reads otherwise or not at all.
 */

/** What spreadsheets take for the sign of a formula, also in full width. */
const signs = '=+\\-@\u2212＝＋－﹣﹢﹦＠﹫'
/** Where a cell may end: a file with commas is also read with semicolons or tabs, quotes or not. */
const ends = ',;|\\t\\r\\n'
/** Code points that are no characters, for good: the last two of each plane, and 32 more (Unicode, section 23.7). */
const noCharacters = Array.from({ length: 17 }, (_, plane) =>
  String.fromCodePoint(plane * 0x10000 + 0xfffe, plane * 0x10000 + 0xffff),
)
  .concat('\ufdd0-\ufdef')
  .join('')
/** What a reader may skip before a sign: blanks, controls, what is no character or invisible, except ends of cells, and quotes. */
const skipped = `[\\p{Z}\\p{Cf}\\p{Co}\\p{Cs}${noCharacters}\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f\u034f\u115f\u1160\u2800\u3164\ufe00-\ufe0f\uffa0'"‘’“”\`]*`

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

/** Whether a line of cells may need guards or doubled quotes, cells joined by commas: one look at a line costs less than at each cell. */
const suspectLine = `"|(^|[${ends}])${skipped}[\\t\\r\\n${signs}]`

/**
 * A line of quoted texts as an expression of SQL (DuckDB), with a carriage return behind it: whoever writes lines adds the feed.
 * @param texts names of columns of type VARCHAR; null is empty
 */
export function csvLineSql(texts: readonly string[], { between }: DelimitedForm): string {
  const line = (cells: readonly string[]) => `concat('"', ${cells.join(`, '"${between}"', `)}, '"', chr(13))`
  const safe = texts.map((text) => `replace(${spreadsheetSafeSql(text)}, '"', '""')`)
  const isSuspect = matches(`concat(${texts.join(`, ',', `)})`, suspectLine)
  return `CASE WHEN ${isSuspect} THEN ${line(safe)} ELSE ${line(texts)} END`
}

/** A cell of text that leaves the app; null leaves it empty. */
export type OutCell = string | number | null

/** How cells are written as text, and which texts stand in quotes. */
export type DelimitedForm = {
  readonly between: string
  /** What stands before the decimals of a number. */
  readonly decimal: '.' | ','
  readonly lineEnd: string
  readonly isQuoted: (text: string) => boolean
}

/** Excel reads a CSV as UTF-8 only where it begins with this mark; other readers leave it out. */
export const csvMark = '\uFEFF'

/** RFC 4180. Texts stand between quotes, always: fewer readers then find a cell's end inside of one. */
const rfc4180: DelimitedForm = { between: ',', decimal: '.', lineEnd: '\r\n', isQuoted: () => true }

/** How every CSV is written: as readers everywhere expect it, or as spreadsheets do in countries with decimal commas. */
export const csvForms = {
  comma: rfc4180,
  semicolon: { ...rfc4180, between: ';', decimal: ',' },
} as const satisfies Record<string, DelimitedForm>
export type CsvForm = keyof typeof csvForms
export const csvFormNames = ['comma', 'semicolon'] as const satisfies readonly CsvForm[]

/** What spreadsheets take from the clipboard: only what would end a cell early stands in quotes. */
export const clipboardForm: DelimitedForm = {
  between: '\t',
  decimal: '.',
  lineEnd: '\n',
  isQuoted: (text) => /[\t\n\r"]/.test(text),
}

/** Lines of cells: texts in which no spreadsheet finds a formula, numbers plain, nothing for null. */
export const delimited = (rows: readonly (readonly OutCell[])[], form: DelimitedForm): string =>
  rows.map((cells) => cells.map((cell) => written(cell, form)).join(form.between) + form.lineEnd).join('')

function written(cell: OutCell, { isQuoted, decimal }: DelimitedForm): string {
  if (cell === null) return ''
  if (typeof cell === 'number') return plainNumber(cell).replace('.', decimal)
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
