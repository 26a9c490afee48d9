/**
 * The two reporting families and what they count (specification: summary totals, tables). `counts` are the
 * headers after the dimension's own, in order; `totals` the members of `total`.
 */
export const families = {
  direct: {
    words: 'Direct',
    totals: ['nonsuspect', 'suspect', 'mobile'],
    counts: ['Requests', 'Non-Suspect', 'Suspect', 'Mobile'],
  },
  script: {
    words: 'Script',
    totals: ['drops', 'good', 'warning', 'bad', 'mobile', 'adblocker'],
    counts: ['Requests', 'Responses', 'Good', 'Warning', 'Bad', 'Mobile', 'Ad Blocker'],
  },
} as const satisfies Record<string, { words: string; totals: readonly string[]; counts: readonly string[] }>

export type Family = keyof typeof families

export const familyNames = Object.keys(families) as readonly Family[]

/** A member of `total`, in words. */
export const totalWords = {
  nonsuspect: 'Non-suspect',
  suspect: 'Suspect',
  drops: 'Drops',
  good: 'Good',
  warning: 'Warning',
  bad: 'Bad',
  mobile: 'Mobile',
  adblocker: 'Ad blocker',
} as const

export type TotalName = keyof typeof totalWords
