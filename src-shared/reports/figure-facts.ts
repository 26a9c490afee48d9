import type { Day, DayRange } from '../values/day.ts'
import { daysBetween } from '../values/day.ts'
import type { Instant } from '../values/ids.ts'
import type { Provenance } from './answer.ts'
import { otherLabel, doubtName, doubtWords, restatedWords, unsettledOf } from './answer.ts'

/** Figures of which something is to be known. `zone` is the IANA zone in which their days begin. */
export type KnownFigures = {
  readonly provenance: Provenance
  readonly range: DayRange
  readonly zone: string
}

/** How days, moments and numbers are written where the words stand. */
export type WaysToWrite = {
  readonly days: (range: DayRange) => string
  /** Days in order of the calendar, some of which may lie side by side. */
  readonly someDays: (days: readonly Day[]) => string
  readonly moment: (instant: Instant) => string
  readonly count: (value: number) => string
}

/** What can be known of figures: whatever their provenance can say (`servedAt` by its days), and which of their days can still become others. */
export type FactKey = Exclude<keyof Provenance, 'servedAt'> | 'notOver' | 'canChange'

/** What is known of figures, as a line of words. */
export type FigureFact = {
  readonly key: FactKey
  readonly name: string
  readonly words: string
  /** The same in a word or two, where a reader has to know it who sees a file's name alone: `partial`. */
  readonly mark: string | null
}

type Source = Pick<FigureFact, 'name' | 'mark'> & {
  /** Null where there is nothing to say. */
  readonly words: (figures: KnownFigures, write: WaysToWrite) => string | null
  /** Another name for these figures, where what is to be said of them has one of its own. */
  readonly named?: (figures: KnownFigures) => Pick<FigureFact, 'name' | 'mark'>
}

const fromWords: Readonly<Record<Provenance['from'], string>> = {
  service: 'From the service',
  stored: 'Saved, from the service',
  computed: 'Added up from saved days',
}

/** Each fact with its words. A member of `Provenance` without one does not compile: every way out says these. */
const sources: Readonly<Record<FactKey, Source>> = {
  from: { name: 'Figures', mark: null, words: ({ provenance }) => fromWords[provenance.from] },
  fetchedAt: {
    name: 'Updated',
    mark: null,
    words: ({ provenance }, { moment }) => moment(provenance.fetchedAt),
  },
  ages: {
    name: 'Updated by day',
    mark: null,
    words: ({ provenance }, { days, moment }) =>
      provenance.ages?.map(({ range, fetchedAt }) => `${days(range)}: ${moment(fetchedAt)}`).join('; ') ??
      null,
  },
  spans: {
    name: 'Saved as one',
    mark: null,
    words: ({ provenance: { spans } }, { days }) => spans?.map(days).join('; ') ?? null,
  },
  missing: {
    name: 'Partial',
    mark: 'partial',
    words: ({ provenance: { missing }, range }, write) => {
      if (missing.length === 0) return null
      const dayCount = daysBetween(range.start, range.end) + 1
      return `${write.count(dayCount - missing.length)} of ${write.count(dayCount)} days. Missing: ${write.someDays(missing)}`
    },
  },
  composed: {
    name: 'Not all loaded',
    mark: 'partial',
    words: ({ provenance: { composed } }, { count }) =>
      composed
        ? `${count(composed.requested)} of ${count(composed.total)} ${composed.unit}. The others are part of “${otherLabel}”`
        : null,
  },
  notOver: {
    name: 'In progress',
    mark: 'in progress',
    words: (figures, write) => {
      const { ages, fetchedAt } = figures.provenance
      const { notOver } = unsettled(figures)
      if (notOver.length === 0) return null
      return `${write.someDays(notOver)}, counted to ${write.moment(ages?.at(-1)?.fetchedAt ?? fetchedAt)}`
    },
  },
  canChange: {
    name: 'Still changing',
    mark: null,
    words: (figures, write) => {
      const { canChange } = unsettled(figures)
      return canChange.length === 0 ? null : write.someDays(canChange)
    },
  },
  doubt: {
    name: 'Does not add up',
    mark: 'does not add up',
    words: ({ provenance: { doubt } }) => doubt && doubtWords[doubt],
    named: ({ provenance: { doubt } }) => {
      const name = doubtName(doubt ?? 'rows-do-not-add-up')
      return { name, mark: name.toLowerCase() }
    },
  },
  restated: {
    name: 'Restated',
    mark: 'restated',
    words: ({ provenance: { restated } }, { moment }) =>
      restated && `${restatedWords(restated)}, the last on ${moment(restated.latest)}`,
  },
  failure: {
    name: 'Not refreshed',
    mark: 'not refreshed',
    words: ({ provenance: { failure } }) => failure?.message ?? null,
  },
  refreshing: {
    name: 'Refreshing',
    mark: null,
    words: ({ provenance }) => (provenance.refreshing ? 'Newer figures were loading' : null),
  },
}

/** Which days of figures were not over when they were fetched, and which of the others can still become others. */
export function unsettled({ provenance, range, zone }: KnownFigures) {
  const { open, moving } = unsettledOf(provenance, range, zone)
  return { notOver: open, canChange: moving }
}

/** All that is known of figures, in the order in which it is told. */
export const figureFacts = (figures: KnownFigures, write: WaysToWrite): readonly FigureFact[] =>
  factKeys.flatMap((key) => {
    const { name, mark, words, named } = sources[key]
    const said = words(figures, write)
    return said === null ? [] : [{ key, name, mark, words: said, ...named?.(figures) }]
  })

const factKeys = Object.keys(sources) as readonly FactKey[]

/** What a reader has to know of figures before anything else. */
export const warningsOf = (facts: readonly FigureFact[]): readonly FigureFact[] =>
  facts.filter(({ mark }) => mark !== null)

/** What a file's name says of its figures, each once: `partial, not over`. */
export const marksOf = (facts: readonly FigureFact[]): readonly string[] => [
  ...new Set(facts.flatMap(({ mark }) => mark ?? [])),
]

/** How files write: days as ISO 8601 has them, moments in UTC. */
export const inFiles: WaysToWrite = {
  days: ({ start, end }) => (start === end ? start : `${start} to ${end}`),
  someDays: (days) => days.join(', '),
  moment: (instant) => `${new Date(instant).toISOString().slice(0, 16).replace('T', ' ')} (UTC)`,
  count: String,
}
