import type { Composed } from '#shared/reports/composed.ts'
import type { Doubt } from '#shared/reports/doubt.ts'
import type { Provisional } from '#shared/reports/provisional.ts'
import type { TableRow, Totals } from '#shared/api/answers.ts'
import type { DayRange } from '#shared/values/day.ts'
import type { Instant, DataScopeId } from '#shared/values/ids.ts'
import type { Store as StateStore } from '#main/database/state/state-store.ts'
import type { Store } from '#main/database/cache/cache-store.ts'
import type { TablePlace } from '#main/database/cache/catalogue-repository.ts'
import type { Emitter } from '#main/lib/app-events.ts'
import type { Engine } from '../engine/engine.ts'
import type { TableDraft } from './table-draft.ts'

/** A table to be kept, fetched as one. */
export type TableToStore = TablePlace & {
  readonly range: DayRange
  /** The label's first, without rates; none of an overview. */
  readonly headers: readonly string[]
  readonly all: TableRow | null
  readonly total: Totals
  /** Page by page, or handed over as they came; null where totals alone are kept. */
  readonly rows: readonly (readonly TableRow[])[] | TableDraft | null
  readonly fetchedAt: Instant
  /** Why its rows do not add up; null where they do. */
  readonly doubt: Doubt | null
  /** How much of what it is composed of was asked; only of a composed table. */
  readonly composed?: Composed
  /** Under which check it was fetched; absent where no other is waited for. */
  readonly provisional?: Provisional
}

/** A table as it was fetched; whose it is and of which days is said when it is kept. */
export type FetchedTable = Omit<TableToStore, 'owner' | 'subject' | 'range'>

/** What the history is made of. */
export type HistoryParts = {
  readonly store: Pick<Store, 'run' | 'opened'>
  /** Where it is kept what was restated. */
  readonly state: Pick<StateStore, 'run'>
  readonly engine: Pick<Engine, 'call' | 'mayRest'>
  /** The history folder. */
  readonly folder: string
  /** The IANA zone in which an owner's days begin; null where nobody knows it: then nothing is compared. */
  readonly zoneOf: (owner: DataScopeId) => string | null
  /** Where it tells of each table that it stores, if anybody follows. */
  readonly events?: Emitter
}
