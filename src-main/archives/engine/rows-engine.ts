import type {
  Facets,
  RowsClusters,
  RowsGroups,
  RowsHistogram,
  RowsPage,
  SearchHits,
  UnreadableLines,
  GroupKey,
  GroupSort,
  RowsCondition,
  RowsFormat,
  RowsSortKey,
} from '#shared/archives/rows.ts'
import { engineClient } from '#main/analytics/engine-client.ts'
import type { EngineClient, EngineOptions } from '#main/analytics/engine-client.ts'
import type { StoredRows, RowsEntry } from '#main/analytics/rows-layout.ts'

/**
 * What the rows' process does. Files are those of one account, each as the catalogue has it; whether they are still what was written is
 * looked at here. A signal ends the statements of an answer.
 */
export type RowsCalls = {
  /** Reads an archive into the rows folder; `rows/import-progress` tells how far it is. Nothing stays where it fails. */
  readonly readIn: (request: ReadIn, signal: AbortSignal) => Promise<ReadRows>
  /**
   * What a file of unreadable lines says of rows; null where it or its rows are not what was written.
   * @throws DeskFailure where they cannot be read for now, or another version wrote them
   */
  readonly inspect: (entry: StoredRows['path']) => Promise<ReadRows | null>
  /** Removes files, as far as they are there. */
  readonly remove: (paths: readonly StoredRows['path'][]) => null
  readonly page: (params: PageParams, signal: AbortSignal) => Promise<Verified<RowsPage>>
  readonly facets: (params: FacetsParams, signal: AbortSignal) => Promise<Verified<Facets>>
  readonly histogram: (params: HistogramParams, signal: AbortSignal) => Promise<Verified<RowsHistogram>>
  readonly groups: (params: GroupsParams, signal: AbortSignal) => Promise<Verified<RowsGroups>>
  readonly clusters: (params: ClustersParams, signal: AbortSignal) => Promise<Verified<RowsClusters>>
  readonly search: (
    request: SearchParams,
    signal: AbortSignal,
  ) => Promise<Verified<Pick<SearchHits, 'count' | 'columns' | 'rows'>>>
  /** Rows by day in a zone and by result. */
  readonly days: (
    params: RowsParams & { readonly zone: string },
    signal: AbortSignal,
  ) => Promise<Verified<readonly DayCount[]>>
  readonly unreadable: (params: UnreadableParams, signal: AbortSignal) => Promise<Verified<UnreadableLines>>
  /** Writes what a question finds into the engine's own folder. */
  readonly write: (params: WriteParams, signal: AbortSignal) => Promise<Verified<WrittenFile>>
}

export type ReadIn = {
  /** Names the reading, for what is told of it. */
  readonly reading: string
  /** The archive's path. */
  readonly source: string
  readonly about: Pick<RowsEntry, 'id' | 'owner' | 'report' | 'name' | 'type' | 'readAt'>
}

/** Rows that were read in, and the file that says so. */
export type ReadRows = { readonly entry: RowsEntry; readonly entryPath: StoredRows['path'] }

/** Which rows: of these files, joined by column. */
export type RowsParams = {
  readonly files: readonly RowsEntry[]
  readonly conditions: readonly RowsCondition[]
  readonly sort: readonly RowsSortKey[]
}

export type PageParams = RowsParams & {
  readonly offset: number
  readonly limit: number
  readonly columns: readonly string[]
}
export type FacetsParams = RowsParams & { readonly columns: readonly string[]; readonly top: number }
export type HistogramParams = RowsParams & { readonly by: 'hour' | 'day'; readonly zone: string }
export type GroupsParams = RowsParams & {
  readonly by: readonly GroupKey[]
  readonly groupSort: GroupSort
  readonly search: string
  readonly offset: number
  readonly limit: number
  readonly zone: string
}
/** Hours are those of the zone. */
export type ClustersParams = RowsParams & { readonly zone: string }
export type SearchParams = {
  readonly file: RowsEntry
  readonly text: string
  readonly max: number
}
export type UnreadableParams = {
  readonly file: RowsEntry
  readonly entryPath: StoredRows['path']
  readonly offset: number
  readonly limit: number
}
export type WriteParams = RowsParams & {
  readonly columns: readonly string[]
  readonly format: Exclude<RowsFormat, 'xlsx'>
}
/** A file in the engine's own folder, which goes with the engine: who asked moves it away. */
export type WrittenFile = { readonly path: string; readonly rows: number }

export type DayCount = { readonly day: string; readonly result: string; readonly rows: number }

/** An answer; or the files, as they were asked for, that are not there or not what was written, so that there is none. */
export type Verified<A> =
  | { readonly kind: 'answer'; readonly answer: A }
  | { readonly kind: 'damaged'; readonly files: readonly RowsEntry[] }

/** DuckDB over rows. */
export type RowsEngine = EngineClient<RowsCalls>

export const startRowsEngine = (options: EngineOptions): RowsEngine =>
  engineClient<RowsCalls>('rows', 'The rows could not be read. Please try again.', options)
