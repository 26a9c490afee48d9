import type { Doubt } from '#shared/reports/doubt.ts'
import type { DayRange } from '#shared/values/day.ts'
import type { Instant, DataScopeId } from '#shared/values/ids.ts'

/**
 * Names one kept table, as it was fetched: what replaces it has another id. Drawn at random, so that an id never comes to
 * mean another table, not even in a catalogue that was begun anew. Sixteen hexadecimal digits.
 */
export type TableId = string & { readonly __brand: 'TableId' }

/** A file of the history folder, by its path in there, with `/` between folders. */
export type HistoryPath = string & { readonly __brand: 'HistoryPath' }

const historyPath =
  /^account=[0-9A-Za-z-]{1,100}\/report=[a-z-]+\/month=\d{4}-\d{2}\/[0-9a-f]{16}-[0-9a-f]{8}\.parquet$/

/** Whether a text is the path of a file that we write (layout.ts). Nothing else is read, and above all nothing else deleted. */
export const isHistoryPath = (text: string): text is HistoryPath => historyPath.test(text)

/** A file that holds the rows of one or more kept tables. It is never changed once it has its name. */
export type HistoryFile = {
  readonly path: HistoryPath
  /** In bytes. */
  readonly size: number
  /** CRC-32 of all its bytes, as eight hexadecimal digits. */
  readonly checksum: string
  /** How many tables were written into it. */
  readonly tables: number
}

/** What is known of a kept table without looking into its file. */
export type StoredTable = {
  readonly id: TableId
  readonly range: DayRange
  /** When the first of it was fetched. */
  readonly fetchedAt: Instant
  /** False where it has its totals alone. */
  readonly whole: boolean
  readonly rows: number
  /** What it takes of its file, about. */
  readonly bytes: number
  /** Why its rows do not add up; null where they do. */
  readonly doubt: Doubt | null
  readonly file: HistoryFile
  /** What stands beside its rows, written down (head.ts). It is read where it is needed. */
  readonly head: string
}

/** Whose and of what a table is (src-shared/reports/query.ts). */
export type TablePlace = { readonly owner: DataScopeId; readonly subject: string }
