import type { Family } from '../api/dimensions.ts'

/** A word that figures are read by, and what it means (specification: families, summary totals, tables; field notes: additions to tables). */
type Term = {
  readonly word: string
  readonly meaning: string
  /** Whose word it is; null where both families, or the app itself, use it. */
  readonly family: Family | null
}

/** The words of the service and of the app, as tooltips, Help and printed reports explain them. */
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
  { word: 'Requests', family: null, meaning: 'How often the service was asked to classify traffic.' },
  {
    word: 'Responses',
    family: 'script',
    meaning: 'Requests that were answered, and so could be classified: good, warning and bad together.',
  },
  {
    word: 'Drops',
    family: 'script',
    meaning: 'Requests without a response. They are neither good nor bad.',
  },
  { word: 'Non-Suspect', family: 'direct', meaning: 'Requests classified as valid traffic.' },
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
    meaning: 'Traffic from mobile devices. It is part of the other counts, not beside them.',
  },
  {
    word: 'Ad Blocker',
    family: 'script',
    meaning: 'Responses from browsers that block ads. They are part of the other counts, not beside them.',
  },
  {
    word: 'Rate',
    family: null,
    meaning:
      'A count as a share of the total named in the header: of requests, or of responses where a table has no requests.',
  },
  {
    word: 'Points',
    family: null,
    meaning: 'The difference of two rates: from 10.5 % to 5.7 % is −4.8 points.',
  },
  {
    word: 'Rule set',
    family: null,
    meaning:
      'A group of the service’s rules, shown by its code. Its column counts the traffic that broke them; one request may break several. The menu of its header gives it a name.',
  },
  {
    word: 'Instance',
    family: null,
    meaning: 'What the service counts by itself, such as a site, an app or a client.',
  },
  {
    word: 'Source',
    family: null,
    meaning: 'Where the traffic came from, as your set-up names it.',
  },
  {
    word: 'Campaign',
    family: null,
    meaning: 'The campaign that brought the traffic, as your set-up names it.',
  },
  { word: 'Referrer', family: 'script', meaning: 'The page whose link led to the visit.' },
  {
    word: 'Raw report',
    family: null,
    meaning: 'Single rows instead of counts, made by the service by and by and downloaded as an archive.',
  },
  {
    word: 'Raw rows',
    family: null,
    meaning:
      'The single rows inside a saved raw report, read in once so that they can be filtered, grouped and searched.',
  },
  {
    word: 'Facet',
    family: null,
    meaning: 'The commonest values of a column among the rows that are shown, with how many rows have each.',
  },
  {
    word: 'Recount',
    family: null,
    meaning:
      'The rows of a raw report, counted by day and result, beside the figures of the tables for the same days.',
  },
  {
    word: 'Saved',
    family: null,
    meaning: 'On this computer: shown at once, without a network too, with the time at which it was fetched.',
  },
  {
    word: 'Combined from saved days',
    family: null,
    meaning: 'Added up on this computer from days that were fetched one by one.',
  },
  {
    word: 'Restated',
    family: null,
    meaning:
      'The service changed the figures of a day after they were fetched. The newer ones stand; the difference is kept.',
  },
  { word: 'All', family: null, meaning: 'The total of a table, everything included.' },
  {
    word: 'Total as sent',
    family: null,
    meaning:
      'The total that the service sent with a search, while it is not known whether it is of everything or of what was found.',
  },
]

/** What a column's header means; null for what the terms do not name, such as a browser. */
export function meaningOf(header: string): string | null {
  return terms.find(({ word }) => word === header)?.meaning ?? null
}
