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
 * Calls of the rows process. Files are those of one account, as in the catalogue. The process verifies that they are as written. A signal
 * interrupts the statements of an answer.
 */
export type RowsCalls = {
  /** Imports an archive into the rows folder and emits `rows/import-progress`. A failure leaves no files. */
  readonly importArchive: (request: ImportRequest, signal: AbortSignal) => Promise<ImportedFile>
  /** Previews how the first table of an archive is read. */
  readonly preview: (request: PreviewRequest, signal: AbortSignal) => Promise<ImportPreview>
  /**
   * Reads an entry file. Returns null if the file or its rows are missing or damaged.
   * @throws DeskFailure if they are unreadable for now, or another version wrote them
   */
  readonly inspect: (entry: StoredRows['path']) => Promise<ImportedFile | null>
  /** Removes files. Missing files are ignored. */
  readonly remove: (paths: readonly StoredRows['path'][]) => null
  readonly page: Answers<PageParams, RowsPage>
  readonly facets: Answers<FacetsParams, Facets>
  readonly histogram: Answers<HistogramParams, RowsHistogram>
  readonly groups: Answers<GroupsParams, RowsGroups>
  readonly clusters: Answers<RowsInZone, RowsClusters>
  /** Makes a block list of a column's values or networks and emits `reports/progress`. */
  readonly blockList: Answers<BlockListParams, MadeList>
  readonly search: Answers<SearchParams, SearchedFile>
  /** Counts rows by day in a zone and by result. */
  readonly days: Answers<RowsInZone, readonly DayCount[]>
  readonly unreadable: Answers<UnreadableParams, UnreadableLines>
  /** Counts the cells that a sheet would cut. */
  readonly longCells: Answers<LongCellsParams, CutCells>
  /** Writes matching rows into the engine's own folder and emits `rows/import-progress`. */
  readonly write: Answers<WriteParams, WrittenFile>
}

/** An archive, and the user's settings for reading it. */
export type PreviewRequest = {
  /** Path of the archive. */
  readonly source: string
  /** The user's settings for tables of some shapes. */
  readonly choices: readonly ShapeChoice[]
}

export type ImportRequest = PreviewRequest & {
  /** Identifies the import in progress events. */
  readonly reading: string
  /** Zone for times without a zone. */
  readonly zone: string
  readonly about: Pick<RowsEntry, 'id' | 'dataScope' | 'report' | 'name' | 'type' | 'readAt'>
}

/** Imported rows, and the file of their entry. */
export type ImportedFile = { readonly entry: RowsEntry; readonly entryPath: StoredRows['path'] }

/** Selects rows of these files, joined by column. */
export type RowsParams = {
  readonly files: readonly RowsEntry[]
  readonly conditions: readonly RowsCondition[]
  readonly sort: readonly RowsSortKey[]
}

/** Selected rows, and the zone of their days and hours. */
export type RowsInZone = RowsParams & { readonly zone: string }

export type PageParams = RowsParams & {
  readonly offset: number
  readonly limit: number
  readonly columns: readonly string[]
}
export type FacetsParams = RowsParams & { readonly columns: readonly string[]; readonly top: number }
export type HistogramParams = RowsInZone & { readonly by: 'hour' | 'day' }
export type GroupsParams = RowsInZone & {
  readonly by: readonly GroupKey[]
  readonly groupSort: GroupSort
  readonly search: string
  readonly offset: number
  readonly limit: number
}
export type BlockListParams = RowsInZone & {
  readonly key: GroupKey
  readonly wish: Omit<ListOptions, 'allowed' | 'exported' | 'expired'> & {
    readonly allowed: readonly string[]
    readonly exported: readonly string[]
    readonly expired: readonly string[]
  }
  /** Account and key of progress events; null: no events. */
  readonly progress: { readonly account: AccountId; readonly key: string } | null
}
export type SearchParams = {
  readonly file: RowsEntry
  readonly text: string
  readonly max: number
}
/** Hits in a file, and the names of its columns. */
export type SearchedFile = Pick<SearchHits, 'count' | 'columns' | 'rows'> & {
  readonly searched: readonly string[]
  readonly unsearched: readonly string[]
}
export type UnreadableParams = {
  readonly file: RowsEntry
  readonly entryPath: StoredRows['path']
  readonly offset: number
  readonly limit: number
}
/** An empty list of columns selects all. */
export type LongCellsParams = RowsParams & { readonly columns: readonly string[] }
export type WriteParams = RowsParams & {
  /** Identifies the export in progress events. */
  readonly reading?: string
  /** Name of the sheet. */
  readonly name?: string
  readonly columns: readonly string[]
  readonly format: RowsFormat
  readonly csv?: CsvForm | undefined
}
/** A file in the engine's own folder, which is deleted with the engine. The caller moves the file away. */
export type WrittenFile = { readonly path: string; readonly rows: number; readonly cut: CutCells }

export type DayCount = { readonly day: string; readonly result: string; readonly rows: number }

/** An answer, or the requested files that are missing or damaged. */
export type Verified<A> =
  | { readonly kind: 'answer'; readonly answer: A }
  | { readonly kind: 'damaged'; readonly files: readonly RowsEntry[] }

/** Client of the rows process, which runs DuckDB. */
export type RowsEngine = EngineClient<RowsCalls>

export const startRowsEngine = (options: EngineOptions): RowsEngine =>
  engineClient<RowsCalls>('rows', "Can't read the rows. Try again.", options)
