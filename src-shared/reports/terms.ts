import type { Family } from '../api/dimensions.ts'

/** A term and its meaning (specification: families, summary totals, tables; field notes: additions to tables). */
type Term = {
  readonly word: string
  readonly meaning: string
  /** Family that the term belongs to; null for terms of both families or of the app. */
  readonly family: Family | null
}

/** Terms of the service and the app, for tooltips, Help and printed reports. */
export const terms: readonly Term[] = [
  {
    word: 'Direct',
    family: null,
    meaning: 'The family of reports that classifies requests as suspect or non-suspect.',
  },
  {
    word: 'Script',
    family: null,
    meaning: 'The family of reports that classifies responses as good, warning or bad.',
  },
  {
    word: 'Requests',
    family: null,
    meaning: 'How many requests were sent to the service for classification.',
  },
  {
    word: 'Responses',
    family: 'script',
    meaning: 'Requests with a response, so they could be classified: good, warning and bad together.',
  },
  {
    word: 'Drops',
    family: 'script',
    meaning: 'Requests without a response. They are neither good nor bad.',
  },
  { word: 'Non-suspect', family: 'direct', meaning: 'Requests classified as valid traffic.' },
  { word: 'Suspect', family: 'direct', meaning: 'Requests classified as suspected invalid traffic.' },
  { word: 'Good', family: 'script', meaning: 'Responses classified as valid traffic.' },
  {
    word: 'Warning',
    family: 'script',
    meaning: 'Responses with some signs of invalid traffic, too few to be bad.',
  },
  { word: 'Bad', family: 'script', meaning: 'Responses classified as invalid traffic.' },
  {
    word: 'Mobile',
    family: null,
    meaning: 'Traffic from mobile devices. Already included in the counts above.',
  },
  {
    word: 'Ad blocker',
    family: 'script',
    meaning: 'Responses from browsers that block ads. Already included in the counts above.',
  },
  {
    word: 'Rate',
    family: null,
    meaning: 'A count as a percentage of all requests. In tables without requests, of responses.',
  },
  {
    word: 'Points',
    family: null,
    meaning: 'The difference between two rates: from 10.5% to 5.7% is −4.8 points.',
  },
  {
    word: 'Rule set',
    family: null,
    meaning:
      'A group of the service’s rules, shown by its code. Its column counts the traffic that broke them. One request may break several. Name it from the menu of its header.',
  },
  {
    word: 'Rule mix',
    family: null,
    meaning: 'The share of each rule set in all broken rule sets.',
  },
  {
    word: 'Call',
    family: null,
    meaning: 'One question of Traffic Desk to the service. Requests are the traffic that it counts.',
  },
  {
    word: 'Instance',
    family: null,
    meaning: 'What the service counts separately, such as a site, an app or a client.',
  },
  {
    word: 'Source',
    family: null,
    meaning: 'Where the traffic came from, as named in your integration.',
  },
  {
    word: 'Campaign',
    family: null,
    meaning: 'The campaign that brought the traffic, as named in your integration.',
  },
  { word: 'Referrer', family: 'script', meaning: 'The page whose link led to the visit.' },
  {
    word: 'Raw report',
    family: null,
    meaning:
      'Single visits instead of counts. The service makes it in the background, and you download an archive.',
  },
  {
    word: 'Raw rows',
    family: null,
    meaning: 'The single visits inside an archive. Import them to filter, group and search.',
  },
  {
    word: 'Facet',
    family: null,
    meaning: 'The most common values of a column in the rows shown, with counts.',
  },
  {
    word: 'Recount',
    family: null,
    meaning: 'An archive’s rows counted by day and result, next to the tables’ figures.',
  },
  {
    word: 'Saved',
    family: null,
    meaning: 'On this computer, with its age. It opens at once, even offline.',
  },
  {
    word: 'Combined from saved days',
    family: null,
    meaning: 'Added up on this computer from days saved one by one.',
  },
  {
    word: 'Restated',
    family: null,
    meaning:
      'The service changed a day’s figures after you saved them. Newer figures are shown, and the change is saved.',
  },
  { word: 'All', family: null, meaning: 'The total of a table.' },
  {
    word: 'Total as sent',
    family: null,
    meaning: 'The total that came with a search. It may cover everything or only the matches.',
  },
]

/** Returns the meaning of a column's header; null for other headers, such as a browser. */
export function meaningOf(header: string): string | null {
  const folded = header.toLowerCase()
  return terms.find(({ word }) => word.toLowerCase() === folded)?.meaning ?? null
}
