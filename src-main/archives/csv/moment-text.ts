const day = String.raw`((?:19|20)\d{2})(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])`
const clock = String.raw`([01]\d|2[0-3]):?([0-5]\d)`

/** Months in English, German, French, Spanish, Portuguese, Italian, Dutch, Danish, Norwegian and Swedish: whole names and usual short ones. */
const months = [
  'jan|january|januar|jänner|jän|janvier|janv|enero|ene|janeiro|gennaio|gen|januari',
  'feb|february|februar|février|févr|fév|febrero|fevereiro|fev|febbraio|februari',
  'mar|march|märz|mär|mrz|mars|marzo|março|maart|mrt|marts',
  'apr|april|avril|avr|abril|abr|aprile',
  'may|mai|mayo|maio|maggio|mag|mei|maj',
  'jun|june|juni|juin|junio|junho|giugno|giu',
  'jul|july|juli|juillet|juil|julio|julho|luglio|lug',
  'aug|august|août|aout|agosto|ago|augustus|augusti',
  'sep|sept|september|septembre|septiembre|setiembre|setembro|settembre|set',
  'oct|october|oktober|okt|octobre|octubre|outubro|out|ottobre|ott',
  'nov|november|novembre|noviembre|novembro',
  'dec|december|dezember|dez|décembre|déc|diciembre|dic|dezembro|dicembre|desember|des',
]
const english = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/**
 * A moment that needs no rewriting: the usual forms, which take a tenth of the time so. JavaScript and the engine read the patterns of this file
 * alike, ignoring case.
 */
const plain = [
  `^(?:\\d{1,4}[-/.]\\d{1,2}[-/.]\\d{1,4}|\\d{1,2}[- /](?:${english.join('|')})[- /]\\d{4}|(?:${english.join('|')}) \\d{1,2},? \\d{4})`,
  String.raw`(?:(?:,? +|[T:])\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?)?(?: ?(?:Z|UTC|[AP]M|[-+]\d{2}:?\d{2}))?$`,
].join('')

const weekdays = [
  '(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?',
  'montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonnabend|sonntag',
  'lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|lunes|martes|miércoles|jueves|viernes|sábado',
  'lunedì|martedì|mercoledì|giovedì|venerdì|sabato|maandag|dinsdag|woensdag|donderdag|vrijdag|zaterdag|zondag',
  'mandag|måndag|tirsdag|tisdag|onsdag|torsdag|fredag|lørdag|lördag|søndag|söndag',
].join('|')
/** Weekdays that are also other words or names, read before a comma. */
const otherWeekdays = [
  'mo|di|mi|do|fr|sa|so|lun|mar|mer|jeu|ven|sam|dim|mié|jue|vie|sáb|dom|gio|sab|ma|wo|vr|za|zo|man|mån|tir|tis|ons|tor|lør|lör|søn|sön',
  'domenica|domingo|segunda|terça|quarta|quinta|sexta|seg|ter|qua|qui|sex',
].join('|')

/** Offsets of zone names with one common meaning: those of RFC 2822 (4.3) without CST, which is also China's, and of Central Europe. */
const offsets = [
  ['EDT', '-04:00'],
  ['EST|CDT', '-05:00'],
  ['MDT', '-06:00'],
  ['MST|PDT', '-07:00'],
  ['PST', '-08:00'],
  ['CET|MEZ', '+01:00'],
  ['CEST|MESZ', '+02:00'],
] as const
const zoneNames = offsets.map(([named]) => named).join('|')

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
  ...months.map((month, nth) => [`(^|\\d[- /])(?:${month})\\.?([- ,/])`, `\\1${english[nth]}\\2`] as const),
  // Two digits of the year, as in `19-Nov-26`.
  [`^(\\d{1,2}[- /](?:${english.join('|')}))[- /](\\d{2})([ ,T]|$)`, '\\1-20\\2\\3'],
] as const

const clocked = '(?:(?:\\d:\\d{2}|T\\d{6})(?:[.,]\\d+)?|[AP]M)'
const bracketed = '\\([^()]*\\)|\\[[A-Za-z_/]+\\]'

const rewrites = [
  ['[\u200e\u200f]', ''],
  ['[\u00a0\u2007\u2009\u202f]', ' '],
  // A zone in brackets after its offset, and in place of its offset.
  [
    `((?:\\d|[AP]M) ?(?:Z|UTC|GMT)|${clocked} ?(?:UTC|GMT)?[-+]\\d{2}(?::?\\d{2})?) ?(?:${bracketed})$`,
    '\\1',
  ],
  [`(\\d|[AP]M) ?[([](UTC|GMT|${zoneNames})[)\\]]$`, '\\1 \\2'],
  // Brackets of a server's log.
  ['^\\[([^[\\]]*)\\]$', '\\1'],
  [`^(?:(?:${weekdays})\\.?,?|(?:${otherWeekdays})\\.?,) +(\\p{L}|\\d)`, '\\1'],
  // The time before the year, as in `Nov 19 01:07:13 2026`.
  ['^(\\p{L}{3} +\\d{1,2}) (\\d{1,2}:\\d{2}:\\d{2})( UTC| GMT)? (\\d{4})$', '\\1 \\4 \\2\\3'],
  ['(?:GMT|UTC)([-+]\\d)', '\\1'],
  ['(\\d{4})年(\\d{1,2})月(\\d{1,2})日 *', '\\1-\\2-\\3 '],
  ['^(\\d{4})\\. ?(\\d{1,2})\\. ?(\\d{1,2})\\. *', '\\1-\\2-\\3 '],
  [' +$', ''],
  [',? (?:at|um|klo|kl\\.?|à) (\\d)', ' \\1'],
  [' ?Uhr$', ''],
  // Points between hours, minutes and seconds.
  ['^(\\S+,? \\d{1,2})[.](\\d{2})[.](\\d{2})', '\\1:\\2:\\3'],
  ...names,
  ...offsets.map(([named, offset]) => [`(\\d|[AP]M) ?(?:${named})$`, `\\1${offset}`] as const),
  ...compact,
  // Only hours.
  ['^(\\d{1,4}[-/.]\\d{1,2}[-/.]\\d{1,4},?[ T]\\d{1,2})( ?[AP]\\.?M\\.?)?$', '\\1:00\\2'],
] as const

const isPlain = new RegExp(plain, 'iu')
const patterns = rewrites.map(
  ([pattern, by]) => [new RegExp(pattern, 'giu'), by.replaceAll('\\', '$')] as const,
)
/** Moments of two meanings: digits without separators, and short names that are also other words. */
const unsure = new RegExp(
  [
    `^${day}(?:[T ]?\\d{2}|$)`,
    '(?:^\\W*|\\d[- /])(?:ago|des|dic|ene|gen|lug|mag|out|ott|set)\\.?[- ,/]',
    '^\\W*(?:mai|maj|mars|mei)\\.?[- ,/]',
    `^(?:${otherWeekdays})\\.?,`,
  ].join('|'),
  'iu',
)
/** Quick checks: text of other kinds is not rewritten. */
const beginning = /^\W*(?:\p{L}+[.,]* +){0,2}\d/u
const year = /\d{4}|\d[- /]\p{L}{3,4}\.?[- /]\d/u
const longest = 80

/**
 * Rewrites a moment to a form with separators, plain blanks, English months and a numeric offset. Other text stays as it is.
 * @param isSaid whether the header says that the cell is a time, so that text of two meanings is a date
 */
export function plainMoment(text: string, isSaid: boolean): string {
  const cell = text.trim()
  if (cell.length > longest || !beginning.test(cell) || !year.test(cell)) return cell
  if (isPlain.test(cell) || (!isSaid && unsure.test(cell))) return cell
  return patterns.reduce((rest, [pattern, by]) => rest.replace(pattern, by), cell)
}

const literal = (text: string) => `'${text.replaceAll("'", "''")}'`

/** SQL of a cell without the blanks around it. */
export const trimmedSql = (cell: string): string => `trim(${cell}, ' \t\r\n\u00a0\u2007\u2009\u202f')`

/** Returns `plainMoment` as a SQL expression (DuckDB), in capitals. */
export const plainMomentSql = (cell: string): string => {
  const trimmed = trimmedSql(cell)
  const rewritten = (by: typeof compact | typeof rewrites) =>
    by.reduce<string>(
      (sql, [pattern, form]) => `regexp_replace(${sql}, ${literal(pattern)}, ${literal(form)}, 'gi')`,
      trimmed,
    )
  return `upper(CASE WHEN regexp_full_match(${trimmed}, ${literal(plain)}, 'i') THEN ${trimmed}
    WHEN regexp_full_match(${trimmed}, '[0-9TZ: ]+') THEN ${rewritten(compact)} ELSE ${rewritten(rewrites)} END)`
}
