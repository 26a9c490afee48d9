import type { JobProgress } from '../app/jobs.ts'
import { columnWords } from '../raw/draft.ts'
import { numberWords } from './formats.ts'
import type { Formats } from './formats.ts'
import type {
  Cluster,
  ClusterKind,
  Recount,
  RecountReason,
  GroupKey,
  SearchAnswer,
  UnsearchedReason,
} from '../archives/rows.ts'
import type { ListOrigin, MadeList, StoredList } from '../archives/block-list.ts'
import type { BlockListFormat } from '../archives/platforms.ts'
import { seenIn } from '../archives/block-list.ts'
import { platformOf } from '../archives/platforms.ts'
import type { ColumnForm, ImportDoubt, DetectedFormat, RowsFacts, RowsFile } from '../archives/rows-file.ts'
import type { TypedPiece } from '../archives/typed-list.ts'

const roleNames: Readonly<Record<string, string>> = {
  timestamp: 'Time',
  remote_address: 'Address',
  click_id: 'Click ID',
  sub_id: 'Sub-ID',
}

const byWords: Readonly<Record<GroupKey['by'], string>> = {
  value: '',
  network: ' (/24)',
  day: ' (day)',
  hour: ' (hour)',
  'click-id': ' (click ID)',
}

/** Limits of what `typedWords` names: unread pieces, and characters of each. */
const maxUnread = 5
const longestUnread = 60

/** Summarises a parsed list: `38 ranges. Not read: line 3 “office”, line 7 “n/a”, and 2 more.` */
export function typedWords(
  { values, unread }: { readonly values: readonly string[]; readonly unread: readonly TypedPiece[] },
  one: 'value' | 'range',
  { count }: Pick<Formats, 'count'>,
): string {
  const read = `${count(values.length)} ${one}${values.length === 1 ? '' : 's'}.`
  if (unread.length === 0) return read
  const named = unread
    .slice(0, maxUnread)
    .map(({ line, text }) => `line ${count(line)} “${text.slice(0, longestUnread)}”`)
  const more = unread.length - named.length
  return `${read} Not read: ${named.join(', ')}${more > 0 ? `, and ${count(more)} more` : ''}.`
}

/** Returns the header of a grouping: `REMOTE ADDRESS (/24)`. */
export const groupHeader = ({ column, by }: GroupKey): string => `${column}${byWords[by]}`

/** Returns a grouping as text: `By SOURCE × COUNTRY`. */
export const groupsWords = (groups: readonly GroupKey[]): string =>
  `By ${groups.map(groupHeader).join(' × ')}`

/** Returns a result as a column header: `Non-suspect`. An empty result is `Rows`. */
export const resultWords = (result: string): string =>
  result === '' ? 'Rows' : result.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase())

/** Returns the headers of results; empty if no row has a result. */
export const resultHeaders = (results: readonly string[]): readonly string[] =>
  results.some((result) => result !== '')
    ? results.map((result) => (result === '' ? 'No result' : resultWords(result)))
    : []

/** Summarises a recount: `matches the tables`, or `differs by 12 of 48,120 (0.02%)`. */
export function recountSummary({ outcome, compared }: Recount, tag: string | undefined): string {
  switch (outcome) {
    case 'agrees':
      return 'matches the tables'
    case 'nothing-saved':
      return 'has no saved figures for these days'
    case 'differs': {
      const { differing, saved } = compared
      const numbers = new Intl.NumberFormat(tag)
      const percent = numberWords(tag, { style: 'percent', maximumFractionDigits: 2 })
      const part = saved > 0 ? ` (${percent(differing / saved)})` : ''
      return `differs by ${numbers.format(differing)} of ${numbers.format(saved)}${part}`
    }
  }
}

/** Returns the summary as a separate note: `Matches the tables`, `Differs by 12 of 48,120 (0.02%)`. */
export function recountNote(recount: Recount, tag: string | undefined): string {
  switch (recount.outcome) {
    case 'agrees':
      return 'Matches the tables'
    case 'differs':
      return `Differs ${recountSummary(recount, tag).slice('differs '.length)}`
    case 'nothing-saved':
      return 'No saved figures for these days'
  }
}

/** Returns a reason for a difference. `zone` is the zone in which the rows were counted. */
export const recountReasonWords = (reason: RecountReason, zone: string): string =>
  reason === 'zone'
    ? `Rows are counted by ${zone} days. The service may count days in another time zone.`
    : reasons[reason]

const reasons: Readonly<Record<Exclude<RecountReason, 'zone'>, string>> = {
  filtered: 'The report was filtered, so it has only some of the rows.',
  'not-settled': 'A day was still in progress or being classified when the report was made.',
  restated: 'The service restated a day after the report was made.',
  unreadable: "Some lines of the file can't be read.",
  outside: 'Some rows are outside the days requested.',
  untimed: 'Some rows have no readable time, so they count for no day.',
  'unknown-scope': 'The instance or the days of these rows are unknown.',
}

/** Labels of the cluster kinds. */
export const clusterKindWords: Readonly<Record<ClusterKind, string>> = {
  address: 'Address',
  range: 'Address range',
  network: 'Network',
  'user-agent': 'User agent',
  referrer: 'Referrer',
  hour: 'Hour',
}

/** Small expected counts need a decimal. */
const expectedWords = (expected: number, tag: string | undefined): string =>
  numberWords(tag, { maximumFractionDigits: expected < 10 ? 1 : 0 })(expected)

/** Returns the counts of a cluster: `142 of 150 rows bad; 24 expected`. */
export function clusterWords(
  { rows, bad, expected }: Pick<Cluster, 'rows' | 'bad' | 'expected'>,
  tag: string | undefined,
): string {
  const numbers = new Intl.NumberFormat(tag)
  return `${numbers.format(bad)} of ${numbers.format(rows)} rows bad; ${expectedWords(expected, tag)} expected`
}

/** Returns the ratio of bad to expected rows: `5.9×`. */
export const timesWords = (
  { bad, expected }: Pick<Cluster, 'bad' | 'expected'>,
  tag: string | undefined,
): string => `${new Intl.NumberFormat(tag, { maximumFractionDigits: 1 }).format(bad / expected)}×`

const unsearchedWords: Readonly<Record<UnsearchedReason, string>> = {
  'not-read': 'not imported',
  importing: 'still importing',
  failed: 'its import failed',
  damaged: 'its rows are damaged',
}

/** Maximum number of columns or archives that a search names. */
const maxSearchNames = 20

function namesWords(names: readonly string[], { count }: Pick<Formats, 'count'>): string {
  const more = names.length - maxSearchNames
  return `${names.slice(0, maxSearchNames).join(', ')}${more > 0 ? ` and ${count(more)} more` : ''}`
}

/** Returns what a search read and what it did not, with the reason: sentences for a search without hits. */
export function searchWords(
  { searched, unsearched, columns }: Omit<SearchAnswer, 'files'>,
  formats: Pick<Formats, 'count'>,
): readonly string[] {
  return [
    ...(columns.searched.length > 0 ? [`Searched columns: ${namesWords(columns.searched, formats)}.`] : []),
    ...(searched.length > 0 ? [`Searched archives: ${namesWords(searched, formats)}.`] : []),
    ...(columns.unsearched.length > 0
      ? [
          `Columns not searched: ${namesWords(columns.unsearched, formats)}. A search reads addresses, IDs, pages, referrers and user agents. Of other tables, it reads up to 50 columns.`,
        ]
      : []),
    ...unsearchedArchives(unsearched, formats),
  ]
}

/** Returns the archives that were not searched, with the reason; empty if all were. */
export function unsearchedArchives(
  unsearched: SearchAnswer['unsearched'],
  formats: Pick<Formats, 'count'>,
): readonly string[] {
  const named = unsearched.map(({ name, why }) => `${name} (${unsearchedWords[why]})`)
  return named.length > 0 ? [`Archives not searched: ${namesWords(named, formats)}.`] : []
}

/** Returns a probability as text: `1 in 2,300`, `less than 1 in a million`. */
export function chanceWords(chance: number, tag: string | undefined): string {
  if (chance < 1e-6) return 'less than 1 in a million'
  const rounded = Number((1 / chance).toPrecision(2))
  return `1 in ${new Intl.NumberFormat(tag, { maximumFractionDigits: 0 }).format(rounded)}`
}

/** Returns what a list blocks: `Blocks 412 bad and 9 other rows of these days.` */
export function blockedWords(
  { blocked: { rows, bad } }: Pick<MadeList, 'blocked'>,
  { count }: Formats,
): string {
  const what = bad === null ? count(rows) : `${count(bad)} bad and ${count(rows - bad)} other`
  return `Blocks ${what} ${rows === 1 ? 'row' : 'rows'} of these days.`
}

/** Returns what a list leaves out and why. `more` candidates were ignored. */
export function leftOutWords(
  { leftOut, more }: Pick<MadeList, 'leftOut' | 'more'>,
  format: BlockListFormat,
  { count }: Formats,
): string {
  const { reserved, allowed, exported, expired, nonsense, refused, mild, beyond } = leftOut
  const parts = [
    mild > 0 ? `${count(mild)} with fewer bad rows` : '',
    exported > 0 ? `${count(exported)} already exported` : '',
    expired > 0 ? `${count(expired)} expired` : '',
    refused > 0 ? `${count(refused)} that ${platformOf(format).name} does not accept` : '',
    reserved > 0 ? `${count(reserved)} private or reserved` : '',
    allowed > 0 ? `${count(allowed)} on your never-block list` : '',
    nonsense > 0 ? `${count(nonsense)} invalid` : '',
    beyond + more > 0 ? `${count(beyond + more)} over the limit, with the fewest bad rows` : '',
  ].filter(Boolean)
  return parts.length === 0 ? '' : `Left out: ${parts.join(', ')}.`
}

/** Returns when the addresses of a list were seen: `Seen 16–22 Nov 2026.` `zone` is the zone of the days. */
export function seenWords({ ranges }: Pick<MadeList, 'ranges'>, zone: string, { daysIn }: Formats): string {
  const seen = seenIn(ranges)
  return seen ? `Seen ${daysIn(seen.first, seen.last, zone)}.` : ''
}

/** Returns the number of entries of a stored list, when they were seen and how many have expired. */
export function storedListWords(
  { entries, seen, expired }: Pick<StoredList, 'entries' | 'seen' | 'expired'>,
  zone: string,
  { count, daysIn }: Formats,
): string {
  return [
    `${count(entries)} ${entries === 1 ? 'entry' : 'entries'}`,
    ...(seen ? [`seen ${daysIn(seen.first, seen.last, zone)}`] : []),
    ...(expired > 0 ? [`${count(expired)} expired`] : []),
  ].join(' · ')
}

/** Returns the origin of a list in one line. `zone` is the zone of the days. */
export function originWords(
  { archives, filters, period, column, by, minBad, minShare, format, campaign, onlyNew, expiry }: ListOrigin,
  zone: string,
  { count, daysIn }: Formats,
): string {
  return [
    `${by === 'network' ? 'Networks' : 'Addresses'} of ${column} in ${archives.join(', ')}`,
    ...(period ? [daysIn(period.first, period.last, zone)] : []),
    ...filters.map(({ words, value }) => `${words} ${value}`),
    ...(platformOf(format).maxLines === null ? [] : [platformOf(format).name]),
    ...(campaign === '' ? [] : [`campaign ${campaign}`]),
    ...(onlyNew ? ['new since last export'] : []),
    ...(expiry === null ? [] : [`expires after ${count(expiry)} days`]),
    ...(minBad === 1 ? ['only addresses with bad rows'] : []),
    ...(minBad > 1 ? [`at least ${count(minBad)} bad rows`] : []),
    ...(minShare > 0 ? [`at least ${count(minShare)}% bad`] : []),
  ].join(' · ')
}

const notReadWords = {
  there: 'Not imported yet',
  gone: 'Not imported, and the file is gone',
  away: "Not imported, and the file's folder does not respond",
} as const

const damagedWords = {
  there: 'The saved rows are damaged. Import them again',
  gone: 'The saved rows are damaged, and their file is gone',
  away: "The saved rows are damaged, and their file's folder does not respond",
} as const

/** Suffixes for imported rows. */
export const fileWords = {
  there: '',
  gone: ' · the file is gone',
  away: " · the file's folder does not respond",
} as const

/** Returns the state of an archive's rows: `48,120 rows · Nov 13 – 19, 2026 · 1.2 MB`. @param progress of the import */
export function stateWords(
  file: RowsFile,
  zone: string,
  { count, daysIn, size }: Formats,
  progress: JobProgress | null = null,
): string {
  const { state } = file
  switch (state.kind) {
    case 'not-read':
      return notReadWords[file.archive]
    case 'importing':
      return [
        state.replaced ? 'The file was replaced. Importing it' : 'Importing',
        ...(progress?.total ? [`${size(progress.done)} of ${size(progress.total)}`] : []),
      ].join(': ')
    case 'whole': {
      const { rows, first, last, bytes } = state.facts
      const days = first !== null && last !== null ? [daysIn(first, last, zone)] : []
      return [`${count(rows)} ${rows === 1 ? 'row' : 'rows'}`, ...days, size(bytes)].join(' · ')
    }
    case 'damaged':
      return damagedWords[file.archive]
    case 'failed':
      return `Not imported. ${state.failure.message}`
  }
}

const delimiterNames: Readonly<Record<string, string>> = {
  ',': 'commas',
  ';': 'semicolons',
  '\t': 'tabs',
  '|': 'bars',
  ' ': 'blanks',
}

/** Returns an encoding's name: `UTF-8`, `Windows-1252`. */
export const encodingWords = (label: string): string =>
  label.replace(/^windows/, 'Windows').replace(/^(?!Windows).*/, (name) => name.toUpperCase())

/** Returns a delimiter's name. */
export const delimiterWords = (delimiter: string): string => delimiterNames[delimiter] ?? `“${delimiter}”`

/** Labels of column formats. */
export const formWords: Readonly<Record<ColumnForm, string>> = {
  text: 'Text',
  'decimal-point': 'Number: 1,234.5',
  'decimal-comma': 'Number: 1.234,5',
  'year-first': 'Time: year first',
  'month-first': 'Time: month first',
  'day-first': 'Time: day first',
  'named-month': 'Time: month by name',
  'epoch-s': 'Time: seconds since 1970',
  'epoch-ms': 'Time: milliseconds since 1970',
  'epoch-us': 'Time: microseconds since 1970',
  'epoch-ns': 'Time: nanoseconds since 1970',
}

/** Labels of column roles, for lists of choices. */
export const roleWords: Readonly<Record<string, string>> = Object.fromEntries(
  [
    ...['timestamp', 'remote_address', 'result', 'rule_sets', 'source', 'campaign', 'instance', 'exid'],
    ...['click_id', 'sub_id', 'device_id', 'app_id', 'page', 'referrer', 'user_agent', 'country'],
    ...['region', 'city', 'network', 'connection', 'browser_name', 'os_name', 'device_type'],
  ].map((role) => [role, roleNames[role] ?? columnWords(role)]),
)

/** Shown for an imported file without any `importWords`. */
export const plainImport = 'Read as UTF-8, separated by commas.'

/** Returns how a file was read, unless that is the default, and what may be wrong. */
export function importWords(
  { readAs = [], odd, several, zone }: Pick<RowsFacts, 'readAs' | 'odd' | 'several' | 'zone'>,
  { count }: Pick<Formats, 'count'>,
): { readonly said: string; readonly doubted: string } {
  const lines = (one: (table: DetectedFormat) => number) => readAs.reduce((sum, table) => sum + one(table), 0)
  const plural = (number: number, one: string) => `${count(number)} ${one}${number === 1 ? '' : 's'}`
  const encodings = new Set(readAs.flatMap(({ encoding }) => (encoding === 'utf-8' ? [] : [encoding])))
  const separators = new Set(readAs.flatMap(({ delimiter }) => (delimiter === ',' ? [] : [delimiter])))
  const [before, after, short] = [
    lines(({ linesBefore }) => linesBefore),
    lines(({ linesAfter }) => linesAfter),
    lines((table) => table.short),
  ]
  const leftOut = [
    ...(before > 0 ? [`${plural(before, 'line')} before the table`] : []),
    ...(after > 0 ? [`${plural(after, 'line')} after it`] : []),
  ]
  const said = [
    ...(readAs.some(({ chosen }) => chosen) ? ['Read as you chose.'] : []),
    ...[...encodings].map((encoding) => `Read as ${encodingWords(encoding)}.`),
    ...[...separators].map((sign) => `Separated by ${delimiterWords(sign)}.`),
    ...(readAs.some(({ guarded }) => guarded) ? ['Apostrophes before formulas are removed.'] : []),
    ...(leftOut.length > 0 ? [`Left out: ${leftOut.join(', ')}.`] : []),
    ...(short > 0 ? [`${plural(short, 'row')} ended early; the missing cells are empty.`] : []),
    ...(zone !== null ? [`Times without a time zone are read as ${zone}.`] : []),
    ...odd.map(({ column, cells }) => `${plural(cells, 'value')} in ${column} could not be read.`),
    ...several.map(
      ({ column, cells }) =>
        `${plural(cells, 'cell')} in ${column} ${cells === 1 ? 'lists' : 'list'} several addresses; the first one counts.`,
    ),
  ]
  const doubts = new Set(readAs.flatMap((table) => table.doubts))
  return {
    said: said.join(' '),
    doubted: [...doubts].map((doubt) => doubtWords[doubt](readAs)).join(' '),
  }
}

const doubtWords: Readonly<Record<ImportDoubt, (readAs: readonly DetectedFormat[]) => string>> = {
  encoding: () => 'The text may be in another encoding: check letters with accents.',
  delimiter: () => 'The columns may be separated by another sign.',
  header: (readAs) =>
    readAs.some(({ hasHeader }) => hasHeader)
      ? 'The first line is taken as column names.'
      : 'The file seems to have no column names.',
  totals: () => 'A line may be a total; it counts as a row.',
  'month-first': () => 'Dates are read with the month first; they may begin with the day.',
  'day-first': () => 'Dates are read with the day first; they may begin with the month.',
  'decimal-point': () => 'Numbers like 1.234 are read with a decimal point; it may be a comma.',
  'decimal-comma': () => 'Numbers like 1.234 are read with a decimal comma; it may be a point.',
  times: () => 'The column of times could not be read, so the rows have no time.',
}

const typeWords = { request: 'requests', response: 'responses', direct: 'direct' } as const

/** Returns an archive's origin and type. */
export function kindWords({ type, report }: RowsFile): string {
  const from = report === null ? 'Added file' : 'Raw report'
  return type === null ? from : `${from} · ${typeWords[type]}`
}
