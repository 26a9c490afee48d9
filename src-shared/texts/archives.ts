import type { JobProgress } from '../app/jobs.ts'
import type { Formats } from './formats.ts'
import type { Cluster, ClusterKind, Recount, RecountReason, GroupKey } from '../archives/rows.ts'
import type { BlockList, ListOrigin } from '../archives/block-list.ts'
import type { RowsFile } from '../archives/rows-file.ts'

const byWords: Readonly<Record<GroupKey['by'], string>> = {
  value: '',
  network: ' (/24)',
  day: ' (day)',
  hour: ' (hour)',
}

/** What a column of groups is called: `REMOTE ADDRESS (/24)`. */
export const groupHeader = ({ column, by }: GroupKey): string => `${column}${byWords[by]}`

/** What rows are grouped by, in words: `By SOURCE × COUNTRY`. */
export const groupsWords = (groups: readonly GroupKey[]): string =>
  `By ${groups.map(groupHeader).join(' × ')}`

/** What a result is called where it heads a column: `Non-Suspect`; rows without one are plain rows. */
export const resultWords = (result: string): string =>
  result === '' ? 'Rows' : result.replace(/(^|[-_ ])\p{Ll}/gu, (letter) => letter.toUpperCase())

/** The headers of the results of groups; none where no row says how it was judged. */
export const resultHeaders = (results: readonly string[]): readonly string[] =>
  results.some((result) => result !== '')
    ? results.map((result) => (result === '' ? 'No result' : resultWords(result)))
    : []

/** What a recount comes to: `agrees`, or `differs by 12 of 48,120 (0.02%)`; numbers as a language writes them. */
export function recountSummary({ outcome, compared }: Recount, tag: string | undefined): string {
  switch (outcome) {
    case 'agrees':
      return 'agrees'
    case 'nothing-saved':
      return 'there are no saved figures of these days to compare with'
    case 'differs': {
      const { differing, saved } = compared
      const numbers = new Intl.NumberFormat(tag)
      // Small shares need decimals: `0.02 %` is not nothing.
      const percent = new Intl.NumberFormat(tag, { style: 'percent', maximumFractionDigits: 2 })
      const part = saved > 0 ? ` (${percent.format(differing / saved)})` : ''
      return `differs by ${numbers.format(differing)} of ${numbers.format(saved)}${part}`
    }
  }
}

/** The same as a note alone: `Agrees with the tables`, `Differs by 12 of 48,120 (0.02%)`. */
export function recountNote(recount: Recount, tag: string | undefined): string {
  switch (recount.outcome) {
    case 'agrees':
      return 'Agrees with the tables'
    case 'differs':
      return `Differs ${recountSummary(recount, tag).slice('differs '.length)}`
    case 'nothing-saved':
      return 'No saved figures of these days to compare with'
  }
}

/** Why rows and tables may differ; `zone` is that by whose days the rows were counted. */
export const recountReasonWords = (reason: RecountReason, zone: string): string =>
  reason === 'zone'
    ? `Rows are counted by days of ${zone}; the service may begin its days elsewhere.`
    : reasons[reason]

const reasons: Readonly<Record<Exclude<RecountReason, 'zone'>, string>> = {
  filtered: 'The report was asked for with filters, so its rows are a part of what the tables count.',
  'not-settled': 'A day was not over, or still being judged, when the report was made.',
  restated: 'The service has changed a day since the report was made.',
  unreadable: 'Some lines of the file could not be read as rows.',
  outside: 'Some rows lie on other days than the report was asked for.',
  untimed: 'Some rows have no time that can be read, so they count for no day.',
  'unknown-scope': 'It is not known of which instance, or of which days, these rows are.',
}

/** What a value of a cluster is. */
export const clusterKindWords: Readonly<Record<ClusterKind, string>> = {
  address: 'Address',
  range: 'Address range',
  network: 'Network',
  'user-agent': 'User agent',
  referrer: 'Referrer',
  hour: 'Hour',
}

/** A count that was expected: small ones need a decimal. */
const expectedWords = (expected: number, tag: string | undefined): string =>
  new Intl.NumberFormat(tag, { maximumFractionDigits: expected < 10 ? 1 : 0 }).format(expected)

/** What was counted, and no more: `142 of 150 rows bad; 24 expected`. Numbers as a language writes them. */
export function clusterWords(
  { rows, bad, expected }: Pick<Cluster, 'rows' | 'bad' | 'expected'>,
  tag: string | undefined,
): string {
  const numbers = new Intl.NumberFormat(tag)
  return `${numbers.format(bad)} of ${numbers.format(rows)} rows bad; ${expectedWords(expected, tag)} expected`
}

/** How many times as many bad rows as expected there are: `5.9×`. */
export const timesWords = (
  { bad, expected }: Pick<Cluster, 'bad' | 'expected'>,
  tag: string | undefined,
): string => `${new Intl.NumberFormat(tag, { maximumFractionDigits: 1 }).format(bad / expected)}×`

/** How probable a count is by chance, in words: `1 in 2,300`, `less than 1 in a million`. */
export function chanceWords(chance: number, tag: string | undefined): string {
  if (chance < 1e-6) return 'less than 1 in a million'
  const rounded = Number((1 / chance).toPrecision(2))
  return `1 in ${new Intl.NumberFormat(tag, { maximumFractionDigits: 0 }).format(rounded)}`
}

/** What is not in a list, and why; `more` candidates were not even looked at. */
export function leftOutWords({ leftOut }: BlockList, more: number, { count }: Formats): string {
  const { reserved, allowed, nonsense, beyond } = leftOut
  const parts = [
    reserved > 0 ? `${count(reserved)} private or reserved` : '',
    allowed > 0 ? `${count(allowed)} never to be blocked` : '',
    nonsense > 0 ? `${count(nonsense)} no addresses` : '',
    beyond + more > 0 ? `${count(beyond + more)} beyond the limit, with the fewest bad rows` : '',
  ].filter(Boolean)
  return parts.length === 0 ? '' : `Left out: ${parts.join(', ')}.`
}

/** What a list was made of, in a line; `zone` is that in which days are told. */
export function originWords(
  { archives, filters, period, column, by, onlyBad }: ListOrigin,
  zone: string,
  { daysIn }: Formats,
): string {
  return [
    `${by === 'network' ? 'Networks' : 'Addresses'} of ${column} in ${archives.join(', ')}`,
    ...(period ? [daysIn(period.first, period.last, zone)] : []),
    ...filters.map(({ words, value }) => `${words} ${value}`),
    ...(onlyBad ? ['only those with bad rows'] : []),
  ].join(' · ')
}

const notReadWords = {
  there: 'Not read in yet',
  gone: 'Not read in, and the file is not there any more',
  away: 'Not read in, and the folder of the file does not answer',
} as const

const damagedWords = {
  there: 'The saved rows were damaged. They can be read in again',
  gone: 'The saved rows were damaged, and their file is not there any more',
  away: 'The saved rows were damaged, and the folder of their file does not answer',
} as const

/** What is said beside rows that can be looked into. */
export const fileWords = {
  there: '',
  gone: ' · the file itself is gone',
  away: ' · the folder of the file does not answer',
} as const

/** How the rows of an archive stand: `48,120 rows · Nov 13 – 19, 2026 · 1.2 MB`. @param progress how far reading in is */
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
    case 'reading':
      return [
        state.replaced ? 'The file was replaced by another one. It is being read in' : 'Being read in',
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
      return `Not read in. ${state.failure.message}`
  }
}

const typeWords = { request: 'requests', response: 'responses', direct: 'direct' } as const

/** What an archive is: its type, and where it is from. */
export function kindWords({ type, report }: RowsFile): string {
  const from = report === null ? 'Added file' : 'Raw report'
  return type === null ? from : `${from} · ${typeWords[type]}`
}
