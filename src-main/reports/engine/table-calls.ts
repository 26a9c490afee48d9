import type { MoversAnswer, RowsOfLabels, Composed, RestatedRow } from '#shared/reports/answer.ts'
import type { Lengths } from '#shared/reports/change.ts'
import type { Explanation } from '#shared/reports/explain.ts'
import type { MovedBy, TableQuery } from '#shared/reports/query.ts'
import type { RateBases } from '#shared/reports/rows.ts'
import type { Cell, Table, TableAnswer, TableRow, Totals } from '#shared/api/answers.ts'
import type { ExportColumn, SnapshotForm } from '#shared/exports/columns.ts'
import type { Entry, HistoryStem, HistoryFile, HistoryPath, TableId } from '#main/analytics/history-layout.ts'
import type { StoredTable } from '#main/database/cache/catalogue-repository.ts'
import type { FileState } from '#main/analytics/checksummed-files.ts'

/** A page of the rows that a query finds, and what all of them add up to, whatever page they stand on; with rates where wanted. */
export type Narrowed = { readonly answer: TableAnswer; readonly foundTotal: TableRow }

type Computes<Params, Answer> = (params: Params, signal: AbortSignal) => Promise<Computed<Answer>>

/**
 * What the engine's process does. Tables are whole, of the query's subject, over days that do not overlap; who asks decides
 * which of them cover the query's range, because the range itself is not looked at. A signal ends the statements of an answer.
 */
export type EngineCalls = {
  /** The answer that the service would give over all the days together. */
  readonly table: Computes<TableParams, TableAnswer>
  /** The same for a search or limits, with what the rows add up to that these find. */
  readonly narrowed: Computes<TableParams, Narrowed>
  /** The rows of these labels (labelKey), whatever page they would stand on. */
  readonly rowsOf: Computes<TableParams & { readonly labels: readonly string[] }, RowsOfLabels>
  /** Writes every row that a query finds into a file of the engine's own folder, which goes with the engine: who asked moves it away. */
  readonly snapshot: Computes<SnapshotParams, Snapshot>
  /** The rows that moved most by the count under a header or by its rate, `max` of them each way. */
  readonly movers: Computes<MoversParams, Movers>
  /** What explains the change of a count, or of its rate, between two sums; null where it is not known. */
  readonly explain: Computes<ExplainParams, Explanation | null>
  /** What the rows of tables are called, each once, in order: tables of any subjects and days whose rows are named by texts. */
  readonly names: Computes<
    { readonly tables: readonly StoredTable[]; readonly max: number },
    readonly string[]
  >
  /** The rows of two tables of the same subject and days that differ, the largest changes first. */
  readonly differences: Computes<DifferencesParams, Differences>
  /** Takes a page of a table that is to be written; the first one begins it. */
  readonly stage: (page: StagedPage) => Promise<null>
  /** Writes what was staged into a file, durably, and lets it go. */
  readonly write: (table: TableToWrite) => Promise<WrittenTable>
  /** Lets go what was staged. */
  readonly discard: (staging: string) => Promise<null>
  /** Writes the rows of tables of one subject into one file, durably; null where one of their files cannot be read. */
  readonly join: (request: TablesToJoin) => Promise<HistoryFile | null>
  /** Whether the rows of a file are sorted, as its statistics show; also where it has none, or cannot be read now. */
  readonly isSorted: (path: HistoryPath) => Promise<boolean>
  /** What a file says of itself, which nothing else knows of. All of its rows are read. */
  readonly inspect: (path: HistoryPath) => Promise<InspectedFile>
  /** The tables that a file says it holds, unchecked and quickly; null where it says nothing that is ours, or cannot be read now. */
  readonly entries: (path: HistoryPath) => Promise<readonly Entry[] | null>
  /** Whether files are what was written, in their order. */
  readonly look: (files: readonly HistoryFile[]) => readonly FileState[]
}

export type TableParams = {
  readonly tables: readonly StoredTable[]
  readonly query: TableQuery
  /** What rates are shares of, where the query wants them. */
  readonly bases?: RateBases | null
  /** With what rows are compared where the query sorts or limits by a change. */
  readonly compared?: ComparedTables | null
}

/** Tables of the days compared with; and those of now, where other days are compared than are shown. */
export type ComparedTables = {
  readonly now: readonly StoredTable[] | null
  readonly before: readonly StoredTable[]
  /** Of how many days either side is: where they differ, counts are compared per day. */
  readonly lengths: Lengths
}

export type SnapshotParams = TableParams & {
  /** Headers in the order in which they are seen; null for all that say something. */
  readonly columns: readonly string[] | null
  /** Whether only columns of the specification are wanted. */
  readonly standardOnly: boolean
  /** With what rows are compared beside each; not as lines of CSV. */
  readonly beside: ComparedTables | null
  /** Lines of CSV with the columns as they are wanted, or lines of JSON (src-shared/exports/columns.ts) with all of them. */
  readonly form: SnapshotForm
  /** Names of instances that other instances have too, whether those are among the rows or not. */
  readonly shared?: readonly string[]
}

/** All rows of a query as they stood at one moment, in a file, and what stands above them. */
export type Snapshot = {
  readonly path: string
  readonly rows: number
  readonly columns: readonly ExportColumn[]
  /** Headers and the row for all, with rates where they are wanted; no rows. */
  readonly table: Table
  /** The headers of the cells in a line of JSON, the label's first. */
  readonly raw: readonly string[]
  readonly foundTotal: TableRow | null
  readonly total: Totals
  /** The row for all of either side that rows are compared with. */
  readonly sides: { readonly now: AllCells | null; readonly before: AllCells } | null
}

/** The counts of a row for all, by header, the label's first; null where there is no such row. */
export type AllCells = { readonly headers: readonly string[]; readonly cells: readonly Cell[] | null }

export type MoversParams = Omit<TableParams, 'compared'> &
  MovedBy & {
    readonly before: readonly StoredTable[]
    /** Of how many days either side is: where they differ, counts are compared per day. */
    readonly lengths: Lengths
    readonly header: string
    readonly max: number
  }

export type ExplainParams = {
  readonly tables: readonly StoredTable[]
  readonly before: readonly StoredTable[]
  readonly query: TableQuery
  readonly header: string
  /** Of which count the rate is a share; the header itself where it has none. */
  readonly base: string
  readonly by: 'count' | 'rate'
  /** Of how many days both sides are. */
  readonly lengths: Lengths
  /** The key of a row that is asked about. */
  readonly focus?: string | undefined
}

/** Figures; or the tables that none can be made of. Their days count as not kept. */
export type Computed<F> =
  | { readonly kind: 'computed'; readonly figures: F }
  | { readonly kind: 'lacking'; readonly tables: readonly TableId[]; readonly why: MissingReason }

/** They are others than were written, or hold totals alone; or their file cannot be read for now, whatever it holds. */
export type MissingReason = 'differs' | 'unreadable'

export type Movers = Pick<MoversAnswer, 'by' | 'min' | 'up' | 'down'>

type DifferencesParams = {
  readonly before: StoredTable
  readonly after: StoredTable
  /** How many rows are told at most. */
  readonly max: number
}

export type Differences = {
  /** Some of the rows that differ. */
  readonly rows: readonly RestatedRow[]
  /** How many do. */
  readonly differing: number
  /** Whether any count of them became less, or is not known any more. */
  readonly fell: boolean
}

/** A page of rows. `staging` tells apart what is being written at the same time. */
export type StagedPage = {
  readonly staging: string
  /** How many cells follow each label. */
  readonly columns: number
  readonly rows: readonly TableRow[]
}

/** What is to be written of what was staged, and where. Of a table that is not whole nothing is staged. */
export type TableToWrite = {
  readonly staging: string
  readonly stem: HistoryStem
  /** With as many rows as were staged, or as have a label of their own: where they are not all there, nothing is written. */
  readonly entry: Omit<Entry, 'head'>
  /** Whether of rows with one label only the one staged last is written. */
  readonly dropsRepeats?: boolean
  /** The label's first, without rates; none of an overview. */
  readonly headers: readonly string[]
  readonly all: TableRow | null
  readonly total: Totals
  readonly composed?: Composed
}

export type WrittenTable = { readonly file: HistoryFile; readonly head: string }

export type TablesToJoin = {
  readonly tables: readonly (StoredTable & Pick<Entry, 'owner' | 'subject'>)[]
  readonly stem: HistoryStem
}

export type InspectedFile =
  | { readonly kind: 'whole'; readonly file: HistoryFile; readonly entries: readonly Entry[] }
  /** Its bytes are not those that were written. */
  | { readonly kind: 'damaged' }
  /** It or its rows cannot be read now, or another edition of the desk wrote it. */
  | { readonly kind: 'unknown' }
