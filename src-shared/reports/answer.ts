import type {
  Cell,
  Chart,
  Count,
  Label,
  OverviewAnswer,
  TableAnswer,
  TableRow,
  Totals,
} from '../api/answers.ts'
import type { Failure } from '../api/failure.ts'
import type { Day, DayRange } from '../values/day.ts'
import type { Instant } from '../values/ids.ts'
import type { ComparedDays, ComparedPeriods } from './compared-periods.ts'
import type { ComposedPart } from './composed.ts'
import type { Doubt } from './doubt.ts'
import type { OverviewQuery, TableQuery } from './query.ts'
import type { RestatedDays } from './restated.ts'

/** Where figures come from and how old they are. */
export type Provenance = {
  /** `computed`: added up by the desk from whole tables that it keeps. */
  readonly from: 'service' | 'stored' | 'computed'
  /** When the oldest of the figures was fetched. */
  readonly fetchedAt: Instant
  /** When the figures of which of its days were fetched; only where they are of several times. */
  readonly ages?: readonly DayAge[]
  /** Runs of days that are saved as one, so that no part of them can be told; only where figures are computed from such. */
  readonly spans?: readonly DayRange[]
  /** Whether newer figures are being asked for at this moment; a change event follows. */
  readonly refreshing: boolean
  /** Why newer figures could not be had, where they were asked for and refused or lost. */
  readonly failure: Failure | null
  /** Days of the range that are not in the figures. */
  readonly missing: readonly Day[]
  /** Why the rows do not add up, as the service gives them; null where they do. */
  readonly doubt: Doubt | null
  /** How much of a composed table was asked; only where not all of it was. */
  readonly composed?: ComposedPart
  /** How many of its days were restated since they were first kept; null where none was. */
  readonly restated: RestatedDays | null
}

/** When the figures of a run of days were fetched: the oldest of them. */
export type DayAge = { readonly range: DayRange; readonly fetchedAt: Instant }

/** Who computed the rates of a table: the service, or the desk from the counts. Never both in one table. */
export type RatesBy = 'service' | 'desk' | 'nobody'

type StampedAnswer<Query, Figures> = {
  readonly query: Query
  readonly figures: Figures
  readonly provenance: Provenance
}

/** An answered query: the figures, and what is to be known of them. */
export type ReportAnswer =
  | ({ readonly kind: 'overview' } & StampedAnswer<OverviewQuery, OverviewAnswer>)
  | ({
      readonly kind: 'table'
      readonly ratesBy: RatesBy
      /** What the rows add up to that a search or limits found, where that is known. */
      readonly found?: TableRow
    } & StampedAnswer<TableQuery, TableAnswer>)

/** The daily figures of a query's selection: its family, dimension and filters, whatever is searched or sorted. */
export type TrendAnswer = { readonly chart: Chart; readonly provenance: Provenance }

/** Two runs of whole days, and how many days of them are compared where some are missing; null where all are there. */
export type ComparedFigures = {
  readonly periods: Extract<ComparedPeriods, { kind: 'periods' }>
  readonly compared: ComparedDays | null
}

/** The rows of a table over the days that it is compared with. */
export type BeforeAnswer = ComparedFigures & {
  /** `now` are those that are compared where the table shows other days; null where what it shows is. No sides where nothing is. */
  readonly sides: { readonly now: RowsOfLabels | null; readonly before: RowsOfLabels } | null
  /** Of the days compared with. */
  readonly provenance: Provenance
}

/** Some rows of a table, whatever page they would stand on. */
export type RowsOfLabels = {
  readonly headers: readonly string[]
  readonly all: readonly Cell[] | null
  /** One for each label that was asked about; null where there is no such row. Cells stand as in a table's row. */
  readonly rows: readonly (readonly Cell[] | null)[]
}

/** What is compared of one of two periods. */
export type ComparedSide = { readonly total: Totals }

/** Two periods of which days are missing, over the days that can be compared; no sides where there are none. */
export type PairedAnswer = {
  readonly compared: ComparedDays
  readonly sides: { readonly now: ComparedSide; readonly before: ComparedSide } | null
  /** When the oldest of the figures was fetched; null where there are none. */
  readonly fetchedAt: Instant | null
}

/** A row that moved between two periods, by one of its counts. A row that was not there counts nothing. */
export type Mover = {
  readonly label: Label
  readonly now: Count
  readonly before: Count
  /** Of what its rates are shares, where it has one that says something. */
  readonly of?: { readonly now: Count; readonly before: Count }
}

export type MoversAnswer = ComparedFigures & {
  /** Those that grew, the most first. */
  readonly up: readonly Mover[]
  readonly down: readonly Mover[]
  /** Of the newer period; its `missing` names days of either. */
  readonly provenance: Provenance
}
