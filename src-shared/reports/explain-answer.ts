import { composedOf, dimensionNames, offers } from '../api/dimensions.ts'
import type { Dimension } from '../api/dimensions.ts'
import type { Failure } from '../api/failure.ts'
import { dayToWire } from '../values/day.ts'
import type { DayRange } from '../values/day.ts'
import type { Instant } from '../values/ids.ts'
import type { ComparedFigures, ComposedPart, Doubt } from './answer.ts'
import type { ComparedDays } from './change.ts'
import type { ExplainedSides, Explanation } from './explain.ts'
import { subjectOf } from './query.ts'
import type { OverviewQuery } from './query.ts'

/** A change that is to be explained: of a count of all that a query is about, or of its rate. */
export type ExplainQuestion = {
  readonly query: OverviewQuery
  readonly before: DayRange
  readonly header: string
  /** Of which count its rate is a share; null where it has no rate. */
  readonly base: string | null
  readonly by: 'count' | 'rate'
  /** One value of a dimension, by its key (rows.ts: labelKey): how it stands among the others. */
  readonly row?: { readonly dimension: Dimension; readonly key: string }
}

/** The key of `reports/explain`. What is loaded for it does not matter. */
export function explainKey({ query, before, header, base, by, row }: ExplainQuestion): string {
  const days = [query.range, before].flatMap(({ start, end }) => [dayToWire(start), dayToWire(end)])
  const one = row ? ` ${row.dimension} ${row.key}` : ''
  return `explain ${days.join(' ')} ${subjectOf(query)} ${by} ${header} ${base ?? ''}${one}`
}

/** By which dimensions a change can be explained: not by what it is limited to already. */
export function explaining({ query, row }: Pick<ExplainQuestion, 'query' | 'row'>): readonly Dimension[] {
  if (row) return offers(query.family, row.dimension) ? [row.dimension] : []
  const isOpen = (dimension: Dimension) => {
    const limited = dimension === 'sessions' ? 'instance' : composedOf(dimension)
    return limited === null || query[limited] === null
  }
  return dimensionNames.filter((dimension) => offers(query.family, dimension) && isOpen(dimension))
}

/** What is known of a dimension: what explains the change, or why that cannot be told. */
export type ExplainedDimension =
  | {
      readonly kind: 'explained'
      readonly dimension: Dimension
      readonly explanation: Explanation
      /** The days that are compared, where some are missing or were counted in part; null where all of both periods are. */
      readonly compared: ComparedDays | null
      /** When the oldest of its figures was fetched. */
      readonly fetchedAt: Instant
      readonly doubt: Doubt | null
      /** How much of a composed table was asked; only where not all of it was. */
      readonly composed?: ComposedPart
      /** Whether its totals are the figure's own; null where the figure is not known. */
      readonly agrees: boolean | null
    }
  /** No day is stored for both periods. */
  | { readonly kind: 'missing'; readonly dimension: Dimension }
  /** Its table has not the count, or not that of which the rate is a share. */
  | { readonly kind: 'not-counted'; readonly dimension: Dimension; readonly header: string }
  /** There is nothing to explain: a rate of nothing. */
  | { readonly kind: 'no-figure'; readonly dimension: Dimension }

/** What loading a dimension takes: so many requests, or at most so many; and how long, about, in milliseconds. */
export type ExplainCost = {
  readonly dimension: Dimension
  readonly requests: number
  readonly atMost: boolean
  readonly milliseconds: number
}

/** What explains a change, from what is stored. */
export type ExplainAnswer = Pick<ComparedFigures, 'periods'> & {
  /** The figure itself, from stored totals, over the days that are compared; null where none are stored of both periods. */
  readonly figure: {
    readonly sides: ExplainedSides
    readonly compared: ComparedDays | null
    readonly fetchedAt: Instant
    readonly doubt: Doubt | null
  } | null
  /** Those that say most first; then those that cannot be told. */
  readonly dimensions: readonly ExplainedDimension[]
  /** What is missing or too old of them. */
  readonly due: readonly ExplainCost[]
  /** Why what was asked for did not come, by dimension. */
  readonly failures: readonly { readonly dimension: Dimension; readonly failure: Failure }[]
  /** Why the service cannot be asked now; null where it can. */
  readonly obstacle: Failure | null
}
