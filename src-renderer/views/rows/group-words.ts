import type { GroupKey } from '../../../src-shared/rows/question.ts'

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
