import { terms } from '../reports/terms.ts'
import type { CaseEntry } from './case.ts'

/** What a case is about, in words: `Source newsletter`, `Campaign spring of source newsletter`, `Instance Main site`. */
export function subjectWords({ about, source, campaign, subject }: CaseEntry): string {
  switch (about) {
    case 'source':
      return `Source ${source || '(empty)'}`
    case 'campaign':
      return `Campaign ${campaign || '(empty)'} of source ${source || '(empty)'}`
    case 'instance':
      return `Instance ${subject}`
  }
}

/** What the others are that a case is compared with. */
export const othersWords = ({ about }: Pick<CaseEntry, 'about'>): string =>
  ({
    source: 'All other sources',
    campaign: 'Other campaigns of the source',
    instance: 'All other instances',
  })[about]

const used: Readonly<Record<CaseEntry['family'], readonly string[]>> = {
  direct: ['Requests', 'Non-Suspect', 'Suspect'],
  script: ['Requests', 'Responses', 'Drops', 'Good', 'Warning', 'Bad'],
}

/** How a case is made, and what its words mean. */
export const methodOf = (
  entry: Pick<CaseEntry, 'family' | 'about'>,
): readonly { readonly word: string; readonly meaning: string }[] => [
  {
    word: 'Figures',
    meaning:
      'Counts of the traffic-quality service, for the same instance and days, limited to what the case is about. Each says when it was fetched.',
  },
  {
    word: 'Rows',
    meaning:
      'Single requests or responses, from raw reports of the same service. Cells stand as they came; no row is left out. A row that is in two of the archives counts twice.',
  },
  {
    word: 'Recount',
    meaning:
      'All rows of an archive, counted by day and result, beside the figures of the same days and filters. It shows whether rows and figures tell the same.',
  },
  {
    word: 'Before',
    meaning: 'As many days, right before those of the case.',
  },
  {
    word: 'Others',
    meaning: `${othersWords(entry)} together, over the days of the case: all figures less those of the case.`,
  },
  {
    word: 'Bad rows',
    meaning: `Rows whose result is ${entry.family === 'direct' ? 'suspect' : 'bad'}. The service judges; nothing is judged here.`,
  },
  ...terms
    .filter(({ word }) => used[entry.family].includes(word))
    .map(({ word, meaning }) => ({ word, meaning })),
]
