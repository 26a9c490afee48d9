import type { Cell, Chart, Count, Label, OverviewAnswer, TableAnswer } from '../service/answers.ts'
import type { Failure } from '../service/failure.ts'
import type { Day } from '../values/day.ts'
import type { Instant } from '../values/ids.ts'
import type { OverviewQuery, TableQuery } from './query.ts'

/** Where figures come from and how old they are. */
export type Provenance = {
  /** `computed`: added up by the desk from whole tables that it keeps. */
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

/** Who computed the rates of a table: the service, or the desk from the counts. Never both in one table. */
export type RatesBy = 'service' | 'desk' | 'nobody'

type Answered<Query, Figures> = {
  readonly query: Query
  readonly figures: Figures
  readonly provenance: Provenance
}

/** An answered query: the figures, and what is to be known of them. */
export type ReportAnswer =
  | ({ readonly kind: 'overview' } & Answered<OverviewQuery, OverviewAnswer>)
  | ({ readonly kind: 'table'; readonly ratesBy: RatesBy } & Answered<TableQuery, TableAnswer>)

/** The daily figures of a query's selection: its family, dimension and filters, whatever is searched or sorted. */
export type TrendAnswer = { readonly chart: Chart; readonly provenance: Provenance }

/** The same rows over other days: what stood there before, by header. */
export type BeforeAnswer = {
  readonly headers: readonly string[]
  readonly all: readonly Cell[] | null
  /** One for each label that was asked about; null where there was no such row. Cells stand as in a table's row. */
  readonly rows: readonly (readonly Cell[] | null)[]
  readonly provenance: Provenance
}

/** A row that moved between two periods, by one of its counts. A row that was not there counts nothing. */
export type Mover = { readonly label: Label; readonly now: Count; readonly before: Count }

export type MoversAnswer = {
  /** Those that grew, the most first. */
  readonly up: readonly Mover[]
  readonly down: readonly Mover[]
  /** Of the newer period; its `missing` names days of either. */
  readonly provenance: Provenance
}
