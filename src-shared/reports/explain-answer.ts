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

/** A change to explain: of a total count of the query, or of its rate. */
export type ExplainQuery = {
  readonly query: OverviewQuery
  readonly before: DayRange
  readonly header: string
  /** Header of the count that the rate is a share of; null without a rate. */
  readonly base: string | null
  readonly by: 'count' | 'rate'
  /** A single value of a dimension, by its key (rows.ts: labelKey). */
  readonly row?: { readonly dimension: Dimension; readonly key: string }
}

/** Key of `reports/explain`. The key ignores which dimensions are loaded. */
export function explainKey({ query, before, header, base, by, row }: ExplainQuery): string {
  const days = [query.range, before].flatMap(({ start, end }) => [dayToWire(start), dayToWire(end)])
  const one = row ? ` ${row.dimension} ${row.key}` : ''
  return `explain ${days.join(' ')} ${subjectOf(query)} ${by} ${header} ${base ?? ''}${one}`
}

/** Returns the dimensions that can explain a change. A dimension that the query already filters is left out. */
export function explaining({ query, row }: Pick<ExplainQuery, 'query' | 'row'>): readonly Dimension[] {
  if (row) return offers(query.family, row.dimension) ? [row.dimension] : []
  const isOpen = (dimension: Dimension) => {
    const limited = dimension === 'sessions' ? 'instance' : composedOf(dimension)
    return limited === null || query[limited] === null
  }
  return dimensionNames.filter((dimension) => offers(query.family, dimension) && isOpen(dimension))
}

/** Explanation by one dimension, or the reason why there is none. */
export type ExplainedDimension =
  | {
      readonly kind: 'explained'
      readonly dimension: Dimension
      readonly explanation: Explanation
      /** Number of compared days; null if both periods are complete. */
      readonly compared: ComparedDays | null
      /** When the oldest figures were fetched. */
      readonly fetchedAt: Instant
      readonly doubt: Doubt | null
      /** Part of a composed table that was requested. Absent if all of it was. */
      readonly composed?: ComposedPart
      /** Whether the totals equal the figure's; null if the figure is unknown. */
      readonly agrees: boolean | null
    }
  /** No day is stored for both periods. */
  | { readonly kind: 'missing'; readonly dimension: Dimension }
  /** The table lacks the count, or the base of the rate. */
  | { readonly kind: 'not-counted'; readonly dimension: Dimension; readonly header: string }
  /** The rate has no base in one of the periods. */
  | { readonly kind: 'no-figure'; readonly dimension: Dimension }

/** Cost of loading a dimension. `requests` is an upper bound if `atMost` is set; `milliseconds` is an estimate. */
export type ExplainCost = {
  readonly dimension: Dimension
  readonly requests: number
  readonly atMost: boolean
  readonly milliseconds: number
}

/** Explanation of a change, from stored tables. */
export type ExplainAnswer = Pick<ComparedFigures, 'periods'> & {
  /** The figure over the compared days, from stored totals; null if no totals are stored for both periods. */
  readonly figure: {
    readonly sides: ExplainedSides
    readonly compared: ComparedDays | null
    readonly fetchedAt: Instant
    readonly doubt: Doubt | null
  } | null
  /** Most telling explanations first, then the dimensions without one. */
  readonly dimensions: readonly ExplainedDimension[]
  /** Dimensions with missing or stale tables. */
  readonly due: readonly ExplainCost[]
  /** Failed requests by dimension. */
  readonly failures: readonly { readonly dimension: Dimension; readonly failure: Failure }[]
  /** Why no request can be sent now; null if requests are possible. */
  readonly obstacle: Failure | null
}
