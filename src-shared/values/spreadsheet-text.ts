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
const looked = `${begins}|${follows}`

const [looking, beginning, following, addresses] = [
  new RegExp(looked, 'u'),
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
  return `CASE WHEN ${matches(text, looked)} THEN ${begun} ELSE ${text} END`
}
