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
import type { ListOptions, MadeList } from '#shared/archives/block-list.ts'
import type { CutCells } from '#shared/app/jobs.ts'
import type { AccountId } from '#shared/values/ids.ts'
import type { CsvForm } from '#shared/values/delimited.ts'
import type { ImportPreview, ShapeChoice } from '#shared/archives/rows-file.ts'
import { engineClient } from '#main/analytics/engine-client.ts'
import type { EngineClient, EngineOptions } from '#main/analytics/engine-client.ts'
import type { StoredRows, RowsEntry } from '#main/analytics/rows-layout.ts'

type Answers<Params, Answer> = (params: Params, signal: AbortSignal) => Promise<Verified<Answer>>

/**
 * What the rows' process does. Files are those of one account, each as the catalogue has it; whether they are still what was written is
 * looked at here. A signal ends the statements of an answer.
 */
export type RowsCalls = {
  /** Reads an archive into the rows folder; `rows/import-progress` tells how far it is. Nothing stays where it fails. */
  readonly readIn: (request: ReadIn, signal: AbortSignal) => Promise<ReadRows>
  /** How the first table of an archive would be read. */
  readonly preview: (
    request: Pick<ReadIn, 'source' | 'choices'>,
    signal: AbortSignal,
  ) => Promise<ImportPreview>
  /**
   * What a file of unreadable lines says of rows; null where it or its rows are not what was written.
   * @throws DeskFailure where they cannot be read for now, or another version wrote them
   */
  readonly inspect: (entry: StoredRows['path']) => Promise<ReadRows | null>
  /** Removes files, as far as they are there. */
  readonly remove: (paths: readonly StoredRows['path'][]) => null
  readonly page: Answers<PageParams, RowsPage>
  readonly facets: Answers<FacetsParams, Facets>
  readonly histogram: Answers<HistogramParams, RowsHistogram>
  readonly groups: Answers<GroupsParams, RowsGroups>
  readonly clusters: Answers<ClustersParams, RowsClusters>
  /** A block list of a column's values or networks; `reports/progress` tells how far their counting is. */
  readonly blockList: Answers<BlockListParams, MadeList>
  readonly search: Answers<SearchParams, SearchedFile>
  /** Rows by day in a zone and by result. */
  readonly days: Answers<RowsParams & { readonly zone: string }, readonly DayCount[]>
  readonly unreadable: Answers<UnreadableParams, UnreadableLines>
  /** Which cells of what a question finds a sheet would cut. */
  readonly longCells: Answers<LongCellsParams, CutCells>
  /** Writes what a question finds into the engine's own folder; `rows/import-progress` tells how far it is. */
  readonly write: Answers<WriteParams, WrittenFile>
}

export type ReadIn = {
  /** Names the reading, for what is told of it. */
  readonly reading: string
  /** The archive's path. */
  readonly source: string
  /** Of moments that name none. */
  readonly zone: string
  /** What a person chose for tables of some shapes. */
  readonly choices: readonly ShapeChoice[]
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
export type BlockListParams = RowsParams & {
  readonly key: GroupKey
  readonly wish: Omit<ListOptions, 'allowed' | 'exported'> & {
    readonly allowed: readonly string[]
    readonly exported: readonly string[]
  }
  /** Under which name progress is told; null where nobody asks. */
  readonly progress: { readonly account: AccountId; readonly key: string } | null
}
export type SearchParams = {
  readonly file: RowsEntry
  readonly text: string
  readonly max: number
}
/** What is found in a file, and the columns in which nothing was looked for. */
export type SearchedFile = Pick<SearchHits, 'count' | 'columns' | 'rows'> & {
  readonly unsearched: readonly string[]
}
export type UnreadableParams = {
  readonly file: RowsEntry
  readonly entryPath: StoredRows['path']
  readonly offset: number
  readonly limit: number
}
/** An empty list of columns is all of them. */
export type LongCellsParams = RowsParams & { readonly columns: readonly string[] }
export type WriteParams = RowsParams & {
  /** Names the writing where something is told of it. */
  readonly reading?: string
  /** Of a sheet. */
  readonly name?: string
  readonly columns: readonly string[]
  readonly format: RowsFormat
  readonly csv?: CsvForm | undefined
}
/** A file in the engine's own folder, which goes with the engine: who asked moves it away. */
export type WrittenFile = { readonly path: string; readonly rows: number; readonly cut: CutCells }

export type DayCount = { readonly day: string; readonly result: string; readonly rows: number }

/** An answer; or the files, as they were asked for, that are not there or not what was written, so that there is none. */
export type Verified<A> =
  | { readonly kind: 'answer'; readonly answer: A }
  | { readonly kind: 'damaged'; readonly files: readonly RowsEntry[] }

/** DuckDB over rows. */
export type RowsEngine = EngineClient<RowsCalls>

export const startRowsEngine = (options: EngineOptions): RowsEngine =>
  engineClient<RowsCalls>('rows', "Can't read the rows. Try again.", options)
