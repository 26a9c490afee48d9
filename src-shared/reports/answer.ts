import type { OverviewAnswer, TableAnswer } from '../service/answers.ts'
import type { Failure } from '../service/failure.ts'
import type { Day } from '../values/day.ts'
import type { Instant } from '../values/ids.ts'
import type { OverviewQuery, TableQuery } from './query.ts'

/** Where figures come from and how old they are. */
export type Provenance = {
  readonly from: 'service' | 'kept' | 'computed'
  /** When the oldest of the figures was fetched. */
  readonly fetchedAt: Instant
  /** Whether newer figures are being asked for at this moment; a change event follows. */
  readonly refreshing: boolean
  /** Why newer figures could not be had, where they were asked for and refused or lost. */
  readonly failure: Failure | null
  /** Days of the range that are not in the figures. */
  readonly missing: readonly Day[]
}

type Answered<Query, Figures> = {
  readonly query: Query
  readonly figures: Figures
  readonly provenance: Provenance
}

/** An answered query: the figures, and what is to be known of them. */
export type ReportAnswer =
  | ({ readonly kind: 'overview' } & Answered<OverviewQuery, OverviewAnswer>)
  | ({ readonly kind: 'table' } & Answered<TableQuery, TableAnswer>)
