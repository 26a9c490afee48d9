/**
 * Escaping of text that a spreadsheet could read as a formula, for JavaScript and for SQL. Both use the patterns below.
 * The patterns contain neither `\s` nor look-ahead, because RE2 reads them differently or not at all.
 */

/** Characters that start a formula in spreadsheets, including full-width forms. */
const signs = '=+\\-@\u2212＝＋－﹣﹢﹦＠﹫'
/** Possible cell separators: readers may split a CSV at commas, semicolons or tabs, even inside quotes. */
const ends = ',;|\\t\\r\\n'
/** Permanent noncharacters: the last two code points of each plane, and 32 more (Unicode, section 23.7). */
const noCharacters = Array.from({ length: 17 }, (_, plane) =>
  String.fromCodePoint(plane * 0x10000 + 0xfffe, plane * 0x10000 + 0xffff),
)
  .concat('\ufdd0-\ufdef')
  .join('')
/** Characters that readers skip before a formula: quotes, blanks, controls except separators, and invisible ones. */
const skipped = `[\\p{Z}\\p{Cf}\\p{Co}\\p{Cs}${noCharacters}\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f\u034f\u115f\u1160\u2800\u3164\ufe00-\ufe0f\uffa0'"‘’“”\`]*`

const begins = `^${skipped}[\\t\\r\\n${signs}]`
/** A formula inside a text, after a character that may be read as a separator. */
const follows = `([${ends}])(${skipped}[${signs}])`
/** User agents of crawlers contain `; +https://…`. No formula contains `://`, so the text stays unchanged. */
const address = `([${ends}])'(${skipped}\\+https?://)`

/** Testing is far faster than replacing, and few texts need replacing. */
const suspectPattern = `${begins}|${follows}`

const [looking, beginning, following, addresses] = [
  new RegExp(suspectPattern, 'u'),
  new RegExp(begins, 'u'),
  new RegExp(follows, 'gu'),
  new RegExp(address, 'gu'),
]

/**
 * Escapes text for CSV and the clipboard, so that no reader finds a formula, whichever separator the reader uses. An
 * apostrophe is inserted before each possible formula. The rest stays unchanged.
 */
export function spreadsheetSafe(text: string): string {
  if (!looking.test(text)) return text
  const safe = text.replace(following, "$1'$2").replace(addresses, '$1$2')
  return beginning.test(safe) ? `'${safe}` : safe
}

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`
/** Unlike `regexp_matches`, a full match is computed once for a repeated text. */
const matches = (text: string, pattern: string) =>
  `regexp_full_match(${text}, ${literal(`(?s:.*)(?:${pattern})(?s:.*)`)})`
const replaced = (text: string, pattern: string, by: string) =>
  `regexp_replace(${text}, ${literal(pattern)}, ${literal(by)}, 'g')`

/**
 * Returns the same escaping as a SQL expression (DuckDB).
 * @param text an expression of type VARCHAR; null stays null
 */
export function spreadsheetSafeSql(text: string): string {
  const safe = replaced(replaced(text, follows, "\\1'\\2"), address, '\\1\\2')
  const begun = `CASE WHEN ${matches(text, begins)} THEN '''' || ${safe} ELSE ${safe} END`
  return `CASE WHEN ${matches(text, suspectPattern)} THEN ${begun} ELSE ${text} END`
}

/** A formula behind an apostrophe, and one inside a text. */
const guarded = `^'(${skipped}[\\t\\r\\n${signs}])`
const guardedInside = `([${ends}])'(${skipped}[${signs}])`
const [guardedBeginning, guardedFollowing] = [new RegExp(guarded, 'u'), new RegExp(guardedInside, 'gu')]

/** Returns the text that `spreadsheetSafe` has escaped. */
export const withoutGuards = (text: string): string =>
  text.includes("'")
    ? text.replace(guardedBeginning, '$1').replace(addresses, "$1''$2").replace(guardedFollowing, '$1$2')
    : text

/** Returns `withoutGuards` as a SQL expression (DuckDB). */
export function withoutGuardsSql(text: string): string {
  const begun = replaced(text, guarded, '\\1')
  const plain = replaced(replaced(begun, address, "\\1''\\2"), guardedInside, '\\1\\2')
  return `CASE WHEN contains(${text}, '''') THEN ${plain} ELSE ${text} END`
}

/**
 * Returns a SQL expression (DuckDB) for a line of quoted texts that ends with a carriage return only.
 * @param texts column names of type VARCHAR; null becomes empty
 */
export function csvLineSql(texts: readonly string[], { between }: DelimitedForm): string {
  const cells = texts.map((text) => `replace(${spreadsheetSafeSql(text)}, '"', '""')`)
  return `concat('"', ${cells.join(`, '"${between}"', `)}, '"', chr(13))`
}

/** A cell for export; null is an empty cell. */
export type OutCell = string | number | null

/** Text format of cells. */
export type DelimitedForm = {
  readonly between: string
  /** Decimal separator. */
  readonly decimal: '.' | ','
  readonly lineEnd: string
  readonly isQuoted: (text: string) => boolean
}

/** Byte order mark. Excel only reads a CSV as UTF-8 if the file starts with it; other readers ignore the mark. */
export const csvMark = '\uFEFF'

/** RFC 4180. Texts are always quoted, so that fewer readers find a separator inside of them. */
const rfc4180: DelimitedForm = { between: ',', decimal: '.', lineEnd: '\r\n', isQuoted: () => true }

/** CSV formats: the standard, and that of spreadsheets in countries with decimal commas. */
export const csvForms = {
  comma: rfc4180,
  semicolon: { ...rfc4180, between: ';', decimal: ',' },
} as const satisfies Record<string, DelimitedForm>
export type CsvForm = keyof typeof csvForms
export const csvFormNames = ['comma', 'semicolon'] as const satisfies readonly CsvForm[]

/** Clipboard format. Only cells that contain a separator, a line break or a quote are quoted. */
export const clipboardForm: DelimitedForm = {
  between: '\t',
  decimal: '.',
  lineEnd: '\n',
  isQuoted: (text) => /[\t\n\r"]/.test(text),
}

/** Formats rows. Texts are escaped against formulas, numbers are plain, and null is empty. */
export const delimited = (rows: readonly (readonly OutCell[])[], form: DelimitedForm): string =>
  rows.map((cells) => cells.map((cell) => written(cell, form)).join(form.between) + form.lineEnd).join('')

function written(cell: OutCell, { isQuoted, decimal }: DelimitedForm): string {
  if (cell === null) return ''
  if (typeof cell === 'number') return plainNumber(cell).replace('.', decimal)
  const text = spreadsheetSafe(cell)
  return isQuoted(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Formats a number without an exponent. */
function plainNumber(value: number): string {
  const text = String(value)
  return text.includes('e')
    ? value.toLocaleString('en', { useGrouping: false, maximumFractionDigits: 20 })
    : text
}
