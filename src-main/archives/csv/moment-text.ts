/** A moment that needs no rewriting. JavaScript and the engine read the patterns of this file alike, ignoring case. */
const plain = String.raw`^\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(?:(?:,? +|T)\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?)?(?: ?(?:Z|UTC|[AP]M|[-+]\d{2}:?\d{2}))?$`

const day = String.raw`((?:19|20)\d{2})(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])`
const clock = String.raw`([01]\d|2[0-3]):?([0-5]\d)`

/** First letters of the months in English, German, French, Spanish, Portuguese, Italian, Dutch and the Nordic languages. */
const months = [
  ...['jan|jän|ene|gen', 'feb|fév|fev', 'mar|mär|mrz|mrt|maa', 'apr|avr|abr', 'may|mai|mei|mag|maj'],
  ...[
    'jun|juin|giu',
    'jul|juil|lug',
    'aug|aoû|aou|ago',
    'sep|set',
    'oct|okt|out|ott',
    'nov',
    'dec|déc|dez|dic|des',
  ],
]
const english = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** Offsets of zone names, by RFC 2822 (4.3) and in Central Europe. Other names have several meanings. */
const zones = [
  ...[
    ['EDT', '-04:00'],
    ['EST|CDT', '-05:00'],
    ['CST|MDT', '-06:00'],
    ['MST|PDT', '-07:00'],
    ['PST', '-08:00'],
  ],
  ...[
    ['CET|MEZ', '+01:00'],
    ['CEST|MESZ', '+02:00'],
  ],
].map(([names = '', offset = '']) => [`(\\d|[AP]M) ?(?:${names})$`, `\\1${offset}`] as const)

/** Dates without separators. Without a header that says so, such digits may be any number. */
const compact = [
  [`^${day}[T ]?${clock}:?([0-5]\\d)`, '\\1-\\2-\\3 \\4:\\5:\\6'],
  [`^${day}[T ]?${clock}(Z|$)`, '\\1-\\2-\\3 \\4:\\5\\6'],
  [`^${day}[T ]?([01]\\d|2[0-3])$`, '\\1-\\2-\\3 \\4:00'],
  [`^${day}$`, '\\1-\\2-\\3'],
] as const

const names = [
  // `19. novembre 2026`, `18 de noviembre de 2026`
  ['(\\d)(?:er|º|°|\\.)? (?:de )?(\\p{L})', '\\1 \\2'],
  ['(\\p{L})\\.? de (\\d)', '\\1 \\2'],
  ...months.map(
    (begins, nth) => [`(^|\\d[- /])(?:${begins})\\p{L}*\\.?([- ,/])`, `\\1${english[nth]}\\2`] as const,
  ),
  // Two digits of the year, as in `19-Nov-26`.
  ['^(\\d{1,2}[- /]\\p{L}{3})[- /](\\d{2})([ ,T]|$)', '\\1-20\\2\\3'],
] as const

const rewrites = [
  ['[\u200e\u200f]', ''],
  ['[\u00a0\u2007\u2009\u202f]', ' '],
  // Brackets of a server's log, and a zone's name in brackets.
  ['^\\[|\\]$|\\[[A-Za-z_/]+\\]$| ?\\([^()]*\\)$', ''],
  ['^(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\\.?,?|\\p{L}+\\.?,) +(\\p{L}|\\d)', '\\1'],
  // The time before the year, as in `Nov 19 01:07:13 2026`.
  ['^(\\p{L}{3} +\\d{1,2}) (\\d{1,2}:\\d{2}:\\d{2})( UTC| GMT)? (\\d{4})$', '\\1 \\4 \\2\\3'],
  ['(?:GMT|UTC)([-+]\\d)', '\\1'],
  ['(\\d{4})年(\\d{1,2})月(\\d{1,2})日', '\\1-\\2-\\3'],
  ['^(\\d{4})\\. ?(\\d{1,2})\\. ?(\\d{1,2})\\.', '\\1-\\2-\\3'],
  [',? (?:at|um|klo|kl\\.?|à) (\\d)', ' \\1'],
  [' ?Uhr$', ''],
  // Points between hours, minutes and seconds.
  ['^(\\S+,? \\d{1,2})[.](\\d{2})[.](\\d{2})', '\\1:\\2:\\3'],
  ...names,
  ...zones,
  ...compact,
  // Hours alone.
  ['^(\\d{1,4}[-/.]\\d{1,2}[-/.]\\d{1,4},?[ T]\\d{1,2})( ?[AP]\\.?M\\.?)?$', '\\1:00\\2'],
] as const

const isPlain = new RegExp(plain, 'iu')
const patterns = rewrites.map(
  ([pattern, by]) => [new RegExp(pattern, 'giu'), by.replaceAll('\\', '$')] as const,
)
const isCompact = new RegExp(`^${day}(?:[T ]?\\d{2}|$)`, 'u')
/** Quick checks: text of other kinds is not rewritten. */
const beginning = /^\W*(?:\p{L}+[.,]* +){0,2}\d/u
const year = /\d{4}|\d[- /]\p{L}{3,4}\.?[- /]\d/u
const longest = 80

/**
 * Rewrites a moment to a form with separators, plain blanks, English months and a numeric offset. Other text stays as it is.
 * @param isSaid whether digits without separators may be a date
 */
export function plainMoment(text: string, isSaid: boolean): string {
  const cell = text.trim()
  if (cell.length > longest || !beginning.test(cell) || !year.test(cell)) return cell
  if (isPlain.test(cell) || (!isSaid && isCompact.test(cell))) return cell
  return patterns.reduce((rest, [pattern, by]) => rest.replace(pattern, by), cell)
}

const literal = (text: string) => `'${text.replaceAll("'", "''")}'`

/** Returns `plainMoment` as a SQL expression (DuckDB), in capitals. */
export const plainMomentSql = (cell: string): string => {
  const rewritten = rewrites.reduce(
    (sql, [pattern, by]) => `regexp_replace(${sql}, ${literal(pattern)}, ${literal(by)}, 'gi')`,
    `trim(${cell})`,
  )
  return `upper(CASE WHEN regexp_full_match(trim(${cell}), ${literal(plain)}, 'i') THEN trim(${cell}) ELSE ${rewritten} END)`
}
