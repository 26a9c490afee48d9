import type { MoversAnswer, RowsOfLabels, Composed, RestatedRow } from '#shared/reports/answer.ts'
import type { Lengths } from '#shared/reports/change.ts'
import type { Explanation } from '#shared/reports/explain.ts'
import type { MovedBy, TableQuery } from '#shared/reports/query.ts'
import type { RateBases } from '#shared/reports/rows.ts'
import type { Cell, Table, TableAnswer, TableRow, Totals } from '#shared/api/answers.ts'
import type { Family } from '#shared/api/dimensions.ts'
import type { Day, DayRange } from '#shared/values/day.ts'
import type { ExportColumn, SnapshotForm } from '#shared/exports/columns.ts'
import type {
  TableEntry,
  HistoryStem,
  HistoryFile,
  HistoryPath,
  TableId,
} from '#main/analytics/history-layout.ts'
import type { StoredTable } from '#main/database/cache/catalogue-repository.ts'
import type { Judged, JudgeTask } from '#main/watch/judging/task.ts'
import type { FileState } from '#main/analytics/checksummed-files.ts'

/** A page of rows, and the sum of all rows of the query, with rates if requested. */
export type Narrowed = { readonly answer: TableAnswer; readonly foundTotal: TableRow }

type Computes<Params, Answer> = (params: Params, signal: AbortSignal) => Promise<Computed<Answer>>

/**
 * Calls of the engine's process. Tables are whole, of one subject and of disjoint days. The caller selects tables for the
 * query's range, which the engine ignores. A signal cancels the statements of a call.
 */
export type EngineCalls = {
  /** Computes the service's answer over all days of the tables. */
  readonly table: Computes<TableParams, TableAnswer>
  /** Like `table` for a search or limits, with the sum of the matching rows. */
  readonly narrowed: Computes<TableParams, Narrowed>
  /** Returns the rows of these labels (labelKey), regardless of page. */
  readonly rowsOf: Computes<TableParams & { readonly labels: readonly string[] }, RowsOfLabels>
  /** Returns a row (labelKey) of single-day tables, by day. */
  readonly rowByDay: Computes<RowByDayParams, readonly RowOfDay[]>
  /** Writes every row of a query to a file in the engine's temporary folder. The caller moves it before the engine ends. */
  readonly snapshot: Computes<SnapshotParams, EngineSnapshot>
  /**
   * Converts the lines of an export to Parquet, and removes them. The file is in the engine's temporary folder; the caller moves
   * it before the engine ends.
   */
  readonly parquet: (params: ParquetParams, signal: AbortSignal) => Promise<string>
  /** Returns the rows that changed most by count or rate, at most `max` in each direction. */
  readonly movers: Computes<MoversParams, Movers>
  /** Explains the change of a count or its rate between two sums; null if the figure is unknown. */
  readonly explain: Computes<ExplainParams, Explanation | null>
  /** Does several tasks on the rows of single-day tables, in their order. The tables are read once. */
  readonly judge: Computes<JudgeParams, readonly Judged[]>
  /** Returns the sorted distinct labels of tables of any subjects and days, if their labels are texts. */
  readonly names: Computes<
    { readonly tables: readonly StoredTable[]; readonly max: number },
    readonly string[]
  >
  /** Returns the rows that differ between two tables of the same subject and days, the largest changes first. */
  readonly differences: Computes<DifferencesParams, Differences>
  /** Adds a page to a table to be written. The first page starts the table. */
  readonly stage: (page: StagedPage) => Promise<null>
  /** Writes and syncs a staged table, and discards its rows. */
  readonly write: (table: TableToWrite) => Promise<WrittenTable>
  /** Discards staged rows. */
  readonly discard: (staging: string) => Promise<null>
  /** Writes tables of one subject to one file and syncs it; null if one of their files cannot be read. */
  readonly join: (request: TablesToJoin) => Promise<HistoryFile | null>
  /**
   * Whether the rows of a file are sorted, according to its statistics. True without statistics or if the file is unreadable.
   */
  readonly isSorted: (path: HistoryPath) => Promise<boolean>
  /** Reads a file that is not in the catalogue, including all rows. */
  readonly inspect: (path: HistoryPath) => Promise<InspectedFile>
  /** Reads the list of tables in a file's metadata, unverified but fast; null if the file is foreign or unreadable. */
  readonly entries: (path: HistoryPath) => Promise<readonly TableEntry[] | null>
  /** Checks whether files are unchanged. Returns their states in the same order. */
  readonly look: (files: readonly HistoryFile[]) => readonly FileState[]
}

export type TableParams = {
  readonly tables: readonly StoredTable[]
  readonly query: TableQuery
  /** Bases of the rates, if the query requests rates. */
  readonly bases?: RateBases | null
  /** Tables to compare rows with, if the query sorts or limits by change. */
  readonly compared?: ComparedTables | null
}

export type RowByDayParams = { readonly tables: readonly StoredTable[]; readonly key: string }

/** A row of a single day's table, with numbers alone. */
export type RowOfDay = {
  readonly day: Day
  /** The label's first. */
  readonly headers: readonly string[]
  /** Cells of the table's aggregate row; null if there is none. */
  readonly all: readonly Cell[] | null
  /** Null if the table lacks the row. */
  readonly cells: readonly (number | null)[] | null
}

/** Tables of the compared days. `now` is null if the current days are those shown. */
export type ComparedTables = {
  readonly now: readonly StoredTable[] | null
  readonly before: readonly StoredTable[]
  /** Number of days of each side. If they differ, counts are compared per day. */
  readonly lengths: Lengths
}

export type SnapshotParams = TableParams & {
  /** Headers in display order; null for all columns with content. */
  readonly columns: readonly string[] | null
  /** Whether only columns of the specification are included. */
  readonly standardOnly: boolean
  /** Tables whose figures are written beside each row; ignored for CSV. */
  readonly beside: ComparedTables | null
  /** Lines of CSV with the chosen columns, or lines of JSON with all columns (src-shared/exports/columns.ts). */
  readonly form: SnapshotForm
  /** Names that several instances share, including instances that are not among the rows. */
  readonly shared?: readonly string[]
}

/** A column of an exported Parquet file. */
export type ParquetColumn = {
  /** Unique whatever its case, neither empty nor with NUL. */
  readonly name: string
  readonly type: 'VARCHAR' | 'BIGINT' | 'DOUBLE' | 'DATE'
}

export type ParquetParams = {
  /** Path of a file in the profile. Each line is a JSON array of texts and nulls. */
  readonly lines: string
  readonly columns: readonly ParquetColumn[]
  /** Written into the file's metadata, under the key `traffic_desk`. */
  readonly facts: string
}

/** A file with all rows of a query as of one moment, and the table's other parts. */
export type EngineSnapshot = {
  readonly path: string
  readonly rows: number
  readonly columns: readonly ExportColumn[]
  /** Headers and aggregate row, with rates if requested; without rows. */
  readonly table: Table
  /** Headers of the cells in a line of JSON, the label's first. */
  readonly raw: readonly string[]
  readonly foundTotal: TableRow | null
  readonly total: Totals
  /** Aggregate rows of the compared sides. */
  readonly sides: { readonly now: AllCells | null; readonly before: AllCells } | null
}

/** Cells of an aggregate row, with headers (the label's first); null if there is none. */
export type AllCells = { readonly headers: readonly string[]; readonly cells: readonly Cell[] | null }

export type MoversParams = Omit<TableParams, 'compared' | 'bases'> &
  MovedBy & {
    readonly before: readonly StoredTable[]
    /** Number of days of each side. If they differ, counts are compared per day. */
    readonly lengths: Lengths
    readonly header: string
    readonly max: number
  }

export type ExplainParams = {
  readonly tables: readonly StoredTable[]
  readonly before: readonly StoredTable[]
  readonly query: TableQuery
  readonly header: string
  /** Base of the rate; the header itself if it has no rate. */
  readonly base: string
  readonly by: 'count' | 'rate'
  /** Number of days of each side. */
  readonly lengths: Lengths
  /** Key of the row to explain. */
  readonly focus?: string | undefined
}

/** What is known of the days that are judged. Lists are by day of the range. */
export type WatchedDays = {
  readonly range: DayRange
  readonly settled: readonly boolean[]
  /** Days after which figures can be settled. */
  readonly settlesAfter: number
  /** Whether a row that the day's table lacks had no requests. False if the table is missing or doubtful. */
  readonly whole: readonly boolean[]
}

export type JudgeParams = {
  /** Tables of single days. */
  readonly tables: readonly StoredTable[]
  readonly family: Family
  readonly days: WatchedDays
  /** Header of the bad requests, and of all that they are a share of. */
  readonly header: string
  readonly base: string
  readonly tasks: readonly JudgeTask[]
}

/** Figures; or the tables that prevented the computation, whose days count as missing. */
export type Computed<F> =
  | { readonly kind: 'computed'; readonly figures: F }
  | { readonly kind: 'lacking'; readonly tables: readonly TableId[]; readonly why: MissingReason }

/** `differs`: the file is not what was written, or has only totals. `unreadable`: it cannot be read at the moment. */
export type MissingReason = 'differs' | 'unreadable'

export type Movers = Pick<MoversAnswer, 'by' | 'min' | 'up' | 'down'>

type DifferencesParams = {
  readonly before: StoredTable
  readonly after: StoredTable
  /** Maximum number of rows. */
  readonly max: number
}

export type Differences = {
  /** The first of the differing rows. */
  readonly rows: readonly RestatedRow[]
  /** Number of differing rows. */
  readonly differing: number
  /** Whether any count decreased or became null. */
  readonly fell: boolean
}

/** A page of rows. `staging` identifies the table. */
export type StagedPage = {
  readonly staging: string
  /** Number of cells after each label. */
  readonly columns: number
  readonly rows: readonly TableRow[]
}

/** How to write a staged table. A table with only totals has no staged rows. */
export type TableToWrite = {
  readonly staging: string
  readonly stem: HistoryStem
  /** `rows` must match the staged rows, or their distinct labels if repeats are dropped. Otherwise nothing is written. */
  readonly entry: Omit<TableEntry, 'head'>
  /** Whether only the last of several rows with the same label is written. */
  readonly dropsRepeats?: boolean
  /** The label's header first; without rates. Empty for an overview. */
  readonly headers: readonly string[]
  readonly all: TableRow | null
  readonly total: Totals
  readonly composed?: Composed
}

export type WrittenTable = { readonly file: HistoryFile; readonly head: string }

export type TablesToJoin = {
  readonly tables: readonly (StoredTable & Pick<TableEntry, 'dataScope' | 'subject'>)[]
  readonly stem: HistoryStem
}

export type InspectedFile =
  | { readonly kind: 'whole'; readonly file: HistoryFile; readonly entries: readonly TableEntry[] }
  /** The content does not match the checksum. */
  | { readonly kind: 'damaged' }
  /** The file is unreadable, or was written by another edition of the app. */
  | { readonly kind: 'unknown' }
