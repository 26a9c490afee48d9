import type { GroupKey } from './question.ts'

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
  results.some((each) => each !== '')
    ? results.map((each) => (each === '' ? 'No result' : resultWords(each)))
    : []
