import type { Mover, RowsOfLabels } from '../../../src-shared/reports/answer.ts'
import type { OverviewQuery, ReportQuery, TableQuery } from '../../../src-shared/reports/query.ts'
import type { Chart, OverviewAnswer, TableAnswer } from '../../../src-shared/service/answers.ts'
import type { BlockId } from '../cache/tables-repository.ts'

/**
 * What can be computed from kept tables. `blocks` are kept tables of the query's subject over days that do not overlap;
 * who asks decides which of them cover the query's range, because the range itself is not looked at.
 */
export type Reckonings = {
  /** The answer that the service would give over all the days together. Whole tables alone. */
  readonly table: {
    readonly asked: { readonly blocks: readonly BlockId[]; readonly query: TableQuery }
    readonly figures: TableAnswer
  }
  readonly overview: {
    readonly asked: { readonly blocks: readonly BlockId[]; readonly query: OverviewQuery }
    readonly figures: OverviewAnswer
  }
  /** The figures day by day; blocks of more than a day have no place in it. Totals alone are enough. */
  readonly trend: {
    readonly asked: { readonly blocks: readonly BlockId[]; readonly query: ReportQuery }
    readonly figures: Chart
  }
  /** The rows of these labels (labelKey), whatever page they would stand on. Whole tables alone. */
  readonly rowsOf: {
    readonly asked: {
      readonly blocks: readonly BlockId[]
      readonly query: TableQuery
      readonly labels: readonly string[]
    }
    readonly figures: RowsOfLabels
  }
  /** The rows that moved most by the count under a header, `most` of them each way. Whole tables alone. */
  readonly movers: {
    readonly asked: {
      readonly blocks: readonly BlockId[]
      readonly before: readonly BlockId[]
      readonly query: TableQuery
      readonly header: string
      readonly most: number
    }
    readonly figures: Movers
  }
}

export type Movers = { readonly up: readonly Mover[]; readonly down: readonly Mover[] }

export type ReckoningName = keyof Reckonings

export type Asked<N extends ReckoningName> = Reckonings[N]['asked']

/**
 * Figures; or the blocks that could not be read, because they were replaced meanwhile, are damaged, or hold totals alone
 * where rows are needed. Their days count as not kept.
 */
export type Reckoned<N extends ReckoningName> =
  | { readonly kind: 'reckoned'; readonly figures: Reckonings[N]['figures'] }
  | { readonly kind: 'lacking'; readonly blocks: readonly BlockId[] }
