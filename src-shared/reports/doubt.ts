/**
 * Why the figures of a table do not add up, though the service answers so each time: a closed set, the reason that
 * explains most first.
 */
export const doubts = [
  'scope',
  'fewer-rows',
  'more-rows',
  'labels-repeat',
  'rows-do-not-add-up',
  'pages-disagree',
  'no-counts',
] as const

export type Doubt = (typeof doubts)[number]

/** Each reason, in words that follow "Does not add up: ". */
export const doubtWords: Readonly<Record<Doubt, string>> = {
  scope: 'some of it may be of other instances than the account had then',
  'fewer-rows': 'the service sent fewer rows than it announced',
  'more-rows': 'the service sent more rows than it announced',
  'labels-repeat': 'the service sent several rows of the same name',
  'rows-do-not-add-up': 'the rows do not sum to the row for all that the service sent',
  'pages-disagree': 'the pages that the service sent tell different totals',
  'no-counts': 'the service sent texts in place of some counts, and sums leave those out',
}

/** The reason that explains most of several figures together; null where nothing is wrong with any. */
export const firstDoubt = (found: readonly (Doubt | null)[]): Doubt | null =>
  doubts.find((doubt) => found.includes(doubt)) ?? null
