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

/** What a reason is called: figures of a doubtful scope may add up all the same. */
export const doubtName = (doubt: Doubt): string => (doubt === 'scope' ? 'Doubtful scope' : 'Does not add up')

/** Each reason, in words that follow its name. */
export const doubtWords: Readonly<Record<Doubt, string>> = {
  scope:
    'some of these figures may be of instances that the account no longer sees, or lack some that it sees',
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
