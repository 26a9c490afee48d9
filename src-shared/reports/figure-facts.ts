import type { Day, DayRange } from '../values/day.ts'
import { daysBetween } from '../values/day.ts'
import type { Instant } from '../values/ids.ts'
import type { Provenance } from './answer.ts'
import { otherLabel, doubtName, doubtWords, restatedWords, unsettledOf } from './answer.ts'

/** Figures with their provenance. `zone` is the IANA zone in which their days begin. */
export type KnownFigures = {
  readonly provenance: Provenance
  readonly range: DayRange
  readonly zone: string
}

/** Formatters for days, instants and numbers. */
export type WaysToWrite = {
  readonly days: (range: DayRange) => string
  /** Days in calendar order, some of which may be adjacent. */
  readonly someDays: (days: readonly Day[]) => string
  readonly moment: (instant: Instant) => string
  readonly count: (value: number) => string
}

/** Keys of the facts: members of `Provenance`, and days that can still change. `ages` covers `servedAt`. */
export type FactKey = Exclude<keyof Provenance, 'servedAt'> | 'notOver' | 'canChange'

/** One fact about figures, as text. */
export type FigureFact = {
  readonly key: FactKey
  readonly name: string
  readonly words: string
  /** Short form for file names, such as `partial`; null if the fact is no warning. */
  readonly mark: string | null
}

type Source = Pick<FigureFact, 'name' | 'mark'> & {
  /** Returns null if the fact does not apply. */
  readonly words: (figures: KnownFigures, write: WaysToWrite) => string | null
  /** Overrides name and mark for these figures. */
  readonly named?: (figures: KnownFigures) => Pick<FigureFact, 'name' | 'mark'>
}

const fromWords: Readonly<Record<Provenance['from'], string>> = {
  service: 'From the service',
  stored: 'Saved, from the service',
  computed: 'Added up from saved days',
}

/** Facts and their texts. Every export uses them; a member of `Provenance` without an entry does not compile. */
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

/** Splits the unsettled days of figures into days that were not over and days that can still change. */
export function unsettled({ provenance, range, zone }: KnownFigures) {
  const { open, moving } = unsettledOf(provenance, range, zone)
  return { notOver: open, canChange: moving }
}

/** Returns all facts that apply to figures, in display order. */
export const figureFacts = (figures: KnownFigures, write: WaysToWrite): readonly FigureFact[] =>
  factKeys.flatMap((key) => {
    const { name, mark, words, named } = sources[key]
    const said = words(figures, write)
    return said === null ? [] : [{ key, name, mark, words: said, ...named?.(figures) }]
  })

const factKeys = Object.keys(sources) as readonly FactKey[]

/** Returns the facts that readers must see first. */
export const warningsOf = (facts: readonly FigureFact[]): readonly FigureFact[] =>
  facts.filter(({ mark }) => mark !== null)

/** Returns the marks for a file's name without duplicates: `partial`, `in progress`. */
export const marksOf = (facts: readonly FigureFact[]): readonly string[] => [
  ...new Set(facts.flatMap(({ mark }) => mark ?? [])),
]

/** Formatters for files: days as ISO 8601, instants in UTC. */
export const inFiles: WaysToWrite = {
  days: ({ start, end }) => (start === end ? start : `${start} to ${end}`),
  someDays: (days) => days.join(', '),
  moment: (instant) => `${new Date(instant).toISOString().slice(0, 16).replace('T', ' ')} (UTC)`,
  count: String,
}
